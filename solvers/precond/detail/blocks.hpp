// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn::detail {

/// Rows of one diagonal block, at most: the lanes of a warp.
inline constexpr int largest_block = 32;

/// Which rows a diagonal block has and where its n^2 values begin. Both kinds of blocks have the same members;
/// the values of block k are column-major with n_k rows, one block after the other.

/// Blocks of `size` rows; the last one has what is left.
template <class Ordinal>
struct UniformBlocks {
  Ordinal num_rows;
  int size;

  [[nodiscard]] Ordinal count() const { return num_rows / size + (num_rows % size == 0 ? 0 : 1); }
  [[nodiscard]] int largest() const { return num_rows < size ? static_cast<int>(num_rows) : size; }
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

/// Blocks by a list of their first rows.
template <class Ordinal, class Device>
struct ListedBlocks {
  Kokkos::View<Ordinal*, Device> offsets;            // [count + 1]
  Kokkos::View<std::size_t*, Device> value_offsets;  // [count + 1]
  Kokkos::View<Ordinal*, Device> block_of_row;       // [num_rows]
  std::size_t total = 0;                             // value_offsets(count)

  [[nodiscard]] Ordinal count() const {
    return offsets.extent(0) == 0 ? Ordinal(0) : static_cast<Ordinal>(offsets.extent(0) - 1);
  }
  [[nodiscard]] int largest() const { return largest_block; }
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

/// Block k of the caller's list ends before it begins or has more than largest_block rows.
template <class Given>
struct IsInvalidBlock {
  Given given;
  KOKKOS_FUNCTION bool operator()(std::size_t k) const {
    auto const begin = given(k), end = given(k + 1);
    return end < begin || static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin) >
                              static_cast<std::uint64_t>(largest_block);
  }
};

template <class Given, class Ordinal, class Device>
struct ListBlock {
  Given given;
  ListedBlocks<Ordinal, Device> blocks;
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    auto const begin = static_cast<Ordinal>(given(k)), end = static_cast<Ordinal>(given(k + 1));
    auto const n = static_cast<std::size_t>(end - begin);
    if (k == 0) blocks.offsets(0) = begin;
    blocks.offsets(k + 1) = end;
    blocks.value_offsets(k) = n * n;
    for (Ordinal row = begin; row < end; ++row) blocks.block_of_row(row) = static_cast<Ordinal>(k);
  }
};

/// The list checked and copied. Throws InvalidArgument, which names the first bad block. Fences exec.
template <class Ordinal, class Device, class Exec, class Given>
ListedBlocks<Ordinal, Device> list_blocks(Exec const& exec, Ordinal num_rows, Given const& given) {
  auto const fail = [](std::string const& what) {
    throw InvalidArgument("make_block_jacobi: block_offsets" + what);
  };
  auto const text = [](auto number) { return std::to_string(number); };
  std::size_t const extent = given.extent(0);
  if (extent == 0) {
    if (num_rows != 0) fail(" is empty, the matrix has " + text(num_rows) + " rows");
    return {};
  }
  std::size_t const count = extent - 1;
  exec.fence("einkorn::make_block_jacobi: block_offsets are there");
  if (auto const first = read_one(given, 0); first != 0) fail("(0) is " + text(first) + ", expected 0");
  std::size_t const bad =
      first_bad(exec, "einkorn::make_block_jacobi[check]", count, IsInvalidBlock<Given>{given});
  if (bad != count)
    fail(": block " + text(bad) + " is rows " + text(read_one(given, bad)) + " .. " +
         text(read_one(given, bad + 1)) + " - 1, expected 0 to " + text(largest_block) + " rows");
  if (auto const last = read_one(given, count);
      static_cast<std::uint64_t>(last) != static_cast<std::uint64_t>(num_rows))
    fail("(" + text(count) + ") is " + text(last) + ", expected " + text(num_rows) + " (rows of A)");
  ListedBlocks<Ordinal, Device> blocks{
      allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::BlockJacobi::offsets", extent),
      allocate<Kokkos::View<std::size_t*, Device>>(exec, "einkorn::BlockJacobi::value_offsets", extent),
      allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::BlockJacobi::block_of_row",
                                               static_cast<std::size_t>(num_rows))};
  Kokkos::parallel_for("einkorn::make_block_jacobi[list]",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, count),
                       ListBlock<Given, Ordinal, Device>{given, blocks});
  if (count > 0) blocks.total = counts_to_offsets(exec, blocks.value_offsets);
  return blocks;
}

}  // namespace einkorn::detail
