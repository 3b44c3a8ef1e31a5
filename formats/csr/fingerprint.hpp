// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scramble.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn {

namespace detail {

template <class Exec, class View>
static std::uint64_t sum_of_scrambled(Exec const& exec, View const& view) {
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce(
      "einkorn::fingerprint",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, view.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, std::uint64_t & partial) {
        partial += scramble(scramble(i + 1) ^ static_cast<std::uint64_t>(view(i)));
      },
      sum);
  return sum;
}

}  // namespace detail

/// What a plan or a format remembers of the structure that it was made for.
struct Fingerprint {
  std::uint64_t num_rows = 0, num_cols = 0, nnz = 0, offsets = 0, columns = 0;
  friend bool operator==(Fingerprint const&, Fingerprint const&) = default;
};

/// Reads row_offsets and columns once, on the device; fences exec. Two structures of one size share a
/// fingerprint with probability 2^-64. A matrix of 0 rows has the same one with and without row_offsets.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Fingerprint fingerprint(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  return {static_cast<std::uint64_t>(A.num_rows), static_cast<std::uint64_t>(A.num_cols),
          static_cast<std::uint64_t>(A.nnz()),
          A.num_rows == 0 ? 0 : detail::sum_of_scrambled(exec, A.row_offsets),
          detail::sum_of_scrambled(exec, A.columns)};
}

}  // namespace einkorn
