// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "dots_tests.hpp"

#include <einkorn/formats/bdia/from_csr.hpp>
#include <einkorn/formats/bdia/spmv.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/dia/spmv.hpp>
#include <einkorn/formats/ell/from_csr.hpp>
#include <einkorn/formats/ell/spmv.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>
#include <einkorn/solvers/distributed/epilogues.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace einkorn::test {
namespace {

template <class S>
class DotsOfFormats : public testing::Test {};
using ScalarsOfFormats = TestTypes<double, Complex>;
TYPED_TEST_SUITE(DotsOfFormats, ScalarsOfFormats);

TYPED_TEST(DotsOfFormats, ExactForIntegers) {
  using S = TypeParam;
  for (auto const& pattern : vector_patterns()) {
    auto const A = with_numbers<S>(pattern, Numbers::integers);
    auto const expect = [&](char const* format, auto const& plan) {
      SCOPED_TRACE(pattern.name + ", " + format);
      expect_dots<false>(A, plan);
      expect_dots<true>(A, plan);
    };
    expect("csr5", make_spmv_plan(Space(), from_csr<Csr5>(Space(), A.on_device())));
    expect("sell", make_spmv_plan(Space(), from_csr<Sell>(Space(), A.on_device(), {.fill_limit = 1e9})));
    expect("ell", make_spmv_plan(Space(), from_csr<Ell>(Space(), A.on_device(), {.fill_limit = 1e9})));
    expect("dia", make_spmv_plan(Space(), from_csr<Dia>(Space(), A.on_device(), {.fill_limit = 1e9})));
    expect("bdia", make_spmv_plan(Space(), from_csr<Bdia>(Space(), A.on_device(), {.fill_limit = 1e9})));
  }
}

/// A matrix with the launch configuration of one with more rows than a test can have.
template <class Format>
struct OfManyRows {
  Format F;
};
template <class Format, class EpilogueOp, class X, class Y>
void spmv_fused(Space const& exec, OfManyRows<Format> const& many, EpilogueOp const& epilogue, X const& x,
                Y const& y) {
  auto const& F = many.F;
  if constexpr (!is_gpu<Space>) {
    spmv_fused(exec, make_spmv_plan(exec, F), epilogue, x, y);
  } else if constexpr (requires { F.offsets; }) {
    constexpr auto tuning = diagonal_rows_tunings(arch_of<Space>, sizeof(double)).large;
    if (F.num_diagonals() == 0 || F.num_cols == 0)
      return spmv_fused(exec, make_spmv_plan(exec, F), epilogue, x, y);
    detail::launch_diagonal_rows<tuning>(exec, "dia", epilogue, F, F.offsets, x, y);
  } else {
    constexpr int lanes = 2, unroll = 4;
    constexpr auto tuning = accumulating_row_team_tuning(arch_of<Space>, lanes, unroll, true);
    if (F.nnz() == 0) return spmv_fused(exec, make_spmv_plan(exec, F), epilogue, x, y);
    detail::launch_row_team<tuning, lanes, false>(exec, epilogue, F, x, y, detail::NaturalOrder{});
  }
}

TEST(DotsOfManyRows, ExactForIntegers) {
  for (auto const& pattern : vector_patterns()) {
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers<double>(pattern, Numbers::integers);
    auto const expect = [&](auto const& F) {
      OfManyRows<std::decay_t<decltype(F)>> const many{F};
      expect_dots<false>(A, many);
      expect_dots<true>(A, many);
    };
    expect(A.on_device());
    expect(from_csr<Dia>(Space(), A.on_device(), {.fill_limit = 1e9}));
  }
}

// The GPU kernel in the test space; on the host with one thread per team. Rows with marks: the first ones, a few in the
// middle and the last one.
TEST(DotsOfInteriorRows, GpuKernelOfDiaLeavesOutMarkedRows) {
  constexpr int team = is_gpu<Space> ? 64 : 1;
  using EpilogueOp = EpilogueWithDots<double, Kokkos::View<double const*, Device>, false>;
  for (auto const& pattern : vector_patterns()) {
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers<double>(pattern, Numbers::integers);
    auto const F = from_csr<Dia>(Space(), A.on_device(), {.fill_limit = 1e9});
    if (F.num_diagonals() == 0) continue;
    auto const n = A.rows();
    std::vector<std::uint32_t> words(n / 32 + 1);
    std::vector<int> marked;
    for (std::size_t row = 0; row < n; ++row)
      if (row < n / 7 || row == n / 2 || row == n / 2 + 2 || row + 1 == n) {
        marked.push_back(static_cast<int>(row));
        words[row / 32] |= 1u << (row % 32);
      }
    detail::RowMarks<Device> marks{to_device(words), 0, 0};
    std::tie(marks.begin, marks.end) = detail::longest_gap(to_device<Kokkos::HostSpace>(marked), n);
    auto const x = numbers<double>(Numbers::integers, A.cols(), 2),
               u = numbers<double>(Numbers::integers, n, 4);
    auto const device_x = to_device(x), y = to_device(std::vector<double>(n)), device_u = to_device(u);
    SumSpace<Device> const space(Space(), n * EpilogueOp::count);
    PartialsLayout layout;
    EpilogueOp const dots({space.partials(), &layout}, 2, 0, device_u, device_u);

    detail::launch_diagonal_rows<DiagonalRowsTuning{team, 2, 1, 3, 1}>(
        Space(), "dia", detail::InteriorDots<EpilogueOp, detail::RowMarks<Device>>(dots, marks), F, F.offsets,
        detail::as_input(device_x), detail::as_output(y));

    auto const got = to_host(y);
    EXPECT_TRUE(agrees(got, expected<double>(A, x, 2.0, 0.0), got, true));
    double yy = 0, uy = 0;
    for (std::size_t row = 0; row < n; ++row) {
      if ((words[row / 32] >> (row % 32) & 1u) != 0) continue;
      yy += got[row] * got[row];
      uy += u[row] * got[row];
    }
    auto const totals = totals_of<EpilogueOp::count>(space, layout.num_blocks);
    EXPECT_EQ(totals[0], yy);
    // The kernel of a GPU stores one sum per thread: in a team of one thread of the host only the first.
    if (is_gpu<Space>) {
      EXPECT_EQ(totals[1], uy);
    }
  }
}

}  // namespace
}  // namespace einkorn::test
