// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/spgemm/choose.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>
#include <einkorn/formats/spgemm/detail/row_group.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace einkorn::detail {

/// The rows of B as compressed columns: consecutive entries with equal keys become one (key, mask) pair. A key
/// may occur twice in a row if its columns are not sorted. If compression saves little, B's columns are used
/// directly, each as a pair with one bit.
template <class Ordinal, class Offset, class Device>
struct CompressedRows {
  using offset_type = Offset;

  Kokkos::View<Offset const*, Device> offsets;                     // [rows of B + 1]
  Kokkos::View<Ordinal const*, Device> columns;                    // of B
  Kokkos::View<CompressedColumns<Ordinal> const*, Device> packed;  // empty: columns are used
  bool compressed = false;

  [[nodiscard]] std::size_t size() const { return compressed ? packed.extent(0) : columns.extent(0); }
  template <bool is_compressed>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION CompressedColumns<Ordinal> load_as(Offset k) const {
    if constexpr (is_compressed)
      return packed(k);
    else
      return {key_of(columns(k)), bit_of(columns(k))};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION CompressedColumns<Ordinal> load(Offset k) const {
    return compressed ? load_as<true>(k) : load_as<false>(k);
  }
  /// The first pair of row j whose key is at least min_key; the row's columns must be sorted.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset lower_bound(Ordinal j, Ordinal min_key) const {
    return lower_bound_index([this](Offset k) { return load(k).key; }, offsets(j), offsets(j + 1), min_key);
  }
  [[nodiscard]] std::size_t bytes() const {
    return compressed
               ? offsets.extent(0) * sizeof(Offset) + packed.extent(0) * sizeof(CompressedColumns<Ordinal>)
               : 0;
  }
};

/// Counts the compressed columns of a row of B, or writes them.
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
    auto const key_at = [&](Offset k) { return key_of(B.columns(k)); };
    auto const is_start = [&](Offset i) -> Offset {  // 1 where a key begins
      return i == 0 || key_at(begin + i) != key_at(begin + i - 1) ? 1 : 0;
    };
    if (packed.extent(0) == 0) {
      Offset const count = group.template sum<Offset>(end - begin, is_start);
      group.once([&] { offsets(j) = count; });
      return;
    }
    Offset const first = offsets(j);
    group.scan(end - begin, is_start, [&](Offset i, Offset before) {
      if (is_start(i) == 0) return;
      Offset k = begin + i;
      Ordinal const key = key_at(k);
      std::uint32_t mask = 0;
      for (; k < end && key_at(k) == key; ++k) mask |= bit_of(B.columns(k));
      packed(first + before) = {key, mask};
    });
  }
};

/// B's columns, not compressed.
template <class Matrix>
auto uncompressed_rows(Matrix const& B) {
  return CompressedRows<typename Matrix::ordinal_type, typename Matrix::offset_type,
                        typename Matrix::device_type>{B.row_offsets, B.columns, {}, false};
}

/// B's rows compressed if uses_compressed_B(), else as they are. Reads the columns of B once to count and once to
/// compress. At most 2 launches and a scan.
/// @param limit           bytes
/// @param num_compressed  the number of compressed columns, if known: asynchronous; otherwise fences exec
template <class Exec, class Matrix>
auto compress_rows(Exec const& exec, Matrix const& B, std::size_t limit,
                   std::optional<std::uint64_t> num_compressed = {}) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Device = typename Matrix::device_type;
  using CompressedB = CompressedRows<Ordinal, Offset, Device>;
  CompressedB const uncompressed = uncompressed_rows(B);
  auto const rows = static_cast<std::size_t>(B.num_rows);
  std::size_t const offset_bytes = (rows + 1) * sizeof(Offset);
  auto const pays = [&](std::size_t total) {
    return uses_compressed_B(total, static_cast<std::size_t>(B.nnz()),
                             total * sizeof(CompressedColumns<Ordinal>), limit - offset_bytes);
  };
  if (B.nnz() == 0 || offset_bytes >= limit) return uncompressed;
  auto total = static_cast<std::size_t>(num_compressed.value_or(0));
  if (num_compressed && !pays(total)) return uncompressed;
  auto const offsets =
      allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::spgemm::compressed_offsets", rows + 1);
  int const lanes = lanes_for_mean<Exec>(static_cast<double>(B.nnz()) / static_cast<double>(rows));
  CompressRow<Matrix> compress{B, offsets, {}};
  for_each_by_lanes(exec, "einkorn::spgemm[count compressed]", rows, lanes, compress);
  if (num_compressed) {
    launch_counts_to_offsets(exec, offsets);
  } else {
    total = static_cast<std::size_t>(counts_to_offsets(exec, offsets));
    if (!pays(total)) return uncompressed;
  }
  compress.packed =
      allocate<Kokkos::View<CompressedColumns<Ordinal>*, Device>>(exec, "einkorn::spgemm::compressed_B", total);
  for_each_by_lanes(exec, "einkorn::spgemm[compress]", rows, lanes, compress);
  return CompressedB{offsets, B.columns, compress.packed, true};
}

/// bounds(i) <- upper bound of the compressed columns of row i of C, at most max_bound.
template <class AMatrix, class CompressedOffsets, class Bounds>
struct UpperBound {
  AMatrix A;
  CompressedOffsets compressed_offsets;
  Bounds bounds;
  std::uint64_t max_bound;

  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, std::size_t i) const {
    using Ordinal = typename AMatrix::ordinal_type;
    using Offset = typename AMatrix::offset_type;
    auto const row = static_cast<Ordinal>(i);
    auto const begin = A.row_begin(row), end = A.row_end(row);
    auto const num_compressed = group.template sum_of_item<std::uint64_t>(
        begin, static_cast<Offset>(end - begin), [&](Offset first, Offset k) {
          Ordinal const j = A.columns(first + k);
          return static_cast<std::uint64_t>(compressed_offsets(j + 1) - compressed_offsets(j));
        });
    group.once([&] {
      bounds(i) =
          static_cast<typename Bounds::value_type>(num_compressed < max_bound ? num_compressed : max_bound);
    });
  }
};
/// bounds: [rows of A]. Asynchronous.
template <class Exec, class AMatrix, class CompressedB, class Bounds>
void compute_upper_bounds(Exec const& exec, AMatrix const& A, CompressedB const& compressed_B,
                          std::uint64_t max_bound, Bounds const& bounds) {
  auto const rows = static_cast<std::size_t>(A.num_rows);
  int const lanes =
      lanes_for_mean<Exec>(static_cast<double>(A.columns.extent(0)) / std::max(1.0, static_cast<double>(rows)));
  for_each_by_lanes(
      exec, "einkorn::spgemm[upper bounds]", rows, lanes,
      UpperBound<AMatrix, decltype(compressed_B.offsets), Bounds>{A, compressed_B.offsets, bounds, max_bound});
}

/// The structure of an identity matrix; i up to and including the number of columns.
template <class Offsets, class Columns>
struct FillIdentity {
  Offsets offsets;
  Columns columns;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    offsets(i) = static_cast<typename Offsets::value_type>(i);
    if (i < columns.extent(0)) columns(i) = static_cast<typename Columns::value_type>(i);
  }
};

}  // namespace einkorn::detail
