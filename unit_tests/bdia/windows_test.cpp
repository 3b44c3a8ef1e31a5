// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../dia/diagonals.hpp"
#include "../support/vectors.hpp"

#include <einkorn/formats/bdia/from_csr.hpp>
#include <einkorn/formats/bdia/spmv.hpp>

namespace einkorn::test {
namespace {

auto in_bands(Csr<double, int, int, Device> const& A, std::int64_t gap = 0) {
  BdiaOptions options;
  options.fill_limit = 1e30;
  options.max_gap = gap;
  return from_csr<Bdia>(Space(), A, options);
}

template <class S>
class BdiaKernel : public testing::Test {};
using Scalars = TestTypes<double, float, Complex>;
TYPED_TEST_SUITE(BdiaKernel, Scalars);

/// body(matrix, format) for every pattern of diagonals, with and without joined gaps.
template <class S, class Body>
void on_bands(Body const& body) {
  for (auto const& pattern : diagonal_patterns())
    for (std::int64_t const gap : {0, 1, 3000}) {
      SCOPED_TRACE(pattern.name + ", gap " + std::to_string(gap));
      auto const A = with_numbers<S>(pattern, Numbers::integers);
      BdiaOptions options;
      options.fill_limit = 1e30;
      options.max_gap = gap;
      body(A, from_csr<Bdia>(Space(), A.on_device(), options));
    }
}

TYPED_TEST(BdiaKernel, ProductsForAllBandPatterns) {
  on_bands<TypeParam>([](auto const& A, auto const& F) {
    expect_exact_products<TypeParam>(
        A, [&](auto alpha, auto const& x, auto beta, auto const& y) { spmv(Space(), alpha, F, x, beta, y); });
    auto without_list = F;  // disables the kernel of DIA
    without_list.diagonals = {};
    expect_exact_products<TypeParam>(A, [&](auto alpha, auto const& x, auto beta, auto const& y) {
      spmv(Space(), alpha, without_list, x, beta, y);
    });
  });
}

// The GPU kernel in the test space; on the host with one thread per team. A window of 1 byte covers a single
// diagonal, a window of 700 bytes a few.
template <BdiaTuning tuning, class S>
void expect_windows(std::size_t max_rows = 10000) {
  SCOPED_TRACE("window of " + std::to_string(tuning.window_bytes) + " bytes, " +
               std::to_string(tuning.rows_per_thread) + " rows per thread");
  on_bands<S>([max_rows](auto const& A, auto const& F) {
    if (A.rows() > max_rows) return;
    expect_exact_products<S>(A, [&](auto alpha, auto const& x, auto beta, auto const& y) {
      detail::spmv_windows<tuning, false>(Space(), "test", Epilogue<S>{alpha, beta}, F, x, y);
    });
    if (F.num_bands() == 1)
      expect_exact_products<S>(A, [&](auto alpha, auto const& x, auto beta, auto const& y) {
        detail::spmv_windows<tuning, true>(Space(), "test", Epilogue<S>{alpha, beta}, F, x, y);
      });
  });
}

constexpr int team = is_gpu<Space> ? 64 : 1;
constexpr int two = is_gpu<Space> ? 64 : 2;

TYPED_TEST(BdiaKernel, GpuKernelAllWindowsFit) {
  expect_windows<BdiaTuning{team, 1, 1, 8, 1, 32000}, TypeParam>();
  expect_windows<BdiaTuning{team, 5, 1, 4, 1, 32000}, TypeParam>();
}

TYPED_TEST(BdiaKernel, GpuKernelWindowsAreDivided) {
  constexpr std::size_t rows = is_gpu<Space> ? 10000 : 300;  // on a host a team per one to three rows
  expect_windows<BdiaTuning{team, 1, 1, 8, 1, 1}, TypeParam>(rows);
  expect_windows<BdiaTuning{team, 2, 1, 4, 1, 1}, TypeParam>(rows);
  expect_windows<BdiaTuning{team, 3, 1, 3, 1, 700}, TypeParam>(rows);
  expect_windows<BdiaTuning{team, 2, 1, 1, 1, is_gpu<Space> ? 3000 : 100}, TypeParam>(rows);
}

TYPED_TEST(BdiaKernel, GpuKernelSeveralThreadsPerTeam) {
  if (Space().concurrency() < two) GTEST_SKIP() << "one thread";
  expect_windows<BdiaTuning{two, 1, 1, 4, 1, 32000}, TypeParam>(100);  // barriers are slow on shared cores
  expect_windows<BdiaTuning{two, 2, 1, 4, 1, is_gpu<Space> ? 3000 : 100}, TypeParam>(100);
}

TYPED_TEST(BdiaKernel, GpuKernelSeveralColumns) {
  using S = TypeParam;
  on_bands<S>([](auto const& A, auto const& F) {
    for (std::size_t const k : {1u, 3u, 4u, 6u}) {
      auto const x = from_columns<Kokkos::LayoutLeft>(number_columns<S>(A.cols(), k, 20), A.cols());
      auto const y = from_columns<Kokkos::LayoutRight>(number_columns<S>(A.rows(), k, 40), A.rows());
      auto const before = to_columns(y), from = to_columns(x);

      detail::spmv_windows<BdiaTuning{team, 2, 1, 4, 4, 9000}, false>(Space(), "test",
                                                                      Epilogue<S>{S(2), S(0.5)}, F, x, y);

      auto const got = to_columns(y);
      for (std::size_t j = 0; j < k; ++j)
        EXPECT_TRUE(agrees(got[j], expected<S>(A, from[j], S(2), S(0.5)), before[j], true)) << "column " << j;
    }
  });
}

TEST(BdiaWindows, BandOfTwentyThousandDiagonals) {
  auto const A = with_numbers<double>(on_diagonals(100, 20000, band(-50, 20000)), Numbers::integers);
  auto const F = in_bands(A.on_device());
  ASSERT_EQ(F.num_bands(), 1);

  expect_exact_products<double>(
      A, [&](auto alpha, auto const& x, auto beta, auto const& y) { spmv(Space(), alpha, F, x, beta, y); });
  expect_exact_products<double>(A, [&](auto alpha, auto const& x, auto beta, auto const& y) {
    detail::spmv_windows<BdiaTuning{team, 2, 1, 4, 1, 32000}, false>(Space(), "test",
                                                                     Epilogue<double>{alpha, beta}, F, x, y);
  });
  expect_exact_products<double>(A, [&](auto alpha, auto const& x, auto beta, auto const& y) {
    detail::spmv_windows<BdiaTuning{team, 2, 1, 4, 1, 32000}, true>(Space(), "test",
                                                                    Epilogue<double>{alpha, beta}, F, x, y);
  });
}

TEST(BdiaWindows, ReadNothingOutsideTheVector) {
  // x is part of a longer array of NaN, so that reads outside it are detected
  auto const A = with_numbers<double>(on_diagonals(500, 500, band(-16, 33)), Numbers::integers);
  auto const F = in_bands(A.on_device());
  std::vector<double> around(700, not_a_number<double>());
  auto const x = numbers<double>(Numbers::integers, 500, 2);
  std::copy(x.begin(), x.end(), around.begin() + 100);
  auto const part = Kokkos::subview(to_device(around), std::pair(100, 600));
  for (bool const use_windows : {false, true}) {
    auto const y = to_device(std::vector<double>(500, not_a_number<double>()));
    if (use_windows)
      detail::spmv_windows<BdiaTuning{team, 2, 1, 4, 1, 32000}, true>(Space(), "test", Epilogue<double>{1, 0},
                                                                      F, part, y);
    else
      spmv(Space(), 1.0, F, part, 0.0, y);
    EXPECT_TRUE(agrees(to_host(y), expected<double>(A, x, 1.0, 0.0), x, true));
  }
}

}  // namespace
}  // namespace einkorn::test
