// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

/// Lanes of a CPU core by the vector types of GCC and Clang. Not Kokkos::Experimental::simd: its width depends on
/// macros that a Kokkos for any CPU does not define, and its headers take 0.2 s (1.4 s for AVX2) of compile time per
/// source file.
namespace einkorn {

namespace detail {

/// Bytes of the widest SIMD register of the target.
#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

template <class T>
inline constexpr bool has_vectors = std::is_same_v<T, float> || std::is_same_v<T, double>;

}  // namespace detail

/// The lanes of the widest SIMD register of the target, at least 4; 4 for a T without SIMD registers (complex), so that
/// CSR5 tiles keep their shape and the compiler may still vectorize.
template <class T>
inline constexpr int simd_lanes =
    detail::has_vectors<T> ? std::max(4, detail::register_bytes / static_cast<int>(sizeof(T))) : 4;

namespace detail {

/// Whether W values of T fill a register of the target.
template <class T, int W>
inline constexpr bool has_register = has_vectors<T> && W * static_cast<int>(sizeof(T)) == register_bytes;

/// The number of values per compiler vector: W if it is a power of two, limited to a register; otherwise 1.
template <class T, int W>
inline constexpr int values_of_vector = has_vectors<T> && W > 1 && (W & (W - 1)) == 0
                                            ? std::min(W, register_bytes / static_cast<int>(sizeof(T)))
                                            : 1;

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
template <class T, int W>
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
  /// value(0), ..., value(W - 1)
  template <class Value>
  [[gnu::always_inline]] static Simd generate(Value const& value) {
    Simd result;
    detail::unrolled<vectors>([&]<int... v>() __attribute__((always_inline)) {
      ((result.lane[v] = vector_of<v * in_vector>(value, std::make_integer_sequence<int, in_vector>())), ...);
    });
    return result;
  }
  /// from[0], ..., from[W - 1]
  template <class From>
  static Simd load(From const* from) {
    if constexpr (in_vector > 1 && std::is_same_v<From, T>) {
      Simd result;
      detail::unrolled<vectors>([&]<int... v>() __attribute__((always_inline)) {
        (std::memcpy(&result.lane[v], from + v * in_vector, sizeof(Vector)), ...);
      });
      return result;
    } else {
      return generate([from](int i) __attribute__((always_inline)) { return T(from[i]); });
    }
  }
  /// from(index[0]), ..., from(index[W - 1])
  template <class From, class Index>
  static Simd gather(From const& from, Index const* index) {
    return generate([&from, index](int i) __attribute__((always_inline)) { return T(from(index[i])); });
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
    detail::unrolled<vectors>([&]<int... v>() __attribute__((always_inline)) {
      (clear_lanes(lane[v], words + v * in_vector, bit), ...);
    });
  }
  /// The sum of the lanes in a fixed order.
  [[nodiscard]] T sum() const {
    T lanes[W];
    store(lanes);
    if constexpr ((W & (W - 1)) == 0) {
      for (int half = W / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    } else {
      for (int i = 1; i < W; ++i) lanes[0] += lanes[i];
    }
    return lanes[0];
  }

 private:
  template <int first, class Value, int... i>
  [[gnu::always_inline]] static Vector vector_of(Value const& value, std::integer_sequence<int, i...>) {
    return Vector{value(first + i)...};
  }

  static void clear_lanes(Vector& vector, std::uint32_t const* words, int bit) {
    if constexpr (in_vector > 1) {
      using Words = typename detail::VectorOfType<std::uint32_t, in_vector>::type;
      using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
      using Mask = typename detail::VectorOfType<Bits, in_vector>::type;
      Words flags;
      std::memcpy(&flags, words, sizeof(Words));
      Mask kept = __builtin_convertvector((flags >> bit) & 1u, Mask) - Bits(1);  // all bits of a lane, or none
      Mask lanes;
      std::memcpy(&lanes, &vector, sizeof(Vector));
      lanes &= kept;
      std::memcpy(&vector, &lanes, sizeof(Vector));
    } else {
      if ((words[0] >> bit) & 1u) vector = T(0);
    }
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
