// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn::detail {

/// Maximum rows of a diagonal block: the lanes of a warp.
inline constexpr int max_jacobi_block_rows = 32;

/// Rows of the diagonal blocks and positions of their values. Both classes have the same members. The values of
/// block k are column-major with n_k rows, block after block.

/// Blocks of `size` rows; the last one may have fewer.
template <class Ordinal>
struct UniformBlocks {
  Ordinal num_rows;
  int size;

  [[nodiscard]] Ordinal count() const { return num_rows / size + (num_rows % size == 0 ? 0 : 1); }
  [[nodiscard]] int max_rows() const { return num_rows < size ? static_cast<int>(num_rows) : size; }
  [[nodiscard]] std::size_t num_values() const {
    auto const rest = static_cast<std::size_t>(num_rows % size);
    return values_at(num_rows / size) + rest * rest;
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal of_row(Ordinal row) const { return row / size; }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal begin(Ordinal block) const { return block * size; }
  KOKKOS_FORCEINLINE_FUNCTION int rows(Ordinal block) const {
    Ordinal const left = num_rows - block * size;
    return left < size ? static_cast<int>(left) : size;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t values_at(Ordinal block) const {
    return static_cast<std::size_t>(block) * static_cast<std::size_t>(size * size);
  }
};

/// Blocks block_offsets by the offsets of their first rows.
template <class Ordinal, class Device>
struct ListedBlocks {
  Kokkos::View<Ordinal*, Device> offsets;            // [count + 1]
  Kokkos::View<std::size_t*, Device> value_offsets;  // [count + 1]
  Kokkos::View<Ordinal*, Device> block_of_row;       // [num_rows]
  std::size_t total = 0;                             // value_offsets(count)

  [[nodiscard]] Ordinal count() const {
    return offsets.extent(0) == 0 ? Ordinal(0) : static_cast<Ordinal>(offsets.extent(0) - 1);
  }
  [[nodiscard]] int max_rows() const { return max_jacobi_block_rows; }
  [[nodiscard]] std::size_t num_values() const { return total; }
  [[nodiscard]] std::size_t bytes() const {
    return (offsets.extent(0) + block_of_row.extent(0)) * sizeof(Ordinal) +
           value_offsets.extent(0) * sizeof(std::size_t);
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal of_row(Ordinal row) const { return block_of_row(row); }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal begin(Ordinal block) const { return offsets(block); }
  KOKKOS_FORCEINLINE_FUNCTION int rows(Ordinal block) const {
    return static_cast<int>(offsets(block + 1) - offsets(block));
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t values_at(Ordinal block) const { return value_offsets(block); }
};

/// Whether block k of the given offsets has a negative number of rows or more than max_jacobi_block_rows.
template <class Offsets>
struct IsInvalidBlock {
  Offsets block_offsets;
  KOKKOS_FUNCTION bool operator()(std::size_t k) const {
    auto const begin = block_offsets(k), end = block_offsets(k + 1);
    return end < begin || static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin) >
                              static_cast<std::uint64_t>(max_jacobi_block_rows);
  }
};

template <class Offsets, class Ordinal, class Device>
struct ListBlock {
  Offsets block_offsets;
  ListedBlocks<Ordinal, Device> blocks;
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    auto const begin = static_cast<Ordinal>(block_offsets(k)), end = static_cast<Ordinal>(block_offsets(k + 1));
    auto const n = static_cast<std::size_t>(end - begin);
    if (k == 0) blocks.offsets(0) = begin;
    blocks.offsets(k + 1) = end;
    blocks.value_offsets(k) = n * n;
    for (Ordinal row = begin; row < end; ++row) blocks.block_of_row(row) = static_cast<Ordinal>(k);
  }
};

/// Checks and copies the block offsets. Throws InvalidArgument, which names the first invalid block. Fences
/// exec.
template <class Ordinal, class Device, class Exec, class Offsets>
ListedBlocks<Ordinal, Device> list_blocks(Exec const& exec, Ordinal num_rows, Offsets const& block_offsets) {
  auto const fail = [](std::string const& what) {
    throw InvalidArgument("make_block_jacobi: block_offsets" + what);
  };
  auto const text = [](auto number) { return std::to_string(number); };
  std::size_t const extent = block_offsets.extent(0);
  if (extent == 0) {
    if (num_rows != 0) fail(" is empty, the matrix has " + text(num_rows) + " rows");
    return {};
  }
  std::size_t const count = extent - 1;
  exec.fence("einkorn::make_block_jacobi: block_offsets complete");
  if (auto const first = read_one(block_offsets, 0); first != 0) fail("(0) is " + text(first) + ", expected 0");
  std::size_t const invalid =
      first_bad(exec, "einkorn::make_block_jacobi[check]", count, IsInvalidBlock<Offsets>{block_offsets});
  if (invalid != count)
    fail(": block " + text(invalid) + " is rows " + text(read_one(block_offsets, invalid)) + " .. " +
         text(read_one(block_offsets, invalid + 1)) + " - 1, expected 0 to " + text(max_jacobi_block_rows) +
         " rows");
  if (auto const last = read_one(block_offsets, count);
      static_cast<std::uint64_t>(last) != static_cast<std::uint64_t>(num_rows))
    fail("(" + text(count) + ") is " + text(last) + ", expected " + text(num_rows) + " (rows of A)");
  ListedBlocks<Ordinal, Device> blocks{
      allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::BlockJacobi::offsets", extent),
      allocate<Kokkos::View<std::size_t*, Device>>(exec, "einkorn::BlockJacobi::value_offsets", extent),
      allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::BlockJacobi::block_of_row",
                                               static_cast<std::size_t>(num_rows))};
  range_for<std::size_t>("einkorn::make_block_jacobi[list]", exec, count,
                         ListBlock<Offsets, Ordinal, Device>{block_offsets, blocks});
  if (count > 0) blocks.total = counts_to_offsets(exec, blocks.value_offsets);
  return blocks;
}

}  // namespace einkorn::detail
