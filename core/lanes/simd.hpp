// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scalar.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_SIMD.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
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

/// Part of a register, which Kokkos' SIMD types do not have: the vector type of GCC and Clang.
template <class T, int W>
inline constexpr bool has_part_of_register = [] {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    return W > 1 && W < static_cast<int>(Kokkos::Experimental::simd<T>::size());
  else
    return false;
}();

template <class T, int W, bool in_part_of_register>
struct LanesOfType {
  using type = T[W];
};
template <class T, int W>
struct LanesOfType<T, W, true> {
  using type [[gnu::vector_size(W * sizeof(T))]] = T;
};

}  // namespace detail

/// W values that a CPU core works on at once: part of a register, or plain arithmetic on an array.
template <class T, int W, bool in_register = detail::has_register<T, W>>
struct Simd {
  static constexpr bool in_part_of_register = detail::has_part_of_register<T, W>;
  typename detail::LanesOfType<T, W, in_part_of_register>::type lane;

  static Simd zero() { return all(T(0)); }
  /// W times the same number.
  static Simd all(T const& value) {
    Simd result;
    if constexpr (in_part_of_register)
      result.lane = value - decltype(lane){};
    else
      for (int i = 0; i < W; ++i) result.lane[i] = value;
    return result;
  }
  template <class From>
  static Simd load(From const* from) {
    Simd result;
    if constexpr (in_part_of_register && std::is_same_v<From, T>)
      std::memcpy(&result.lane, from, sizeof result.lane);
    else
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
    if constexpr (in_part_of_register)
      std::memcpy(to, &lane, sizeof lane);
    else
      for (int i = 0; i < W; ++i) to[i] = lane[i];
  }
  /// *this += a * b
  void add_product(Simd const& a, Simd const& b) {
    if constexpr (in_part_of_register)
      lane += a.lane * b.lane;
    else
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

  static Simd zero() { return all(T(0)); }
  static Simd all(T const& value) { return {Register(value)}; }
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
