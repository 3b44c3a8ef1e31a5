// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/throws.hpp"
#include "../support/vectors.hpp"
#include "diagonals.hpp"

#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/dia/spmv.hpp>
#include <einkorn/formats/dia/to_csr.hpp>
#include <einkorn/formats/dia/validate.hpp>

namespace einkorn::test {
namespace {

TEST(DiaLayout, EntryPositions) {
  auto const A = from_dense<double>({{1, 0, 2, 0}, {0, 3, 0, 4}, {5, 0, 6, 0}}, 4);

  auto const F = from_csr<Dia>(Space(), A.on_device());

  EXPECT_EQ(F.num_diagonals(), 3);
  EXPECT_EQ(F.stride, 32);
  EXPECT_EQ(F.nnz(), 6);
  EXPECT_EQ(to_host(F.offsets), (std::vector<int>{-2, 0, 2}));
  std::vector<double> values(96, 0);
  values[2] = 5;
  values[32] = 1, values[33] = 3, values[34] = 6;
  values[64] = 2, values[65] = 4;
  EXPECT_EQ(to_host(F.values), values);
  EXPECT_EQ(F.bytes(), 96 * sizeof(double) + 3 * sizeof(int));
  EXPECT_NO_THROW(validate(Space(), F));
}

TEST(DiaLayout, RepeatedPositionsAreSummedInOrder) {
  HostMatrix<double> A{2, 2, {0, 4, 5}, {1, 0, 1, 1, 0}, {1e16, 7, 1, -1e16, 2}};
  HostMatrix<double> B = A;
  B.values = {1, 2, 4, 8, 16};

  auto const F = from_csr<Dia>(Space(), A.on_device());
  auto const before = to_host(F.values);
  update_values(Space(), F, B.on_device());

  EXPECT_EQ(to_host(F.offsets), (std::vector<int>{-1, 0, 1}));
  EXPECT_EQ(before[1], 2);
  EXPECT_EQ(before[32], 7);
  EXPECT_EQ(before[64], 1e16 + 1 - 1e16);
  auto const after = to_host(F.values);
  EXPECT_EQ(after[1], 16);
  EXPECT_EQ(after[32], 2);
  EXPECT_EQ(after[64], 13);
}

TEST(DiaLayout, DiagonalsOfAFewRowsAmongMany) {
  for (auto const& A : with_rare_diagonals()) {
    auto const F = from_csr<Dia>(Space(), A.on_device());
    expect_filled(A, F, F.offsets);
  }
}

TEST(DiaFill, MessageHasTheNumberOfAllDiagonals) {
  auto const A = with_rare_diagonals().front().on_device();
  EXPECT_TRUE(throws<FillLimit>([&] { (void)from_csr<Dia>(Space(), A, {.fill_limit = 1.2}); },
                                {"would store 800000 entries for 599999"}));
}

TEST(DiaLayout, DefaultConstructedIsEmpty) {
  Dia<double, int, int, Device> const F;
  Kokkos::View<double*, Device> const x("x", 0), y("y", 0);

  EXPECT_NO_THROW(validate(Space(), F));
  EXPECT_NO_THROW(spmv(Space(), 1.0, F, x, 0.0, y));
  EXPECT_EQ(to_csr(Space(), F).nnz(), 0);
}

template <class S>
class DiaKernel : public testing::Test {};
using Scalars = TestTypes<double, float, Complex>;
TYPED_TEST_SUITE(DiaKernel, Scalars);

TYPED_TEST(DiaKernel, ProductsForAllDiagonalPatterns) {
  for (auto const& pattern : diagonal_patterns()) {
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers<TypeParam>(pattern, Numbers::integers);
    DiaOptions options;
    options.fill_limit = 1e30;
    auto const F = from_csr<Dia>(Space(), A.on_device(), options);
    EXPECT_NO_THROW(validate(Space(), F));

    expect_exact_products<TypeParam>(
        A, [&](auto alpha, auto const& x, auto beta, auto const& y) { spmv(Space(), alpha, F, x, beta, y); });
  }
}

// The GPU kernel in the test space; on the host with one thread per team.
TYPED_TEST(DiaKernel, GpuKernelProductsForAllDiagonalPatterns) {
  constexpr int team_size = is_gpu<Space> ? 64 : 1;
  for (auto const& pattern : diagonal_patterns()) {
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers<TypeParam>(pattern, Numbers::integers);
    DiaOptions options;
    options.fill_limit = 1e30;
    auto const F = from_csr<Dia>(Space(), A.on_device(), options);
    using Sum = TypeParam;

    expect_exact_products<TypeParam>(A, [&](auto alpha, auto const& x, auto beta, auto const& y) {
      detail::launch_diagonal_rows<DiagonalRowsTuning{team_size, 2, 1, 8, 1}>(
          Space(), "test", Epilogue<Sum>{alpha, beta}, F, F.offsets, x, y);
    });
    for (std::size_t const k : {1u, 3u, 4u, 6u}) {
      auto const x = from_columns<Kokkos::LayoutLeft>(number_columns<Sum>(A.cols(), k, 20), A.cols());
      Kokkos::View<Sum**, Kokkos::LayoutRight, Device> const y("y", A.rows(), k);
      detail::launch_diagonal_rows<DiagonalRowsTuning{team_size, 1, 1, 3, 4}>(
          Space(), "test", Epilogue<Sum>{Sum(2), Sum(0)}, F, F.offsets, x, y);
      auto const got = to_columns(y);
      auto const from = to_columns(x);
      for (std::size_t j = 0; j < k; ++j)
        EXPECT_TRUE(agrees(got[j], expected<Sum>(A, from[j], Sum(2), Sum(0)), got[j], true)) << "column " << j;
    }
  }
}

template <class S, class O, class P>
void expect_dia_slots(Pattern const& pattern) {
  SCOPED_TRACE(pattern.name);
  auto const A = with_numbers<S, O, P>(pattern, Numbers::reals);
  DiaOptions options;
  options.fill_limit = 1e30;
  auto const F = from_csr<Dia>(Space(), A.on_device(), options);
  expect_filled_in_teams(A, F, F.offsets);
  auto const B = with_numbers<S, O, P>(pattern, Numbers::reals, 9);
  update_values(Space(), F, B.on_device());
  EXPECT_TRUE(to_host(F.values) == slots_of(B, to_host(F.offsets), static_cast<std::size_t>(F.stride)));
}

TEST(DiaLayout, EverySlotIsFilled) {
  for (auto const& pattern : patterns_around_scratch()) {
    expect_dia_slots<double, int, int>(pattern);
    if (pattern.nnz() < 50000) expect_dia_slots<Complex, std::int64_t, std::size_t>(pattern);
  }
  for (auto const& pattern : diagonal_patterns()) expect_dia_slots<float, int, std::size_t>(pattern);
}

TEST(DiaLayout, OutermostDiagonalsAreListed) {
  for (std::int64_t const rows : {1, 7, 8, 9, 33})
    for (std::int64_t const cols : {1, 8, 15, 16, 24}) {
      auto const pattern = on_diagonals(rows, cols, {1 - rows, cols - 1});
      if (rows + cols == 2) continue;
      auto const F = from_csr<Dia>(Space(), with_numbers<double>(pattern, Numbers::reals).on_device(),
                                   {.fill_limit = 1e30});
      EXPECT_EQ(to_host(F.offsets), (std::vector<int>{static_cast<int>(1 - rows), static_cast<int>(cols - 1)}));
    }
}

TEST(DiaFill, FillLimitMessageHasTheFill) {
  auto const A = with_numbers<double>(on_diagonals(100, 100, {0}), Numbers::reals);
  auto B = A;
  B.columns = {};
  for (int i = 0; i < 100; ++i) B.columns.push_back(i * 37 % 100);  // almost as many diagonals as rows
  EXPECT_NO_THROW((void)from_csr<Dia>(Space(), A.on_device()));
  std::vector<int> diagonals;
  for (int i = 0; i < 100; ++i) diagonals.push_back(B.columns[static_cast<std::size_t>(i)] - i);
  std::sort(diagonals.begin(), diagonals.end());
  auto const count = std::unique(diagonals.begin(), diagonals.end()) - diagonals.begin();
  EXPECT_TRUE(
      throws<FillLimit>([&] { (void)from_csr<Dia>(Space(), B.on_device()); },
                        {"DIA would store " + std::to_string(100 * count) + " entries for 100", "limit is 3"}));
  DiaOptions generous;
  generous.fill_limit = static_cast<double>(count);
  EXPECT_NO_THROW((void)from_csr<Dia>(Space(), B.on_device(), generous));
}

TEST(DiaValidate, MessagesNameTheInvalidEntry) {
  auto const A = with_numbers<double>(on_diagonals(50, 60, {-3, 0, 7}), Numbers::integers);
  auto const good = from_csr<Dia>(Space(), A.on_device());
  auto const refused = [](auto const& F, std::vector<std::string> const& parts) {
    return throws<InvalidStructure>([&] { validate(Space(), F); }, parts);
  };
  auto const with_offsets = [&](std::vector<int> const& offsets) {
    auto F = good;
    F.offsets = to_device(offsets);
    return F;
  };
  EXPECT_NO_THROW(validate(Space(), good));
  EXPECT_NO_THROW(validate(Space(), with_offsets({-49, 0, 59})));
  EXPECT_TRUE(refused(with_offsets({-3, 7, 0}), {"diagonal 2 is 0", "more than 7"}));
  EXPECT_TRUE(refused(with_offsets({-3, -3, 0}), {"diagonal 1 is -3", "more than -3"}));
  EXPECT_TRUE(refused(with_offsets({-50, 0, 7}), {"diagonal 0 is -50", "more than -50"}));
  EXPECT_TRUE(refused(with_offsets({-3, 0, 60}), {"diagonal 2 is 60", "less than num_cols = 60"}));
  EXPECT_TRUE(refused(with_offsets({-3, 0}), {"values has 192 entries", "128"}));
  auto short_stride = good;
  short_stride.stride = 49;
  EXPECT_TRUE(refused(short_stride, {"stride is 49", "num_rows = 50"}));
  auto negative = good;
  negative.num_rows = -1;
  EXPECT_TRUE(refused(negative, {"negative size -1 x 60"}));
}

}  // namespace
}  // namespace einkorn::test
