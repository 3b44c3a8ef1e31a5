// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace einkorn::detail {

/// The entries of A sorted by column, entries of a column in the order of A: source(k) is the k-th entry, and
/// column j has positions offsets(j) .. offsets(j + 1) - 1. The functions below give the same result.

template <class Keys, class Columns>
struct KeysByColumn {
  Keys keys;
  Columns columns;
  std::uint64_t nnz;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    keys(k) = static_cast<std::uint64_t>(columns(k)) * nnz + k;
  }
};

template <class Keys, class Offsets, class Source>
struct OrderOfKeys {
  using Offset = typename Offsets::non_const_value_type;

  Keys keys;
  Offsets offsets;
  Source source;
  std::uint64_t nnz, num_cols;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    source(k) = static_cast<Offset>(keys(k) % nnz);
    std::uint64_t const column = keys(k) / nnz;
    std::uint64_t const next = k + 1 < nnz ? keys(k + 1) / nnz : num_cols;
    for (std::uint64_t j = column; j < next; ++j) offsets(j + 1) = static_cast<Offset>(k + 1);
  }
};

/// GPU: sorts the keys column * nnz + entry, which are distinct, so that any sort gives the same order.
template <class Exec, class Matrix, class Offsets, class Source>
void order_by_column_sorting(Exec const& exec, Matrix const& A, Offsets const& offsets, Source const& source) {
  auto const nnz = static_cast<std::uint64_t>(A.nnz());
  auto const num_cols = static_cast<std::uint64_t>(A.num_cols);
  require<OverflowError>(nnz == 0 || num_cols <= std::numeric_limits<std::uint64_t>::max() / nnz, [&] {
    return detail::joined("transpose: num_cols ", num_cols, " times nnz ", nnz, " does not fit 64 bits");
  });
  using Keys = Kokkos::View<std::uint64_t*, typename Matrix::device_type>;
  auto const keys = allocate<Keys>(exec, "einkorn::transpose::keys", nnz);
  auto const columns = A.columns;
  range_for<std::uint64_t>("einkorn::transpose[keys]", exec, nnz,
                           KeysByColumn<Keys, decltype(A.columns)>{keys, columns, nnz});
  if (nnz > 0)
    or_out_of_memory("einkorn::transpose: sort", nnz * sizeof(std::uint64_t),
                     [&] { Kokkos::sort(exec, keys); });
  range_for<std::uint64_t>("einkorn::transpose[order]", exec, nnz,
                           OrderOfKeys<Keys, Offsets, Source>{keys, offsets, source, nnz, num_cols});
}

/// Host: counts the entries of each column per part of the matrix, scans the counts to positions, and places
/// the entries part by part. Memory: one Offset per column and part; the number of parts keeps it below nnz.
template <class Exec, class Matrix, class Offsets, class Source>
void order_by_column_counting(Exec const& exec, Matrix const& A, Offsets const& offsets, Source const& source) {
  using Offset = typename Matrix::offset_type;
  auto const nnz = static_cast<std::size_t>(A.nnz());
  auto const num_cols = static_cast<std::size_t>(A.num_cols);
  if (num_cols == 0) return;
  auto const parts = std::clamp<std::size_t>(nnz / num_cols, 1, static_cast<std::size_t>(exec.concurrency()));
  using Positions = Kokkos::View<Offset*, typename Matrix::device_type>;
  auto const positions = allocate_zeros<Positions>(exec, "einkorn::transpose::position", parts * num_cols);
  auto const position = [=](std::size_t part, std::size_t column) -> Offset& {
    return positions(part * num_cols + column);
  };
  auto const columns = A.columns;
  auto const begin_of = [=](std::size_t part) { return nnz / parts * part + nnz % parts * part / parts; };
  range_for<std::size_t>("einkorn::transpose[count]", exec, parts, [=](std::size_t part) {
    for (std::size_t k = begin_of(part); k < begin_of(part + 1); ++k)
      ++position(part, static_cast<std::size_t>(columns(k)));
  });
  Offset total = 0;
  range_scan<std::size_t>(
      "einkorn::transpose[positions]", exec, num_cols,
      [=](std::size_t column, Offset& before, bool is_final) {
        Offset running = before;
        for (std::size_t part = 0; part < parts; ++part) {
          Offset const count = position(part, column);
          if (is_final) position(part, column) = running;
          running += count;
        }
        if (is_final) offsets(column + 1) = running;
        before = running;
      },
      total);
  range_for<std::size_t>("einkorn::transpose[place]", exec, parts, [=](std::size_t part) {
    for (std::size_t k = begin_of(part); k < begin_of(part + 1); ++k)
      source(position(part, static_cast<std::size_t>(columns(k)))++) = static_cast<Offset>(k);
  });
}

/// The faster of the two for the execution space. offsets: zeros.
template <class Exec, class Matrix, class Offsets, class Source>
void order_by_column(Exec const& exec, Matrix const& A, Offsets const& offsets, Source const& source) {
  if constexpr (is_gpu<Exec>)
    order_by_column_sorting(exec, A, offsets, source);
  else
    order_by_column_counting(exec, A, offsets, source);
}

/// Items with a bucket each, as order_by_column() takes the columns of a matrix.
template <class Ordinal, class Offset, class Device>
struct BucketColumns {
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;

  Offset num_items;
  Ordinal num_cols;  // number of buckets
  Kokkos::View<Ordinal const*, Device> columns;
  [[nodiscard]] Offset nnz() const { return num_items; }
};

/// The items of bucket b, ascending: items(k), k = offsets(b) .. offsets(b + 1) - 1.
template <class Offset, class Device>
struct BucketLists {
  Kokkos::View<Offset*, Device> offsets;  // [number of buckets + 1]
  Kokkos::View<Offset*, Device> items;
};

/// Lists of the items in each bucket: a stable sort.
/// @param buckets  the first num_items values are in 0 .. num_buckets - 1
template <class Exec, class Ordinal, class Offset, class Device>
BucketLists<Offset, Device> list_buckets(Exec const& exec, Kokkos::View<Ordinal*, Device> const& buckets,
                                         Offset num_items, Ordinal num_buckets) {
  using View = Kokkos::View<Offset*, Device>;
  BucketLists<Offset, Device> const lists{
      allocate_zeros<View>(exec, "einkorn::list_buckets::offsets", static_cast<std::size_t>(num_buckets) + 1),
      allocate<View>(exec, "einkorn::list_buckets::items", static_cast<std::size_t>(num_items))};
  order_by_column(exec, BucketColumns<Ordinal, Offset, Device>{num_items, num_buckets, buckets}, lists.offsets,
                  lists.items);
  return lists;
}

}  // namespace einkorn::detail
