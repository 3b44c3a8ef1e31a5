// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/accumulate/index_words.hpp>
#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// The rows of B as words of 32 columns: runs of entries whose columns share a word, in the order of the row; a
/// word may come twice where columns are not sorted. Or, where that would save little, B's columns as they are,
/// each a word with one bit.
template <class Ordinal, class Offset, class Device>
struct RowWords {
  Kokkos::View<Offset const*, Device> offsets;       // [rows of B + 1]
  Kokkos::View<Ordinal const*, Device> keys;         // words, or B's columns
  Kokkos::View<std::uint32_t const*, Device> masks;  // empty: keys are columns
  bool compressed = false;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal key(Offset k) const {
    return compressed ? keys(k) : word_of(keys(k));
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t mask(Offset k) const {
    return compressed ? masks(k) : bit_of(keys(k));
  }
  /// The first word of row j whose key is at least `least`, where the row's columns are sorted.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset first_from(Ordinal j, Ordinal least) const {
    return first_not_below([this](Offset k) { return key(k); }, offsets(j), offsets(j + 1), least);
  }
  [[nodiscard]] std::size_t bytes() const {
    return compressed
               ? offsets.extent(0) * sizeof(Offset) + keys.extent(0) * (sizeof(Ordinal) + sizeof(std::uint32_t))
               : 0;
  }
};

/// Row j of B, its words counted, or written where there is a place for them.
template <class Matrix>
struct CompressRow {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Device = typename Matrix::device_type;

  Matrix B;
  Kokkos::View<Offset*, Device> offsets;
  Kokkos::View<Ordinal*, Device> keys;  // empty: counts go to offsets
  Kokkos::View<std::uint32_t*, Device> masks;

  KOKKOS_FUNCTION void operator()(Ordinal j) const {
    bool const writes = keys.extent(0) > 0;
    Offset const begin = B.row_begin(j), end = B.row_end(j);
    Offset at = writes ? offsets(j) : Offset(0);
    Offset const first = at;
    for (Offset k = begin; k < end;) {
      Ordinal const key = word_of(B.columns(k));
      std::uint32_t mask = 0;
      for (; k < end && word_of(B.columns(k)) == key; ++k) mask |= bit_of(B.columns(k));
      if (writes) {
        keys(at) = key;
        masks(at) = mask;
      }
      ++at;
    }
    if (!writes) offsets(j) = at - first;
  }
};

/// B's rows as words where that leaves at most two thirds of its entries and fits `limit` bytes, or B's
/// columns. Bytes: columns of B once to count and once more to compress. 2 launches and a scan; fences exec.
template <class Exec, class Matrix>
auto row_words(Exec const& exec, Matrix const& B, std::size_t limit) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Device = typename Matrix::device_type;
  using Words = RowWords<Ordinal, Offset, Device>;
  Words const as_they_are{B.row_offsets, B.columns, {}, false};
  auto const rows = static_cast<std::size_t>(B.num_rows);
  std::size_t const of_offsets = (rows + 1) * sizeof(Offset);
  if (B.nnz() == 0 || of_offsets >= limit) return as_they_are;
  auto const offsets = allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::spgemm::word_offsets", rows + 1);
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>> const over_rows(exec, 0, B.num_rows);
  CompressRow<Matrix> compress{B, offsets, {}, {}};
  Kokkos::parallel_for("einkorn::spgemm[count words]", over_rows, compress);
  auto const total = static_cast<std::size_t>(counts_to_offsets(exec, offsets));
  std::size_t const of_words = total * (sizeof(Ordinal) + sizeof(std::uint32_t));
  if (3 * total > 2 * static_cast<std::size_t>(B.nnz()) || of_words > limit - of_offsets) return as_they_are;
  compress.keys = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::spgemm::word_keys", total);
  compress.masks = allocate<Kokkos::View<std::uint32_t*, Device>>(exec, "einkorn::spgemm::word_masks", total);
  Kokkos::parallel_for("einkorn::spgemm[compress]", over_rows, compress);
  return Words{offsets, compress.keys, compress.masks, true};
}

/// What the rows of A B cost before anything of them is known.
template <class Ordinal, class AOffsets, class AColumns, class BOffsets, class WordOffsets>
struct RowCosts {
  using ordinal_type = Ordinal;

  AOffsets offsets;
  AColumns columns;
  BOffsets offsets_of_B;
  WordOffsets word_offsets;

  /// Products of row i of A with the rows of B.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t products(Ordinal i) const {
    return sum(i, offsets_of_B);
  }
  /// Words that they come in: no less than C's row has.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t words(Ordinal i) const {
    return sum(i, word_offsets);
  }

 private:
  template <class Offsets>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t sum(Ordinal i, Offsets const& of_rows) const {
    std::uint64_t total = 0;
    for (auto k = offsets(i); k < offsets(i + 1); ++k) {
      Ordinal const j = columns(k);
      total += static_cast<std::uint64_t>(of_rows(j + 1) - of_rows(j));
    }
    return total;
  }
};

template <class Costs>
struct SumOfProducts {
  Costs costs;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::uint64_t& sum) const {
    sum += costs.products(static_cast<typename Costs::ordinal_type>(i));
  }
};
/// The products of every row, and the most words that one has.
template <class Costs, class Products>
struct BoundRow {
  Costs costs;
  Products products;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::uint64_t& most_words) const {
    auto const row = static_cast<typename Costs::ordinal_type>(i);
    products(i) = costs.products(row);
    auto const words = costs.words(row);
    if (words > most_words) most_words = words;
  }
};
template <class Counts>
struct SumOfCounts {
  Counts counts;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::uint64_t& sum) const {
    sum += static_cast<std::uint64_t>(counts(i));
  }
};
/// The structure of an identity matrix; one offset more than columns.
template <class Offsets, class Columns>
struct Identity {
  Offsets offsets;
  Columns columns;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    offsets(i) = static_cast<typename Offsets::value_type>(i);
    if (i < columns.extent(0)) columns(i) = static_cast<typename Columns::value_type>(i);
  }
};

template <class AMatrix, class BMatrix, class Words>
auto row_costs(AMatrix const& A, BMatrix const& B, Words const& words) {
  return RowCosts<typename AMatrix::ordinal_type, decltype(A.row_offsets), decltype(A.columns),
                  decltype(B.row_offsets), decltype(words.offsets)>{A.row_offsets, A.columns, B.row_offsets,
                                                                    words.offsets};
}

}  // namespace einkorn::detail
