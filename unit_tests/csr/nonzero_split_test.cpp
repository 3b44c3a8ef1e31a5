// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// nonzero_split: the blocks of a matrix, for GPUs too; rows that continue in other threads, warps and blocks.

#include "../core/dots_tests.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "approaches.hpp"

#include <einkorn/core/arch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace einkorn::test {
namespace {

using LengthList = std::vector<std::int64_t>;

constexpr SpmvOptions by_nonzero_split{.algorithm = SpmvAlgorithm::nonzero_split};

TEST(NonzeroSplitShape, FromEntriesAndRowLengths) {
  struct Case {
    std::size_t nnz, longest;
    double mean;
    int team_size, entries, shift;
    bool wants_few_registers = false;
  };
  for (Case const& c :
       {Case{50000, 700, 10.0, 256, 8, 699},                           // few blocks: no teams of 512 threads,
        Case{50000, 2000, 10.0, 256, 8, 1023},                         // and rows of up to a block
        Case{1, 1, 1.0, 128, 2, 0},                                    // no row is cut
        Case{110000, 128, 10.0, 128, 2, 127},                          // the longest row is half a block
        Case{110000, 129, 10.0, 256, 2, 128},                          // longer rows: larger teams,
        Case{110000, 513, 10.0, 512, 4, 512},                          // then more entries per thread
        Case{110001, 8, 7.0, 128, 4, 7},                               // more entries: as many warps
        Case{720000, 8, 7.0, 128, 4, 7},                               //
        Case{720001, 8, 7.0, 128, 8, 7},                               //
        Case{360001, 64, 60.0, 128, 8, 63},                            // rows of many entries
        Case{500000, 2048, 10.0, 512, 8, 2047},                        //
        Case{500000, 2049, 10.0, 128, 8, 64},                          // rows are cut
        Case{max_one_wave_entries + 1, 400, 10.0, 128, 8, 64, true},   // so many blocks that a cut costs little
        Case{max_few_registers_entries, 400, 10.0, 128, 8, 64, true},  //
        Case{max_few_registers_entries + 1, 400, 10.0, 128, 8, 64}}) {
    auto const shape = nonzero_split_shape(c.nnz, c.longest, c.mean, sizeof(double));
    EXPECT_EQ(shape.team_size, c.team_size) << c.nnz << ", longest row " << c.longest;
    EXPECT_EQ(shape.entries, c.entries) << c.nnz << ", longest row " << c.longest;
    EXPECT_EQ(shape.shift, c.shift) << c.nnz << ", longest row " << c.longest;
    EXPECT_EQ(shape.wants_few_registers, c.wants_few_registers) << c.nnz << ", longest row " << c.longest;
  }
}

TEST(NonzeroSplitShape, IsValidForAllMatricesAndSums) {
  for (std::size_t const nnz : {std::size_t(1), std::size_t(200000), std::size_t(1) << 40})
    for (std::size_t const longest : {std::size_t(1), std::size_t(100), std::size_t(3000), nnz})
      for (std::size_t const sum_bytes : {4u, 8u, 16u}) {
        auto const shape = nonzero_split_shape(nnz, std::min(longest, nnz), 3.0, sum_bytes);
        EXPECT_LE(shape.entries, max_split_entries(sum_bytes));
        EXPECT_GE(shape.shift, 0);
        EXPECT_LT(2 * shape.shift, shape.capacity()) << "a block would be empty";
        EXPECT_LE(shape.capacity(), 1 << 16) << "the descriptor of a thread counts rows with 16 bits";
      }
}

/// Rows whose ends fall near those of threads, warps and blocks of every shape.
std::vector<Pattern> patterns() {
  std::vector<Pattern> all;
  auto const add = [&](std::string const& name, LengthList const& lengths) {
    all.push_back(from_lengths(name, lengths,
                               std::max<std::int64_t>(*std::max_element(lengths.begin(), lengths.end()), 50)));
  };
  for (std::int64_t const length : {1, 2, 3, 4, 5, 8, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513})
    add("rows of " + std::to_string(length), LengthList(static_cast<std::size_t>(9000 / length), length));
  for (std::int64_t const length : {1000, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 20000})
    for (bool const with_empty : {false, true}) {
      LengthList lengths;
      for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 40 * i; ++j) lengths.push_back(with_empty && j % 3 == 0 ? 0 : j % 5 + 1);
        lengths.push_back(length);
      }
      add("rows of " + std::to_string(length) +
              (with_empty ? " among short and empty ones" : " among short ones"),
          lengths);
    }
  add("one dense row", {70000});
  add("a dense row between empty ones", {0, 0, 70000, 0});
  LengthList many;  // more than one wave, with rows that are cut
  for (std::int64_t i = 0; i < 40000; ++i) many.push_back(i % 1000 == 0 ? 5000 : i % 7 == 0 ? 0 : i % 40);
  add("a million entries", many);
  LengthList eights;
  for (std::int64_t i = 0; i < 60000; ++i) eights.push_back(i % 9);
  add("240000 entries", eights);
  return all;
}

template <class Scalar>
class CsrNonzeroSplit : public testing::Test {};
using Scalars = testing::Types<double, float, Kokkos::complex<double>>;
TYPED_TEST_SUITE(CsrNonzeroSplit, Scalars);

