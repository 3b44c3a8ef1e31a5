// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// Compares every array of the 8 x 8 example with docs/kernels/csr5_spmv.md. Exit 0: they agree.
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

using Exec = Kokkos::DefaultHostExecutionSpace;  // a shape of 4 lanes is for hosts
using Device = Exec::device_type;

template <class T>
Kokkos::View<T*, Device> view_of(std::vector<T> const& from) {
  Kokkos::View<T*, Device> const view("view", from.size());
  for (std::size_t i = 0; i < from.size(); ++i) view(i) = from[i];
  return view;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Exec const exec;
  std::vector<int> const row_offsets = {0, 2, 5, 5, 6, 14, 19, 26, 34};
  std::vector<int> const columns = {0, 3, 0, 1, 5, 3, 0, 1, 2, 3, 4, 5, 6, 7, 1, 2, 4,
                                    5, 7, 0, 1, 2, 3, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<double> values(34);  // entry k has the value k
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k);
  einkorn::Csr<double, int, int, Device> const A{8, 8, view_of(row_offsets), view_of(columns), view_of(values)};

  einkorn::Csr5Options options;
  options.lanes = 4;
  options.sigma = 4;
  auto const F = einkorn::from_csr<einkorn::Csr5>(exec, A, options);

  bool same = true;
  auto const expect = [&](char const* name, auto const& view, std::vector<std::int64_t> const& expected) {
    bool equal = view.extent(0) == expected.size();
    for (std::size_t i = 0; equal && i < expected.size(); ++i)
      equal = static_cast<std::int64_t>(view(i)) == expected[i];
    if (!equal) std::fprintf(stderr, "%s differs from the page\n", name);
    same = same && equal;
  };
  std::int64_t const flag = std::int64_t(1) << 31;
  expect("values", F.values, {0,  4,  8,  12, 1,  5,  9,  13, 2,  6,  10, 14, 3,  7,  11, 15, 16,
                              20, 24, 28, 17, 21, 25, 29, 18, 22, 26, 30, 19, 23, 27, 31, 32, 33});
  expect("tile_rows", F.tile_rows, {flag + 0, 5, 7});
  expect("empty_begin", F.empty_begin, {0, 5, 5});
  expect("empty_offsets", F.empty_offsets, {0, 1, 3, 4, 5});
  expect("empty_rows", F.empty_rows, {2});
  auto const lane = [](std::uint32_t bit_flag, std::int64_t y_offset, std::int64_t seg_offset) {
    return std::int64_t(bit_flag) << 6 | seg_offset << 4 | y_offset;
  };
  expect("tile_descriptors", F.tile_descriptors,
         {lane(0b0101, 0, 0), lane(0b0110, 2, 1), lane(0b0000, 4, 0), lane(0b0100, 4, 0), lane(0b1001, 0, 1),
          lane(0b0000, 2, 0), lane(0b0100, 2, 1), lane(0b0000, 3, 0)});

  Kokkos::View<double*, Device> const x("x", 8), y("y", 8);
  Kokkos::deep_copy(exec, x, 1.0);
  einkorn::spmv(exec, einkorn::make_spmv_plan(exec, F), 1.0, x, 0.0, y);
  exec.fence();
  expect("y", y, {1, 9, 0, 5, 76, 80, 154, 236});
  return same && F.num_tiles == 2 && F.tail_row == 7 ? 0 : 1;
}
