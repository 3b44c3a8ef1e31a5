// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/core/mix64.hpp>
#include <einkorn/core/vector_loads.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn {

namespace detail {

/// The sum over g of mix64(mix64(g + 1) ^ (k0 e(4g) + k1 e(4g + 1) + k2 e(4g + 2) + k3 e(4g + 3))), in 64
/// bits, for two arrays e, entries past the end being 0.
///
/// An entry that changes changes one summand, as the factors are odd and mix64 is a bijection. Two that swap
/// places change it too: within a four because the factors differ by no multiple of 8 (so that entries less
/// than 2^62 apart cannot cancel), between fours, like any other change, with a probability of 1 - 2^-64. Sums
/// of unsigned integers: the same in any order, on any backend and for integers of any width.
template <class Offset, class Ordinal>
struct StructureHash {
  VectorLoads<Offset> offsets;
  VectorLoads<Ordinal> columns;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::uint64_t& of_offsets, std::uint64_t& of_columns) const {
    std::size_t const before = offsets.count();
    if (i < before)
      of_offsets += mixed(offsets(i), i);
    else
      of_columns += mixed(columns(i - before), i - before);
  }

  template <class Four>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t mixed(Four const& four, std::size_t g) {
    std::uint64_t const word = 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(four.entry[0]) +
                               0xbf58476d1ce4e5b9u * static_cast<std::uint64_t>(four.entry[1]) +
                               0x94d049bb133111ebu * static_cast<std::uint64_t>(four.entry[2]) +
                               0x6a09e667f3bcc90fu * static_cast<std::uint64_t>(four.entry[3]);
    return mix64(mix64(g + 1) ^ word);
  }
};

}  // namespace detail

/// What a plan or a format remembers of the structure that it was made for.
struct Fingerprint {
  std::uint64_t num_rows = 0, num_cols = 0, nnz = 0, offsets = 0, columns = 0;
  friend bool operator==(Fingerprint const&, Fingerprint const&) = default;
};

namespace detail {

/// The sizes, without the sums.
template <class Matrix>
Fingerprint empty_fingerprint(Matrix const& A) {
  return {static_cast<std::uint64_t>(A.num_rows), static_cast<std::uint64_t>(A.num_cols),
          static_cast<std::uint64_t>(A.nnz()), 0, 0};
}

/// Throws StalePlan unless what was made for one structure is given that structure again.
inline void require_same_structure(Fingerprint const& planned, Fingerprint const& given) {
  auto const size = [](Fingerprint const& f) {
    return std::to_string(f.num_rows) + " x " + std::to_string(f.num_cols) + " with " + std::to_string(f.nnz) +
           " entries";
  };
  require<StalePlan>(planned == given, [&] {
    return "update_values: made for a matrix of " + size(planned) + ", given one of " + size(given) +
           (planned.nnz == given.nnz ? " whose entries lie elsewhere" : "");
  });
}

}  // namespace detail

/// Reads row_offsets and columns once, on the device, in 1 launch; fences exec. Two structures of one size
/// share a fingerprint with probability 2^-64, and never when they differ in one column or one row offset. A
/// matrix of 0 rows has the same one with and without row_offsets.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Fingerprint fingerprint(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  auto result = detail::empty_fingerprint(A);
  detail::StructureHash<Offset, Ordinal> const sum{
      A.num_rows == 0 ? detail::VectorLoads<Offset>() : detail::vector_loads(A.row_offsets),
      detail::vector_loads(A.columns)};
  std::size_t const fours = sum.offsets.count() + sum.columns.count();
  if (fours > 0)
    Kokkos::parallel_reduce("einkorn::fingerprint",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, fours), sum,
                            result.offsets, result.columns);
  return result;
}

}  // namespace einkorn