/// Also the second product with a plan, which finds the workspace as the first left it.
TYPED_TEST(CsrNonzeroSplit, AgreesWithTheOracleAndRepeats) {
  using S = TypeParam;
  for (auto const& pattern : patterns()) {
    SCOPED_TRACE(pattern.name);
    auto const host = with_numbers<S>(pattern, Numbers::integers);
    auto const reals = with_numbers<S>(pattern, Numbers::reals);
    auto const A = host.on_device(), B = reals.on_device();
    auto const x = numbers<S>(Numbers::integers, static_cast<std::size_t>(pattern.num_cols), 2);
    auto const device_x = to_device(x);
    auto const before = numbers<S>(Numbers::integers, static_cast<std::size_t>(pattern.num_rows), 3);
    auto const plan = make_spmv_plan(Space(), A, by_nonzero_split),
               real_plan = make_spmv_plan(Space(), B, by_nonzero_split);
    auto const want = expected<S>(host, x, S(-2.5), S(0.5));
    std::vector<S> first;
    for (int run = 0; run < 3; ++run) {
      auto const y = to_device(before), real_y = to_device(before);
      spmv(Space(), plan, S(-2.5), device_x, S(0.5), y);
      spmv(Space(), real_plan, S(-2.5), device_x, S(0.5), real_y);
      EXPECT_TRUE(agrees(to_host(y), want, before, true)) << "run " << run;
      if (run == 0) first = to_host(real_y);
      EXPECT_EQ(to_host(real_y), first) << "run " << run;
    }
  }
}

/// The partial sums are stored in the scratch of teams whose other warps still add the parts of their rows.
TYPED_TEST(CsrNonzeroSplit, ComputesDotProducts) {
  using S = TypeParam;
  if constexpr (!std::is_same_v<S, float>)
    for (auto const& pattern : patterns()) {
      SCOPED_TRACE(pattern.name);
      auto const A = with_numbers<S>(pattern, Numbers::integers);
      expect_dots<true>(A, make_spmv_plan(Space(), A.on_device(), by_nonzero_split));
    }
}

TEST(CsrNonzeroSplitPlan, UsesValuesChangedInPlaceAndUpdated) {
  auto const pattern = from_lengths("", {3, 0, 5000, 1, 2}, 5000);
  auto const host = with_numbers<double>(pattern, Numbers::integers, 1);
  auto const changed = with_numbers<double>(pattern, Numbers::integers, 9);
  auto const A = host.on_device();
  auto const x = numbers<double>(Numbers::integers, 5000, 2);
  auto const device_x = to_device(x);
  std::vector<double> const before(5, 7.0);
  auto const y = to_device(before);
  auto plan = make_spmv_plan(Space(), A, by_nonzero_split);

  Kokkos::deep_copy(A.values, to_device(changed.values));
  spmv(Space(), plan, 1, device_x, 0, y);
  EXPECT_TRUE(agrees(to_host(y), expected<double>(changed, x, 1.0, 0.0), before, true));

  update_values(Space(), plan, with_numbers<double>(pattern, Numbers::integers, 1).on_device());
  spmv(Space(), plan, 1, device_x, 0, y);
  EXPECT_TRUE(agrees(to_host(y), expected<double>(host, x, 1.0, 0.0), before, true));
}

/// The bits that mark the absence of a part are a NaN that x may hold.
TEST(CsrNonzeroSplitPlan, WaitsForNoNanOfX) {
  auto const pattern = from_lengths("", {3, 20000, 1}, 20000);
  auto const A = with_numbers<double>(pattern, Numbers::integers).on_device();
  auto const plan = make_spmv_plan(Space(), A, by_nonzero_split);
  std::vector<std::uint64_t> const bits(20000, ~std::uint64_t(0));
  std::vector<double> values(20000);
  std::copy_n(reinterpret_cast<char const*>(bits.data()), sizeof(double) * values.size(),
              reinterpret_cast<char*>(values.data()));
  auto const x = to_device(values);
  auto const y = to_device(std::vector<double>(3, 1.0));
  for (int run = 0; run < 2; ++run) spmv(Space(), plan, 1, x, 0, y);
  for (double const value : to_host(y)) EXPECT_NE(value, value) << "NaN";
}

TEST(CsrNonzeroSplitPlan, NeedsAPlanAndHasWorkspaceOnlyForCutRows) {
  auto const A = with_numbers<double>(random_pattern(40, 30, 1), Numbers::integers).on_device();
  auto const x = to_device(numbers<double>(Numbers::integers, 30, 2));
  auto const y = to_device(numbers<double>(Numbers::integers, 40, 3));
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), 1, A, x, 0, y, by_nonzero_split); },
                                      {"nonzero_split needs a plan"}));
  auto const plan = make_spmv_plan(Space(), A, by_nonzero_split);
  EXPECT_EQ(plan.algorithm(), SpmvAlgorithm::nonzero_split);
  auto const dense = with_numbers<double>(from_lengths("", {20000}, 20000), Numbers::integers).on_device();
  auto const cut_plan = make_spmv_plan(Space(), dense, by_nonzero_split);
  EXPECT_EQ(plan.split().parts.extent(0), 0u);
  EXPECT_EQ(cut_plan.split().parts.extent(0) > 0, is_gpu<Space>);
  EXPECT_EQ(plan.kernel<Space>(), is_gpu<Space> ? SpmvKernel::nonzero_split : SpmvKernel::row_split);
}

}  // namespace
}  // namespace einkorn::test
