// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scalar.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_SIMD.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace einkorn {

/// Lanes of the widest SIMD register that this translation unit is compiled for; 4 where there is none for T
/// (no architecture given, complex), so that CSR5 tiles keep their shape and the compiler may still pair
/// operations.
template <class T>
inline constexpr int simd_lanes = [] {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    constexpr int native = static_cast<int>(Kokkos::Experimental::simd<T>::size());
    return native > 1 ? native : 4;
  } else {
    return 4;
  }
}();

namespace detail {

template <class T, int W>
inline constexpr bool has_register = [] {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    return static_cast<int>(Kokkos::Experimental::simd<T>::size()) == W && W > 1;
  else
    return false;
}();

}  // namespace detail

/// W values that a CPU core works on at once: plain arithmetic on an array.
template <class T, int W, bool in_register = detail::has_register<T, W>>
struct Simd {
  T lane[W];

  static Simd zero() {
    Simd result;
    for (int i = 0; i < W; ++i) result.lane[i] = T(0);
    return result;
  }
  template <class From>
  static Simd load(From const* from) {
    Simd result;
    for (int i = 0; i < W; ++i) result.lane[i] = T(from[i]);
    return result;
  }
  /// from(index[0]), ..., from(index[W - 1])
  template <class From, class Index>
  static Simd gather(From const& from, Index const* index) {
    Simd result;
    for (int i = 0; i < W; ++i) result.lane[i] = T(from(index[i]));
    return result;
  }
  void store(T* to) const {
    for (int i = 0; i < W; ++i) to[i] = lane[i];
  }
  /// *this += a * b
  void add_product(Simd const& a, Simd const& b) {
    for (int i = 0; i < W; ++i) lane[i] += a.lane[i] * b.lane[i];
  }
  /// Sets to 0 the lanes whose flag word has bit `bit` set.
  void clear_flagged(std::uint32_t const* words, int bit) {
    for (int i = 0; i < W; ++i)
      if ((words[i] >> bit) & 1u) lane[i] = T(0);
  }
  /// Sum over the lanes, in a fixed order.
  [[nodiscard]] T sum() const {
    T result = lane[0];
    for (int i = 1; i < W; ++i) result += lane[i];
    return result;
  }
};

/// W values in one SIMD register, through Kokkos' SIMD types (whose spelling differs between Kokkos 4 and 5).
template <class T, int W>
struct Simd<T, W, true> {
  using Register = Kokkos::Experimental::simd<T>;
  using Words = Kokkos::Experimental::basic_simd<std::int32_t, typename Register::abi_type>;
  Register lane;

  static Simd zero() { return {Register(T(0))}; }
  template <class From>
  static Simd load(From const* from) {
    if constexpr (std::is_same_v<From, T>)
      return {load_register<Register>(from)};
    else
      return {Register([from](auto i) { return T(from[i]); })};
  }
  template <class From, class Index>
  static Simd gather(From const& from, Index const* index) {
    return {Register([&from, index](auto i) { return T(from(index[i])); })};
  }
  void store(T* to) const {
    if constexpr (requires { lane.copy_to(to, Kokkos::Experimental::simd_flag_default); })
      lane.copy_to(to, Kokkos::Experimental::simd_flag_default);
    else
      simd_unchecked_store(lane, to, Kokkos::Experimental::simd_flag_default);
  }
  void add_product(Simd const& a, Simd const& b) { lane = Kokkos::fma(a.lane, b.lane, lane); }
  void clear_flagged(std::uint32_t const* words, int bit) {
    using Mask = typename Register::mask_type;
    Words const flags = load_register<Words>(reinterpret_cast<std::int32_t const*>(words));
    if constexpr (requires { flags& flags; }) {
      Words const flagged(static_cast<std::int32_t>(1u << bit));
      lane = Kokkos::Experimental::condition(Mask((flags & flagged) == flagged), Register(T(0)), lane);
    } else {  // Kokkos 4: no bit operations on 32-bit lanes; the flag becomes the sign
      lane = Kokkos::Experimental::condition(Mask((flags << (31 - bit)) < Words(0)), Register(T(0)), lane);
    }
  }
  [[nodiscard]] T sum() const {
    T lanes[W];
    store(lanes);
    for (int half = W / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    return lanes[0];
  }

 private:
  template <class Target>
  static Target load_register(typename Target::value_type const* from) {
    constexpr auto unaligned = Kokkos::Experimental::simd_flag_default;
    if constexpr (std::is_constructible_v<Target, typename Target::value_type const*, decltype(unaligned)>) {
      return Target(from, unaligned);
    } else {
      Target target;
      target.copy_from(from, unaligned);
      return target;
    }
  }
};

/// Bit i of the result is bit `bit` of words[i].
template <int W>
std::uint32_t gather_bits(std::uint32_t const* words, int bit) {
  std::uint32_t result = 0;
  for (int i = 0; i < W; ++i) result |= ((words[i] >> bit) & 1u) << i;
  return result;
}

}  // namespace einkorn
