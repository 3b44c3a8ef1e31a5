// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/format_contract.hpp"

#include <einkorn/formats/hyb/from_csr.hpp>
#include <einkorn/formats/hyb/spmv.hpp>
#include <einkorn/formats/hyb/to_csr.hpp>

namespace einkorn::test {
namespace {

/// The fill limit of HYB reduces the width of the ELL part and refuses no matrix.
struct Choice {
  HybOptions options;
};

template <class C>
struct HybSubject {
  using Config = C;
  using Options = Choice;
  using Host = HostMatrixOf<C>;
  static constexpr bool isolates_nan = true;

  static std::vector<std::pair<std::string, Options>> variants() {
    return {{"default", {}},
            {"half an entry stored", {{0.5, 0, Checks::on}}},
            {"width 1", {{1e30, 1, Checks::on}}}};
  }
  template <class Matrix>
  static auto make(Matrix const& A, Options const& choice) {
    return from_csr<Hyb>(Space(), A, choice.options);
  }
  static double stored(Host const&, Options const&) { return 0; }
  static Host returned(Host const& A) { return A; }
};

EINKORN_INSTANTIATE_FORMAT_CONTRACT(Hyb, HybSubject);

/// Rows of these lengths in columns 0, 1, ..., values 1, 2, ... through the matrix.
HostMatrix<double> of_lengths(std::vector<int> const& lengths, int num_cols) {
  HostMatrix<double> A{static_cast<int>(lengths.size()), num_cols, {0}, {}, {}};
  for (int const length : lengths) {
    for (int j = 0; j < length; ++j) {
      A.columns.push_back(j);
      A.values.push_back(static_cast<double>(A.values.size() + 1));
    }
    A.offsets.push_back(static_cast<int>(A.values.size()));
  }
  return A;
}

TEST(HybLayout, EntriesBeyondTheWidthAreInTheCooPart) {
  auto const A = of_lengths({3, 0, 1, 4}, 5);  // 1 2 3 | | 4 | 5 6 7 8

  auto const F = from_csr<Hyb>(Space(), A.on_device(), {3.0, 2, Checks::on});

  EXPECT_EQ(F.nnz(), 8);
  EXPECT_EQ(F.ell.width, 2);
  EXPECT_EQ(F.ell.stride, 32);
  EXPECT_EQ(F.ell.nnz(), 5);
  EXPECT_EQ(to_host(F.coo.rows), (std::vector<int>{0, 3, 3}));
  EXPECT_EQ(to_host(F.coo.columns), (std::vector<int>{2, 2, 3}));
  EXPECT_EQ(to_host(F.coo.values), (std::vector<double>{3, 7, 8}));
  auto const columns = to_host(F.ell.columns);
  auto const values = to_host(F.ell.values);
  ASSERT_EQ(columns.size(), 64u);
  std::vector<int> want_columns(64, -1);
  std::vector<double> want_values(64, 0);
  want_columns[0] = want_columns[2] = want_columns[3] = 0;
  want_columns[32] = want_columns[35] = 1;
  want_values[0] = 1, want_values[2] = 4, want_values[3] = 5, want_values[32] = 2, want_values[35] = 6;
  EXPECT_EQ(columns, want_columns);
  EXPECT_EQ(values, want_values);
  EXPECT_EQ(F.bytes(), 64 * (8 + 4) + 3 * (8 + 4 + 4));
}

int width_of(HostMatrix<double> const& A, HybOptions const& options = {}) {
  return from_csr<Hyb>(Space(), A.on_device(), options).ell.width;
}

TEST(HybWidth, LargestWidthThatAThirdOfTheRowsFill) {
  EXPECT_EQ(width_of(of_lengths({1, 2, 3, 4, 5, 6}, 9)), 5);
  EXPECT_EQ(width_of(of_lengths({1, 2, 3, 4, 5, 6, 7}, 9)), 5) << "2 of 7 rows are less than a third";
  EXPECT_EQ(width_of(of_lengths({4, 0, 0}, 9)), 4);
  EXPECT_EQ(width_of(of_lengths({4, 0, 0, 0}, 9)), 0);
  EXPECT_EQ(width_of(of_lengths({2, 2, 2, 2}, 9)), 2);
  EXPECT_EQ(width_of(of_lengths({}, 9)), 0);
}

TEST(HybWidth, IsReducedToTheFillLimit) {
  auto const A = of_lengths({1, 2, 3, 4, 5, 6}, 9);  // 21 entries
  EXPECT_EQ(width_of(A, {1.0, 0, Checks::on}), 3);
  EXPECT_EQ(width_of(A, {6.0 / 21.0, 0, Checks::on}), 1);
  EXPECT_EQ(width_of(A, {0.2, 0, Checks::on}), 0);
  EXPECT_EQ(width_of(A, {0.0, 0, Checks::on}), 0);
  EXPECT_EQ(width_of(A, {1e30, 0, Checks::on}), 5);
}

TEST(HybWidth, FollowsTheRuleForAllTestMatrices) {
  for (auto const& pattern : battery())
    for (double const limit : {3.0, 1.5, 0.6}) {
      std::vector<std::size_t> rows_of(2);  // number of rows of each length
      for (std::size_t i = 0; i + 1 < pattern.offsets.size(); ++i) {
        auto const length = static_cast<std::size_t>(pattern.offsets[i + 1] - pattern.offsets[i]);
        if (rows_of.size() <= length) rows_of.resize(length + 1);
        ++rows_of[length];
      }
      auto const rows = static_cast<std::size_t>(pattern.num_rows);
      std::size_t at_least = 0, want = 0;
      for (std::size_t width = rows_of.size() - 1; width > 0 && want == 0; --width) {
        at_least += rows_of[width];
        bool const fits = static_cast<double>(width * rows) <= limit * static_cast<double>(pattern.nnz());
        if (3 * at_least >= rows && at_least > 0 && fits) want = width;
      }
      auto const A = with_numbers<double>(pattern, Numbers::integers).on_device();
      auto const F = from_csr<Hyb>(Space(), A, {limit, 0, Checks::on});
      EXPECT_EQ(F.ell.width, static_cast<int>(want)) << pattern.name << ", limit " << limit;
      EXPECT_LE(static_cast<double>(F.ell.width) * static_cast<double>(rows),
                limit * static_cast<double>(pattern.nnz()));
    }
}

TEST(HybWidth, GivenWidthIsLimitedByTheLongestRowAndTheFillLimit) {
  auto const A = of_lengths({1, 2, 3, 4, 5, 6}, 9);
  EXPECT_EQ(width_of(A, {3.0, 4, Checks::on}), 4);
  EXPECT_EQ(width_of(A, {3.0, 1000, Checks::on}), 6);
  std::vector<int> lengths(3000, 1);
  lengths[7] = 2000;
  auto const B = of_lengths(lengths, 2000).on_device();
  EXPECT_EQ(from_csr<Hyb>(Space(), B).ell.width, 1);
  Watch const watch;

  EXPECT_TRUE(throws<FillLimit>([&] { (void)from_csr<Hyb>(Space(), B, {3.0, 2000, Checks::on}); },
                                {"HYB would store 6000000", "for 4999", "limit is 3"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { (void)from_csr<Hyb>(Space(), B, {3.0, -1, Checks::on}); },
                                      {"width is -1"}));
  for (auto const& allocation : watch.seen().allocations)
    EXPECT_LT(allocation.bytes, 1000000u) << allocation.label;
}

TEST(HybSpmv, RefusesAYThatOverlapsTheValuesOfEitherPart) {
  auto const F = from_csr<Hyb>(Space(), of_lengths({3, 0, 1, 4}, 5).on_device(), {3.0, 1, Checks::on});
  Kokkos::View<double*, Device> const x("x", 5);
  auto const coo = F.coo.values;
  auto const ell = Kokkos::subview(F.ell.values, std::pair(0, 4));
  ASSERT_EQ(coo.extent(0), 5u);
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), 1.0, F, x, 0.0, ell); }, {"overlaps"}));
  auto const y = Kokkos::subview(coo, std::pair(0, 4));
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), 1.0, F, x, 0.0, y); }, {"overlaps"}));
}

