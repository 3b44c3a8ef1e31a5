// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

namespace einkorn {

namespace detail {

/// The addresses first + i stride(0) + j stride(1) + [0, run), for i <= last(0) and j <= last(1).
class StridedSet {
 public:
  StridedSet(std::uintptr_t first, std::size_t run) : first_(first), run_(static_cast<std::int64_t>(run)) {}

  /// Replaces the set by `count` copies, `stride` bytes apart.
  void repeat(std::size_t count, std::size_t stride) {
    if (count < 2) return;
    dimensions_[size_++] = {static_cast<std::int64_t>(stride), static_cast<std::int64_t>(count) - 1};
    if (size_ == 2 && dimensions_[1].stride < dimensions_[0].stride) std::swap(dimensions_[0], dimensions_[1]);
  }

  struct Dimension {
    std::int64_t stride, last;
  };
  [[nodiscard]] std::uintptr_t first() const { return first_; }
  [[nodiscard]] std::int64_t run() const { return run_; }
  /// One past the last address.
  [[nodiscard]] std::uintptr_t end() const {
    std::int64_t length = run_;
    for (int i = 0; i < size_; ++i) length += dimensions_[i].last * dimensions_[i].stride;
    return first_ + static_cast<std::uintptr_t>(length);
  }
  /// Strides ascend.
  [[nodiscard]] Dimension const& dimension(int i) const { return dimensions_[i]; }
  [[nodiscard]] int num_dimensions() const { return size_; }

  /// The same addresses with longer runs: dimensions without gaps become part of the run.
  [[nodiscard]] StridedSet merged() const {
    StridedSet set(first_, static_cast<std::size_t>(run_));
    for (int i = 0; i < size_; ++i) {
      auto const& [stride, last] = dimensions_[i];
      if (stride == 0) continue;
      if (set.size_ == 0 && stride <= set.run_)
        set.run_ += last * stride;
      else
        set.dimensions_[set.size_++] = dimensions_[i];
    }
    return set;
  }

 private:
  std::uintptr_t first_;
  std::int64_t run_;
  int size_ = 0;
  Dimension dimensions_[2] = {};
};

/// The sum over 0 <= i < n of floor((a i + b) / m), modulo 2^64. Euclidean algorithm that counts the lattice
/// points below a line by rows and by columns in turn (Graham, Knuth, Patashnik, Concrete Mathematics, section
/// 3.5).
/// @pre a n + b < 2^64
constexpr std::uint64_t sum_of_quotients(std::uint64_t n, std::uint64_t a, std::uint64_t b, std::uint64_t m) {
  std::uint64_t sum = 0;
  while (n > 0) {
    std::uint64_t const pairs = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
    sum += a / m * pairs + b / m * n;
    a %= m;
    b %= m;
    std::uint64_t const at_end = a * n + b;
    if (at_end < m) break;
    n = at_end / m;
    b = at_end % m;
    std::swap(a, m);
  }
  return sum;
}

/// True if low <= p s + q t <= high for some p in [first_p, last_p] and q in [first_q, last_q]. Exact:
/// restricts p to values for which a suitable q is in range, then counts the p for which a multiple of t lies
/// in [low - p s, high - p s].
/// @pre 0 < s <= t
constexpr bool has_combination(std::int64_t low, std::int64_t high, std::int64_t s, std::int64_t first_p,
                               std::int64_t last_p, std::int64_t t, std::int64_t first_q, std::int64_t last_q) {
  auto const floor_div = [](std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); };  // b > 0
  first_p = std::max(first_p, -floor_div(last_q * t - low, s));
  last_p = std::min(last_p, floor_div(high - first_q * t, s));
  if (first_p > last_p) return false;
  std::int64_t const width = high - low + 1;
  if (width >= t) return true;
  std::int64_t const at_last = high - last_p * s;
  auto const n = static_cast<std::uint64_t>(last_p - first_p) + 1;
  auto const slope = static_cast<std::uint64_t>(s), period = static_cast<std::uint64_t>(t);
  auto const above = static_cast<std::uint64_t>(at_last - floor_div(at_last, t) * t);
  auto const below = above + static_cast<std::uint64_t>(t - width);
  return sum_of_quotients(n, slope, above, period) + n != sum_of_quotients(n, slope, below, period);
}

/// True if two sets share an address; see overlaps() for what is exact.
inline bool intersects(StridedSet const& given_a, StridedSet const& given_b) {
  if (given_a.end() <= given_b.first() || given_b.end() <= given_a.first()) return false;
  auto const a = given_a.merged(), b = given_b.merged();
  // start of a run of a - start of a run of b = distance + sum of stride * index; b has negative indices
  struct Term {
    std::int64_t stride, first, last;
  };
  Term terms[4] = {};
  int count = 0;
  auto const add_term = [&](std::int64_t stride, std::int64_t first, std::int64_t last) {
    for (int i = 0; i < count; ++i)
      if (terms[i].stride == stride) {
        terms[i].first += first;
        terms[i].last += last;
        return;
      }
    terms[count++] = {stride, first, last};
  };
  for (int i = 0; i < a.num_dimensions(); ++i) add_term(a.dimension(i).stride, 0, a.dimension(i).last);
  for (int i = 0; i < b.num_dimensions(); ++i) add_term(b.dimension(i).stride, -b.dimension(i).last, 0);
  auto const distance = static_cast<std::int64_t>(a.first() - b.first());
  std::int64_t const low = 1 - a.run() - distance, high = b.run() - 1 - distance;
  if (count == 0) return true;
  if (count == 1)
    return has_combination(low, high, terms[0].stride, 0, 0, terms[0].stride, terms[0].first, terms[0].last);
  if (count == 2) {
    auto const& s = terms[terms[0].stride < terms[1].stride ? 0 : 1];
    auto const& t = terms[terms[0].stride < terms[1].stride ? 1 : 0];
    return has_combination(low, high, s.stride, s.first, s.last, t.stride, t.first, t.last);
  }
  std::int64_t common = 0;
  for (int i = 0; i < count; ++i) common = std::gcd(common, terms[i].stride);
  return high - low + 1 >= common || ((high % common) + common) % common <= high - low;
}

/// True if the runs of two different indices of a set share an address.
inline bool intersects_itself(StridedSet const& set) {
  if (set.num_dimensions() == 0) return false;
  auto const &inner = set.dimension(0), &outer = set.dimension(1);
  if (inner.stride < set.run()) return true;
  if (set.num_dimensions() == 1 || outer.stride >= inner.last * inner.stride + set.run()) return false;
  return has_combination(1 - set.run(), set.run() - 1, inner.stride, 1, inner.last, outer.stride, -outer.last,
                         outer.last);
}

/// Address, extents and strides of a View of rank 0 to 2, with its type erased: functions of a ViewShape are
/// compiled once.
struct ViewShape {
  void const* data;
  std::size_t rank, extent[2], stride[2];  // strides in entries
  std::size_t entry_bytes, alignment;      // of the scalar

