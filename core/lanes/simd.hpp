// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scalar.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_SIMD.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace einkorn {

/// The number of lanes of the widest SIMD register of the target; 4 if there is none for T (no architecture
/// selected, complex), so that CSR5 tiles keep their shape and the compiler may still vectorize.
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

/// The widest vector to pass by value, in bytes: GCC warns about vectors wider than those of the target.
#if defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

/// The number of values per compiler vector for W values without a Kokkos SIMD type: the vectors of GCC and
/// Clang if W is a power of two, limited to the width of the target, otherwise 1.
template <class T, int W>
inline constexpr int values_of_vector = [] {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    return W > 1 && (W & (W - 1)) == 0 ? std::min(W, vector_bytes / static_cast<int>(sizeof(T))) : 1;
  else
    return 1;
}();

template <class T, int count>
struct VectorOfType {
  using type [[gnu::vector_size(count * sizeof(T))]] = T;
};
template <class T>
struct VectorOfType<T, 1> {
  using type = T;
};

/// Calls body<0, ..., count - 1>(). Unrolls loops over lanes or registers: below -O3 GCC 12 keeps them as loops
/// and the indexed values in memory.
/// @pre body is always_inline; otherwise its values are in memory again.
template <class Body, int... i>
[[gnu::always_inline]] inline void unrolled(Body const& body, std::integer_sequence<int, i...>) {
  body.template operator()<i...>();
}
template <int count, class Body>
[[gnu::always_inline]] inline void unrolled(Body const& body) {
  unrolled(body, std::make_integer_sequence<int, count>());
}

}  // namespace detail

/// W values of a CPU core, as compiler vectors or an array.
template <class T, int W, bool in_register = detail::has_register<T, W>>
struct Simd {
  static constexpr int in_vector = detail::values_of_vector<T, W>, vectors = W / in_vector;
  using Vector = typename detail::VectorOfType<T, in_vector>::type;
  Vector lane[vectors];

  static Simd zero() { return all(T(0)); }
  /// All lanes equal to value.
  static Simd all(T const& value) {
    Simd result;
    detail::unrolled<vectors>(
        [&]<int... v>() __attribute__((always_inline)) { ((result.lane[v] = value - Vector{}), ...); });
    return result;
  }
  template <class From>
  static Simd load(From const* from) {
    Simd result;
    if constexpr (in_vector > 1 && std::is_same_v<From, T>)
      detail::unrolled<vectors>([&]<int... v>() __attribute__((always_inline)) {
        (std::memcpy(&result.lane[v], from + v * in_vector, sizeof(Vector)), ...);
      });
    else
      detail::unrolled<W>([&]<int... i>()
                              __attribute__((always_inline)) { (result.template set<i>(T(from[i])), ...); });
    return result;
  }
  /// from(index[0]), ..., from(index[W - 1])
  template <class From, class Index>
  static Simd gather(From const& from, Index const* index) {
    Simd result;
    detail::unrolled<W>(
        [&]<int... i>() __attribute__((always_inline)) { (result.template set<i>(T(from(index[i]))), ...); });
    return result;
  }
  void store(T* to) const {
    if constexpr (in_vector > 1)
      detail::unrolled<vectors>([&]<int... v>() __attribute__((always_inline)) {
        (std::memcpy(to + v * in_vector, &lane[v], sizeof(Vector)), ...);
      });
    else
      detail::unrolled<W>([&]<int... i>() __attribute__((always_inline)) { ((to[i] = lane[i]), ...); });
  }
  /// *this += a * b
  void add_product(Simd const& a, Simd const& b) {
    detail::unrolled<vectors>(
        [&]<int... v>() __attribute__((always_inline)) { ((lane[v] += a.lane[v] * b.lane[v]), ...); });
  }
  /// Sets lane i to 0 if bit `bit` of words[i] is set.
  void clear_flagged(std::uint32_t const* words, int bit) {
    detail::unrolled<W>([&]<int... i>() __attribute__((always_inline)) {
      (set<i>((words[i] >> bit) & 1u ? T(0) : get<i>()), ...);
    });
  }
  /// The sum of the lanes in a fixed order.
  [[nodiscard]] T sum() const {
    T result = get<0>();
    detail::unrolled<W - 1>([&]<int... i>()
                                __attribute__((always_inline)) { ((result += get<i + 1>()), ...); });
    return result;
  }

 private:
  template <int i>
  [[nodiscard]] T get() const {
    if constexpr (in_vector > 1)
      return lane[i / in_vector][i % in_vector];
    else
      return lane[i];
  }
  template <int i>
  void set(T const& value) {
    if constexpr (in_vector > 1)
      lane[i / in_vector][i % in_vector] = value;
    else
      lane[i] = value;
  }
};

/// W values in one SIMD register, by the SIMD types of Kokkos, whose interface differs between Kokkos 4 and 5.
template <class T, int W>
struct Simd<T, W, true> {
  using Register = Kokkos::Experimental::simd<T>;
  using Words = Kokkos::Experimental::basic_simd<std::int32_t, typename Register::abi_type>;
  using Mask = typename Register::mask_type;
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
    Words const flags = load_register<Words>(reinterpret_cast<std::int32_t const*>(words));
    if constexpr (requires { flags & flags; }) {
      Words const flagged(static_cast<std::int32_t>(1u << bit));
      lane = Kokkos::Experimental::condition(to_mask((flags & flagged) == flagged), Register(T(0)), lane);
    } else {  // Kokkos 4 has no bit operations on 32-bit lanes: shift the flag to the sign
      lane = Kokkos::Experimental::condition(to_mask((flags << (31 - bit)) < Words(0)), Register(T(0)), lane);
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
  /// Converts a mask of 32-bit integers to a mask of T. Kokkos 4 with AVX2 has no conversion to masks of float.
  static Mask to_mask(typename Words::mask_type const& mask) {
    if constexpr (std::is_constructible_v<Mask, typename Words::mask_type const&>)
      return Mask(mask);
    else
      return Mask([&mask](auto i) { return static_cast<bool>(mask[i]); });
  }
};

/// An integer whose bit i is bit `bit` of words[i].
template <int W>
std::uint32_t gather_bits(std::uint32_t const* words, int bit) {
  std::uint32_t result = 0;
  detail::unrolled<W>([&]<int... i>()
                          __attribute__((always_inline)) { ((result |= ((words[i] >> bit) & 1u) << i), ...); });
  return result;
}

}  // namespace einkorn
