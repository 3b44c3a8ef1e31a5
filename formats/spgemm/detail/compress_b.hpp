// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>
#include <einkorn/formats/spgemm/detail/row_group.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// The rows of B as words of 32 columns: runs of entries whose columns share a word, in the order of the row; a
/// word may come twice where columns are not sorted. Or, where that would save little, B's columns as they are,
/// each a word with one bit.
template <class Ordinal, class Offset, class Device>
struct CompressedRows {
  using offset_type = Offset;

  Kokkos::View<Offset const*, Device> offsets;                     // [rows of B + 1]
  Kokkos::View<Ordinal const*, Device> columns;                    // of B
  Kokkos::View<CompressedColumns<Ordinal> const*, Device> packed;  // empty: columns are used
  bool compressed = false;

  [[nodiscard]] std::size_t count() const { return compressed ? packed.extent(0) : columns.extent(0); }
  template <bool is_compressed>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION CompressedColumns<Ordinal> word_as(Offset k) const {
    if constexpr (is_compressed)
      return packed(k);
    else
      return {word_of(columns(k)), bit_of(columns(k))};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION CompressedColumns<Ordinal> word(Offset k) const {
    return compressed ? word_as<true>(k) : word_as<false>(k);
  }
  /// The first word of row j whose key is at least `least`, where the row's columns are sorted.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset first_from(Ordinal j, Ordinal least) const {
    return lower_bound_index([this](Offset k) { return word(k).key; }, offsets(j), offsets(j + 1), least);
  }
  [[nodiscard]] std::size_t bytes() const {
    return compressed
               ? offsets.extent(0) * sizeof(Offset) + packed.extent(0) * sizeof(CompressedColumns<Ordinal>)
               : 0;
  }
};

/// The words of a row of B counted, or written where there is a place for them.
template <class Matrix>
struct CompressRow {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Device = typename Matrix::device_type;

  Matrix B;
  Kokkos::View<Offset*, Device> offsets;
  Kokkos::View<CompressedColumns<Ordinal>*, Device> packed;  // empty: counts go to offsets

  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, std::size_t row) const {
    auto const j = static_cast<Ordinal>(row);
    Offset const begin = B.row_begin(j), end = B.row_end(j);
    auto const word_at = [&](Offset k) { return word_of(B.columns(k)); };
    auto const starts = [&](Offset i) -> Offset {  // 1 where a word begins
      return i == 0 || word_at(begin + i) != word_at(begin + i - 1) ? 1 : 0;
    };
    if (packed.extent(0) == 0) {
      Offset const words = group.template sum<Offset>(end - begin, starts);
      group.once([&] { offsets(j) = words; });
      return;
    }
    Offset const first = offsets(j);
    group.scan(end - begin, starts, [&](Offset i, Offset before) {
      if (starts(i) == 0) return;
      Offset k = begin + i;
      Ordinal const key = word_at(k);
      std::uint32_t mask = 0;
      for (; k < end && word_at(k) == key; ++k) mask |= bit_of(B.columns(k));
      packed(first + before) = {key, mask};
    });
  }
};

/// B's columns, each a word of its own.
template <class Matrix>
auto columns_as_words(Matrix const& B) {
  return CompressedRows<typename Matrix::ordinal_type, typename Matrix::offset_type,
                        typename Matrix::device_type>{B.row_offsets, B.columns, {}, false};
}