TEST(HybSpmv, BetaOneAddsToY) {
  for (std::int64_t const width : {0, 1, 3}) {
    auto const A = of_lengths({3, 0, 1, 4}, 5);
    auto const F = from_csr<Hyb>(Space(), A.on_device(), {3.0, width, Checks::on});
    auto const x = to_device(std::vector<double>(5, 1.0)), y = to_device(std::vector<double>(4, 0.5));
    spmv(Space(), 1.0, F, x, 1.0, y);
    EXPECT_EQ(to_host(y), (std::vector<double>{6.5, 0.5, 4.5, 26.5})) << width;
    spmv(Space(), make_spmv_plan(Space(), F), 1.0, x, 1.0, y);
    EXPECT_EQ(to_host(y), (std::vector<double>{12.5, 0.5, 8.5, 52.5})) << width;
  }
}

TEST(HybSpmv, DefaultConstructedIsEmpty) {
  using Matrix = Hyb<double, int, int, Device>;
  Kokkos::View<double*, Device> const none("none", 0);
  EXPECT_NO_THROW(spmv(Space(), 1.0, Matrix(), none, 0.0, none));
  EXPECT_NO_THROW(spmv(Space(), make_spmv_plan(Space(), Matrix()), 1.0, none, 0.0, none));
  EXPECT_EQ(to_csr(Space(), Matrix()).nnz(), 0);
}

TEST(HybSpmvMixed, FloatMatrixWithDoubleVectors) {
  for (auto const& pattern : vector_patterns()) {
    SCOPED_TRACE(pattern.name);
    auto const host = with_numbers<float>(pattern, Numbers::integers);
    auto const F = from_csr<Hyb>(Space(), host.on_device());
    auto const plan = make_spmv_plan<double>(Space(), F);
    expect_every_form_of_vector<double>(host, [&](auto alpha, auto const& x, auto beta, auto const& y) {
      spmv(Space(), alpha, F, x, beta, y);
    });
    expect_every_form_of_vector<double>(host, [&](auto alpha, auto const& x, auto beta, auto const& y) {
      spmv(Space(), plan, alpha, x, beta, y);
    });
  }
}

}  // namespace
}  // namespace einkorn::test
