// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace einkorn::detail {

/// The entries of A sorted by column, entries of a column in the order of A: source(k) is the k-th entry, and
/// column j has positions offsets(j) .. offsets(j + 1) - 1. The two functions below give the same result.

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
    return "transpose: num_cols " + std::to_string(num_cols) + " times nnz " + std::to_string(nnz) +
           " does not fit 64 bits";
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

}  // namespace einkorn::detail
