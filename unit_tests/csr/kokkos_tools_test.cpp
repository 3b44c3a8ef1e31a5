// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Kokkos events of SpMV, conversions and plans: no fence, allocation or copy unless documented.

#include "../csr5/shapes.hpp"
#include "../support/battery.hpp"
#include "../support/watch.hpp"
#include "approaches.hpp"

#include <einkorn/formats/csr/transpose.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/csr5/to_csr.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using Vector = Kokkos::View<double*, Device>;
using Matrix = Csr<double, int, int, Device>;

constexpr std::size_t small_bytes = 256;  // a few sizes and counts; nnz values are 200 times as much and more

std::string report(Watch const& watch) {
  std::ostringstream out;
  for (auto const& name : watch.seen().launches) out << "\n  launch " << name;
  for (auto const& name : watch.seen().fences) out << "\n  fence " << name;
  for (auto const& it : watch.seen().allocations)
    out << "\n  allocation of " << it.bytes << " bytes in " << it.space << ", " << it.label;
  for (auto const& it : watch.seen().copies)
    out << "\n  copy of " << it.bytes << " bytes, " << it.from_space << " to " << it.to_space << ", "
        << it.label;
  return out.str();
}

/// Only launches: at least one, at max `max`.
testing::AssertionResult only_launches(Watch const& watch, std::size_t max) {
  auto const& seen = watch.seen();
  if (seen.fences.empty() && seen.allocations.empty() && seen.copies.empty() && !seen.launches.empty() &&
      seen.launches.size() <= max)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << report(watch);
}

/// Nothing of size nnz was copied, nor, on a device, allocated on the host.
testing::AssertionResult stays_on_the_device(Watch const& watch) {
  bool const on_host = is_gpu<Space> && watch.allocated_bytes("Host") > 16 * small_bytes;
  if (watch.copied_bytes() <= small_bytes && !on_host) return testing::AssertionSuccess();
  return testing::AssertionFailure() << report(watch);
}

Matrix matrix() {
  return with_numbers<double>(random_pattern(3000, 2500, 1), Numbers::reals).on_device();
}

/// One dense row, empty rows: everything that needs a carry or a list.
Matrix uneven_matrix() {
  std::vector<std::int64_t> lengths(3000);
  for (std::size_t i = 0; i < lengths.size(); ++i)
    lengths[i] = i == 1500 ? 20000 : static_cast<std::int64_t>(i % 9);
  return with_numbers<double>(from_lengths("", lengths, 20000), Numbers::reals).on_device();
}

TEST(Watched, WatcherSeesEveryEvent) {
  auto const A = matrix();
  Kokkos::fence();
  {
    Watch const watch;
    Space().fence("a fence");
    EXPECT_FALSE(watch.seen().fences.empty());
    EXPECT_TRUE(watch.seen().allocations.empty());
  }
  {
    Watch const watch;
    Vector const allocated(Kokkos::view_alloc(Space(), Kokkos::WithoutInitializing, "a view"), 1000);
    EXPECT_EQ(watch.seen().allocations.size(), 1u);
    EXPECT_GE(watch.allocated_bytes(""), 8000u);
  }
  {
    Watch const watch;
    auto const host = to_host(A.values);
    EXPECT_GE(watch.copied_bytes(), is_gpu<Space> ? A.values.size() * 8 : 0);
    Vector const copy("a copy", A.values.size());
    Kokkos::deep_copy(copy, A.values);
    EXPECT_GE(watch.copied_bytes(), A.values.size() * 8);
    EXPECT_FALSE(stays_on_the_device(watch));
  }
  {
    Watch const watch;
    scale(Space(), 2.0, Vector("y", 10));
    EXPECT_FALSE(watch.seen().launches.empty());
  }
  Watch const watch;
  EXPECT_TRUE(watch.seen().fences.empty() && watch.seen().copies.empty())
      << "what was seen before is forgotten";
}

