// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/mix64.hpp>
#include <einkorn/core/scalar.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// A value before its conversion to Scalar: (real + i imag) / 2^23. Sums are sums of these integers, so that
/// they depend neither on the order nor on the backend.
struct Numerator {
  std::int64_t real = 0, imag = 0;

  KOKKOS_FORCEINLINE_FUNCTION Numerator& operator+=(Numerator const& other) {
    real += other.real;
    imag += other.imag;
    return *this;
  }
  /// |real| + |imag|, an upper bound of the modulus.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t magnitude() const {
    return (real < 0 ? -real : real) + (imag < 0 ? -imag : imag);
  }
};

/// 2^23, the numerator of 1.
inline constexpr std::int64_t numerator_of_one = std::int64_t(1) << 23;

namespace detail {

/// numerator / 2^23 truncated to the 24 leading bits, which float, double and every wider type represent
/// exactly.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real real_from(std::int64_t numerator) {
  using Wide = sum_type<Real>;  // float for half and bfloat16, which round to nearest from there
  std::uint64_t const magnitude = static_cast<std::uint64_t>(numerator < 0 ? -numerator : numerator);
  int dropped = 0;
  while ((magnitude >> dropped) >> 24 != 0) ++dropped;
  Wide const value = static_cast<Wide>(static_cast<std::int64_t>((magnitude >> dropped) << dropped)) *
                     (Wide(1) / static_cast<Wide>(numerator_of_one));
  return static_cast<Real>(numerator < 0 ? -value : value);
}

}  // namespace detail

/// The Scalar of a Numerator; of a real Scalar the real part.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar scalar_from(Numerator const& numerator) {
  using Real = real_type<Scalar>;
  if constexpr (is_complex<Scalar>)
    return Scalar(detail::real_from<Real>(numerator.real), detail::real_from<Real>(numerator.imag));
  else
    return detail::real_from<Real>(numerator.real);
}

/// Counter-based random numbers: each is a hash of the seed, the stream and two indices. There is no state, so
/// that any thread may draw any number in any order. Streams of one seed are independent.
class CounterRng {
 public:
  CounterRng(std::uint64_t seed, std::uint64_t stream, bool with_imag)
      : key_(detail::mix64(detail::mix64(seed + golden) + stream)), with_imag_(with_imag) {}

  /// 64 random bits.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t bits(std::int64_t a, std::int64_t b) const {
    std::uint64_t const first = detail::mix64(key_ + static_cast<std::uint64_t>(a) * golden);
    return detail::mix64(first + static_cast<std::uint64_t>(b) * golden);
  }
  /// Uniform in [0, bound), up to a bias below bound / 2^64.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t below(std::int64_t bound, std::int64_t a,
                                                               std::int64_t b) const {
    return static_cast<std::int64_t>(bits(a, b) % static_cast<std::uint64_t>(bound));
  }
  /// Uniform among the numbers k / 2^23 of [-1, 1] without zero (padded formats drop stored zeros); likewise
  /// the imaginary part, if any.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Numerator value(std::int64_t a, std::int64_t b) const {
    std::uint64_t const drawn = bits(a, b);
    return {nonzero(drawn >> 40), with_imag_ ? nonzero((drawn >> 16) & 0xffffffu) : 0};
  }

 private:
  enum : std::uint64_t { golden = 0x9e3779b97f4a7c15u };  // 2^64 / golden ratio, the increment of SplitMix64

  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t nonzero(std::uint64_t drawn) {
    std::int64_t const numerator = static_cast<std::int64_t>(drawn) - numerator_of_one;
    return numerator < 0 ? numerator : numerator + 1;
  }

  std::uint64_t key_;
  bool with_imag_;
};

/// The streams of the generators.
enum : std::uint64_t { value_stream = 1, column_stream = 2, length_stream = 3 };

/// Stratified sampling of columns: [0, extent) is divided into `count` strata of equal width (up to one), and
/// the k-th column is one uniform draw from the k-th stratum. The columns increase without duplicates, and each
/// is computed independently of the others.
/// @pre 1 <= count <= extent
class Strata {
 public:
  KOKKOS_FORCEINLINE_FUNCTION Strata(std::int64_t extent, std::int64_t count)
      : size_(extent / count), larger_(extent % count) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t begin(std::int64_t k) const {
    return k * size_ + (k < larger_ ? k : larger_);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t size(std::int64_t k) const {
    return size_ + (k < larger_ ? 1 : 0);
  }
  /// The stratum that contains a column.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t index_of(std::int64_t column) const {
    std::int64_t const first_smaller = larger_ * (size_ + 1);
    return column < first_smaller ? column / (size_ + 1) : larger_ + (column - first_smaller) / size_;
  }
  /// The k-th column of list number `list`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t column(CounterRng const& rng, std::int64_t list,
                                                                std::int64_t k) const {
    return begin(k) + rng.below(size(k), list, k);
  }

 private:
  std::int64_t size_, larger_;
};

}  // namespace einkorn