/// B's rows as words where that leaves at most two thirds of its entries and fits `limit` bytes, or B's
/// columns. Bytes: columns of B once to count and once more to compress. 2 launches and a scan; fences exec.
template <class Exec, class Matrix>
auto compress_rows(Exec const& exec, Matrix const& B, std::size_t limit) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Device = typename Matrix::device_type;
  using Words = CompressedRows<Ordinal, Offset, Device>;
  Words const as_they_are = columns_as_words(B);
  auto const rows = static_cast<std::size_t>(B.num_rows);
  std::size_t const of_offsets = (rows + 1) * sizeof(Offset);
  if (B.nnz() == 0 || of_offsets >= limit) return as_they_are;
  auto const offsets = allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::spgemm::word_offsets", rows + 1);
  int const lanes = lanes_for<Exec>(static_cast<double>(B.nnz()) / static_cast<double>(rows));
  CompressRow<Matrix> compress{B, offsets, {}};
  for_each_by_lanes(exec, "einkorn::spgemm[count words]", rows, lanes, compress);
  auto const total = static_cast<std::size_t>(counts_to_offsets(exec, offsets));
  std::size_t const of_words = total * sizeof(CompressedColumns<Ordinal>);
  if (3 * total > 2 * static_cast<std::size_t>(B.nnz()) || of_words > limit - of_offsets) return as_they_are;
  compress.packed =
      allocate<Kokkos::View<CompressedColumns<Ordinal>*, Device>>(exec, "einkorn::spgemm::words_of_B", total);
  for_each_by_lanes(exec, "einkorn::spgemm[compress]", rows, lanes, compress);
  return Words{offsets, B.columns, compress.packed, true};
}

/// Products of A with B: for each entry of A the length of a row of B.
template <class AMatrix, class BMatrix>
struct SumOfProducts {
  AMatrix A;
  BMatrix B;
  KOKKOS_FUNCTION void operator()(std::size_t k, std::uint64_t& sum) const {
    auto const j = A.columns(k);
    sum += static_cast<std::uint64_t>(B.row_end(j) - B.row_begin(j));
  }
};
template <class Exec, class AMatrix, class BMatrix>
std::uint64_t count_products(Exec const& exec, AMatrix const& A, BMatrix const& B) {
  std::uint64_t products = 0;
  Kokkos::parallel_reduce(
      "einkorn::spgemm[products]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, static_cast<std::size_t>(A.nnz())),
      SumOfProducts<AMatrix, BMatrix>{A, B}, products);
  return products;
}

/// bounds(i) <- the words that the products of row i come in, at most `most`: no less than C's row has.
template <class AMatrix, class CompressedOffsets, class Bounds>
struct BoundCompressed {
  AMatrix A;
  CompressedOffsets word_offsets;
  Bounds bounds;
  std::uint64_t most;

  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, std::size_t i) const {
    using Ordinal = typename AMatrix::ordinal_type;
    auto const begin = A.row_begin(static_cast<Ordinal>(i)), end = A.row_end(static_cast<Ordinal>(i));
    auto const words = group.template sum<std::uint64_t>(end - begin, [&](auto k) {
      Ordinal const j = A.columns(begin + k);
      return static_cast<std::uint64_t>(word_offsets(j + 1) - word_offsets(j));
    });
    group.once([&] { bounds(i) = static_cast<typename Bounds::value_type>(words < most ? words : most); });
  }
};
/// bounds: [rows of A]. Asynchronous.
template <class Exec, class AMatrix, class Words, class Bounds>
void bound_words(Exec const& exec, AMatrix const& A, Words const& words, std::uint64_t most,
                 Bounds const& bounds) {
  auto const rows = static_cast<std::size_t>(A.num_rows);
  int const lanes =
      lanes_for<Exec>(static_cast<double>(A.columns.extent(0)) / std::max(1.0, static_cast<double>(rows)));
  for_each_by_lanes(exec, "einkorn::spgemm[bounds]", rows, lanes,
                    BoundCompressed<AMatrix, decltype(words.offsets), Bounds>{A, words.offsets, bounds, most});
}

/// Of the rows of A B, for a host: products(i), and the most words that one comes in.
template <class AMatrix, class BMatrix, class CompressedOffsets, class Products>
struct BoundRow {
  AMatrix A;
  BMatrix B;
  CompressedOffsets word_offsets;
  Products products;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::uint64_t& max_words) const {
    using Ordinal = typename AMatrix::ordinal_type;
    std::uint64_t of_row = 0, words = 0;
    for (auto k = A.row_begin(static_cast<Ordinal>(i)); k < A.row_end(static_cast<Ordinal>(i)); ++k) {
      Ordinal const j = A.columns(k);
      of_row += static_cast<std::uint64_t>(B.row_end(j) - B.row_begin(j));
      words += static_cast<std::uint64_t>(word_offsets(j + 1) - word_offsets(j));
    }
    products(i) = of_row;
    if (words > max_words) max_words = words;
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

}  // namespace einkorn::detail