TEST(Watched, SpmvOfCsrOnlyLaunches) {
  for (auto const& A : {matrix(), uneven_matrix()})
    for (auto const op : {Op::none, Op::transpose})
      for (auto const& approach : op == Op::none ? all_approaches() : approaches_to(op)) {
        bool const transposed = op != Op::none;
        Vector const x("x", static_cast<std::size_t>(transposed ? A.num_rows : A.num_cols));
        Vector const y("y", static_cast<std::size_t>(transposed ? A.num_cols : A.num_rows));
        Multiply<Matrix, double> const multiply(A, approach);
        Kokkos::fence();
        for (double const beta : {0.0, 0.5}) {
          Watch const watch;
          multiply(2.0, x, beta, y);
          EXPECT_TRUE(only_launches(watch, 2)) << approach.name;
          auto const algorithm = approach.options.algorithm;
          bool const by_rows = algorithm == SpmvAlgorithm::row_team || algorithm == SpmvAlgorithm::row_thread;
          EXPECT_LE(watch.seen().launches.size(), by_rows ? 1u : 2u) << approach.name;
        }
        Watch const watch;
        multiply(0.0, x, 0.5, y);
        EXPECT_TRUE(only_launches(watch, 1)) << approach.name << ", alpha 0";
      }
}

TEST(Watched, SpmvOfCsr5OnlyLaunches) {
  for (auto const& A : {matrix(), uneven_matrix()})
    for (auto const& shape : runnable_shapes()) {
      auto const F = from_csr<Csr5>(Space(), A, options_of(shape));
      auto const plan = make_spmv_plan(Space(), F);
      Vector const x("x", static_cast<std::size_t>(A.num_cols)), y("y", static_cast<std::size_t>(A.num_rows));
      Kokkos::fence();
      for (double const alpha : {0.0, 2.0})
        for (double const beta : {0.0, 0.5}) {
          {
            Watch const watch;
            spmv(Space(), alpha, F, x, beta, y);
            EXPECT_TRUE(only_launches(watch, 3)) << to_string(shape);
          }
          Watch const watch;
          spmv(Space(), plan, alpha, x, beta, y);
          EXPECT_TRUE(only_launches(watch, 3)) << to_string(shape) << ", plan";
        }
    }
}

TEST(Watched, MultivectorsAreNotCopied) {
  auto const A = uneven_matrix();
  auto const F = from_csr<Csr5>(Space(), A);
  auto const plan = make_spmv_plan(Space(), F);
  auto const tiles = make_spmv_plan(Space(), A, {.algorithm = SpmvAlgorithm::segmented_sum});
  Kokkos::View<double**, Kokkos::LayoutRight, Device> const x("x", 20000, 5), y("y", 3000, 5);
  Kokkos::fence();
  Watch const watch;
  spmv(Space(), 2.0, A, x, 0.5, y);
  spmv(Space(), plan, 2.0, x, 0.5, y);
  spmv(Space(), tiles, 2.0, x, 0.5, y);
  EXPECT_TRUE(only_launches(watch, 1 + 5 * 3 + 5 * 2));
}

TEST(Watched, NewValuesOnlyLaunchWhenChecksAreOff) {
  auto const A = matrix();
  auto const F = from_csr<Csr5>(Space(), A);
  Kokkos::fence();
  Watch const watch;
  update_values(Space(), F, A, Checks::off);
  EXPECT_TRUE(only_launches(watch, 1));
}

TEST(Watched, ConversionsStayOnTheDevice) {
  for (auto const& A : {matrix(), uneven_matrix()})
    for (auto const& shape : runnable_shapes()) {
      ASSERT_GT(A.values.size() * sizeof(double), 200 * small_bytes);
      Kokkos::fence();
      Watch const watch;
      auto const F = from_csr<Csr5>(Space(), A, options_of(shape));
      EXPECT_TRUE(stays_on_the_device(watch)) << "from_csr";
      auto const back = to_csr(Space(), F);
      EXPECT_TRUE(stays_on_the_device(watch)) << "to_csr";
      update_values(Space(), F, back);
      EXPECT_TRUE(stays_on_the_device(watch)) << "update_values";
    }
}

TEST(Watched, PlansAndTransposesStayOnTheDevice) {
  for (auto const& A : {matrix(), uneven_matrix()}) {
    for (auto const op : {Op::none, Op::transpose})
      for (auto const& approach : op == Op::none ? all_approaches() : approaches_to(op)) {
        if (!approach.planned) continue;
        Kokkos::fence();
        Watch const watch;
        auto plan = make_spmv_plan(Space(), A, approach.options);
        EXPECT_TRUE(stays_on_the_device(watch)) << approach.name;
        update_values(Space(), plan, A);
        EXPECT_TRUE(stays_on_the_device(watch)) << approach.name << ", update_values";
      }
    Watch const watch;
    auto const T = transpose(Space(), A);
    EXPECT_TRUE(stays_on_the_device(watch)) << "transpose";
  }
}

}  // namespace
}  // namespace einkorn::test