  /// The product of the extents, which View::size() is not for a View without memory.
  [[nodiscard]] std::size_t num_entries() const {
    return (rank > 0 ? extent[0] : 1) * (rank > 1 ? extent[1] : 1);
  }
  [[nodiscard]] bool is_empty() const { return data == nullptr || num_entries() == 0; }
  [[nodiscard]] bool is_aligned() const { return reinterpret_cast<std::uintptr_t>(data) % alignment == 0; }
  /// The addresses of all bytes of the entries.
  [[nodiscard]] StridedSet addresses() const {
    StridedSet set(reinterpret_cast<std::uintptr_t>(data), entry_bytes);
    for (std::size_t i = 0; i < rank; ++i) set.repeat(extent[i], stride[i] * entry_bytes);
    return set;
  }
};

template <class V>
ViewShape shape_of(V const& v) {
  static_assert(V::rank() <= 2);
  using T = typename V::value_type;
  ViewShape shape{v.data(), V::rank(), {}, {}, sizeof(T), alignof(T)};
  for (std::size_t i = 0; i < V::rank(); ++i) {
    shape.extent[i] = v.extent(i);
    shape.stride[i] = static_cast<std::size_t>(v.stride(i));
  }
  return shape;
}

inline bool shapes_overlap(ViewShape const& v, ViewShape const& w) {
  return !v.is_empty() && !w.is_empty() && intersects(v.addresses(), w.addresses());
}
inline bool shape_overlaps_itself(ViewShape const& v) {
  return !v.is_empty() && v.num_entries() > 1 && intersects_itself(v.addresses());
}
inline void require_aligned(ViewShape const& v, char const* operation, char const* name) {
  require<InvalidArgument>(v.is_aligned(), [&] {
    return detail::joined(operation, ": ", name, " starts at an address that is not a multiple of ",
                          v.alignment, " bytes, the alignment of its scalar");
  });
}
template <class V>
void require_aligned(V const& v, char const* operation, char const* name) {
  require_aligned(shape_of(v), operation, name);
}

}  // namespace detail

/// True if a write through one View may change what is read through the other.
///
/// Views of rank 0 to 2 with any strides. Exact if the two have at most two different strides in total, not
/// counting dimensions of extent 1, strides of 0 and dimensions without gaps: vectors and multivectors of one
/// layout (column blocks of a row-major array, row blocks of a column-major one, interleaved columns), and any
/// of these with a contiguous array. Otherwise conservative: false only if the address ranges are disjoint or
/// the common divisor of the strides separates the entries. Host only; O(log stride).
template <class V, class W>
bool overlaps(V const& v, W const& w) {
  return detail::shapes_overlap(detail::shape_of(v), detail::shape_of(w));
}

/// True if two different indices of the View address the same memory. Exact.
template <class V>
bool overlaps_itself(V const& v) {
  return detail::shape_overlaps_itself(detail::shape_of(v));
}

/// True if the address of the View is a multiple of the alignment of its scalar.
template <class V>
bool is_aligned(V const& v) {
  return detail::shape_of(v).is_aligned();
}

}  // namespace einkorn
