// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/format_contract.hpp"

#include <einkorn/formats/coo/from_csr.hpp>
#include <einkorn/formats/coo/spmv.hpp>
#include <einkorn/formats/coo/to_csr.hpp>

namespace einkorn::test {
namespace {

template <class C>
struct CooSubject {
  using Config = C;
  using Options = CooOptions;
  using Host = HostMatrixOf<C>;
  static constexpr bool isolates_nan = true;

  static std::vector<std::pair<std::string, Options>> variants() { return {{"default", {}}}; }
  template <class Matrix>
  static auto make(Matrix const& A, Options const& options) {
    return from_csr<Coo>(Space(), A, options);
  }
  static double stored(Host const&, Options const&) { return 0; }
  static Host returned(Host const& A) { return A; }
};

EINKORN_INSTANTIATE_FORMAT_CONTRACT(Coo, CooSubject);

using CooMatrix = Coo<double, int, int, Device>;

CooMatrix by_hand(int num_rows, int num_cols, std::vector<int> const& rows, std::vector<int> const& columns) {
  return {
      num_rows, num_cols, to_device(rows), to_device(columns), to_device(std::vector<double>(rows.size(), 1.0)),
      {}};
}

TEST(CooLayout, EntriesKeepTheOrderOfTheCsr) {
  HostMatrix<double> const host{4, 4, {0, 2, 2, 5, 6}, {3, 0, 2, 2, 1, 0}, {1, 2, 3, 4, 0, 6}};
  auto const A = host.on_device();

  auto const F = from_csr<Coo>(Space(), A);
  Kokkos::deep_copy(A.values, 9.0);

  EXPECT_EQ(to_host(F.rows), (std::vector<int>{0, 0, 2, 2, 2, 3}));
  EXPECT_EQ(to_host(F.columns), host.columns);
  EXPECT_EQ(to_host(F.values), host.values) << "has memory of its own";
  EXPECT_EQ(F.nnz(), 6);
  EXPECT_EQ(F.bytes(), 6 * (8 + 4 + 4));
}

TEST(CooLayout, RowsOfAllTestMatrices) {
  for (auto const& pattern : battery()) {
    auto const F = from_csr<Coo>(Space(), with_numbers<double>(pattern, Numbers::integers).on_device());
    std::vector<int> rows;
    for (std::size_t i = 0; i + 1 < pattern.offsets.size(); ++i)
      rows.insert(rows.end(), static_cast<std::size_t>(pattern.offsets[i + 1] - pattern.offsets[i]),
                  static_cast<int>(i));
    EXPECT_EQ(to_host(F.rows), rows) << pattern.name;
  }
}

TEST(CooByHand, ProductAndConversionToCsr) {
  auto const F = by_hand(4, 3, {1, 1, 3}, {2, 0, 1});
  auto const x = to_device(std::vector<double>{1, 10, 100}), y = to_device(std::vector<double>{1, 1, 1, 1});

  spmv(Space(), make_spmv_plan(Space(), F), 2.0, x, 1.0, y);
  EXPECT_EQ(to_host(y), (std::vector<double>{1, 203, 1, 21}));
  spmv(Space(), 2.0, F, x, 1.0, y);
  EXPECT_EQ(to_host(y), (std::vector<double>{1, 405, 1, 41}));

  auto const A = to_host(to_csr(Space(), F));
  EXPECT_EQ(A.offsets, (std::vector<int>{0, 0, 2, 2, 3}));
  EXPECT_EQ(A.columns, (std::vector<int>{2, 0, 1}));
}

void expect_refused(CooMatrix const& F, std::vector<std::string> const& parts) {
  EXPECT_TRUE(throws<InvalidStructure>([&] { validate(Space(), F); }, parts));
  EXPECT_TRUE(throws<InvalidStructure>([&] { (void)make_spmv_plan(Space(), F); }, parts));
  EXPECT_TRUE(throws<InvalidStructure>([&] { (void)to_csr(Space(), F); }, parts));
}

TEST(CooByHand, DecreasingRowsNameTheFirstEntry) {
  expect_refused(by_hand(9, 3, {0, 4, 4, 2, 8, 1}, {0, 0, 0, 0, 0, 0}), {"decreases after entry 2: 4 to 2"});
  expect_refused(by_hand(9, 3, {0, 1, 2, 3, 1}, {0, 0, 0, 0, 0}), {"decreases after entry 3: 3 to 1"});
}

TEST(CooByHand, IndicesOutOfRangeNameTheFirstEntry) {
  expect_refused(by_hand(4, 3, {0, 4, 5}, {0, 0, 0}), {"entry 1 has row 4", "0 .. 4"});
  expect_refused(by_hand(4, 3, {-1, 2, 3}, {0, 0, 0}), {"entry 0 has row -1", "0 .. 4"});
  expect_refused(by_hand(4, 3, {0, 2, 3}, {0, 2, 3}), {"entry 2 has column 3", "0 .. 3"});
  expect_refused(by_hand(4, 3, {0, 2, 3}, {0, -7, -8}), {"entry 1 has column -7", "0 .. 3"});
  expect_refused(by_hand(0, 3, {0}, {0}), {"entry 0 has row 0"});
}

TEST(CooByHand, SpmvRefusesArraysOfDifferentLengths) {
  auto const x = to_device(std::vector<double>(3)), y = to_device(std::vector<double>(4));
  auto bad = by_hand(4, 3, {0, 2, 3}, {0, 1});
  expect_refused(bad, {"rows has 3 entries, columns 2, values 3"});
  EXPECT_TRUE(throws<InvalidStructure>([&] { spmv(Space(), 1.0, bad, x, 0.0, y); }, {"columns 2"}));
  bad = by_hand(4, 3, {0, 2}, {0, 1});
  bad.num_rows = -4;
  expect_refused(bad, {"negative size -4 x 3"});
}

TEST(CooByHand, ValidateAcceptsEveryConvertedMatrix) {
  for (auto const& pattern : battery()) {
    auto const F = from_csr<Coo>(Space(), with_numbers<double>(pattern, Numbers::integers).on_device());
    EXPECT_NO_THROW(validate(Space(), F)) << pattern.name;
  }
  EXPECT_NO_THROW(validate(Space(), CooMatrix()));
}

TEST(CooSpmv, DefaultConstructedIsEmpty) {
  Kokkos::View<double*, Device> const none("none", 0);
  EXPECT_NO_THROW(spmv(Space(), 1.0, CooMatrix(), none, 0.0, none));
  EXPECT_NO_THROW(spmv(Space(), make_spmv_plan(Space(), CooMatrix()), 1.0, none, 0.0, none));
  EXPECT_EQ(to_csr(Space(), CooMatrix()).nnz(), 0);
}

TEST(CooSpmv, SumsOfAdjacentRowsAreIndependent) {
  std::vector<int> rows;
  std::vector<double> values, want(999);
  for (int i = 0; i < 999; ++i) {
    want[static_cast<std::size_t>(i)] = i % 3 == 0 ? 1e16 : i % 3 == 1 ? 1.0 : -1e16;
    rows.push_back(i);
    values.push_back(want[static_cast<std::size_t>(i)]);
  }
  auto const F = CooMatrix{999, 1, to_device(rows), to_device(std::vector<int>(999, 0)), to_device(values), {}};
  auto const x = to_device(std::vector<double>{1});
  auto const y = to_device(std::vector<double>(999, not_a_number<double>()));

  spmv(Space(), make_spmv_plan(Space(), F), 1.0, x, 0.0, y);
  EXPECT_EQ(to_host(y), want);
  spmv(Space(), 1.0, F, x, 0.0, y);
  EXPECT_EQ(to_host(y), want);
}

TEST(CooSpmv, ShortGapsAreWritten) {
  auto const F =
      by_hand(9, 3, {2, 2, 2, 3, 3, 3, 6, 6, 6}, {0, 1, 2, 0, 1, 2, 0, 1, 2});  // rows 0, 1, 4, 5, 7, 8 empty
  auto const plan = make_spmv_plan(Space(), F);
  auto const x = to_device(std::vector<double>{1, 10, 100});
  auto const y = to_device(std::vector<double>(9, not_a_number<double>()));

  spmv(Space(), plan, 1.0, x, 0.0, y);
  EXPECT_EQ(to_host(y), (std::vector<double>{0, 0, 111, 111, 0, 0, 111, 0, 0}));
  Kokkos::deep_copy(y, 2.0);
  spmv(Space(), plan, 1.0, x, 0.5, y);
  EXPECT_EQ(to_host(y), (std::vector<double>{1, 1, 112, 112, 1, 1, 112, 1, 1}));
}

TEST(CooSpmv, PlanScalesYSeparatelyForLongGaps) {
  struct Case {
    char const* name;
    bool scales_separately;
  };
  int seen = 0;
  for (auto const& [name, scales_separately] :
       {Case{"rows of 33", false}, Case{"every second row empty", false},
        Case{"first half of the rows empty", true}, Case{"last half of the rows empty", true},
        Case{"140000 empty rows around few entries", true}})
    for (auto const& pattern : battery())
      if (pattern.name == name) {
        ++seen;
        auto const host = with_numbers<double>(pattern, Numbers::integers);
        auto const plan = make_spmv_plan(Space(), from_csr<Coo>(Space(), host.on_device()));
        Kokkos::View<double*, Device> const x("x", host.cols()), y("y", host.rows());
        Watch const watch;

        spmv(Space(), plan, 1.0, x, 0.0, y);

        auto const& launches = watch.seen().launches;
        bool const scales = std::find(launches.begin(), launches.end(), "einkorn::scale") != launches.end();
        EXPECT_EQ(scales, scales_separately) << name;
      }
  EXPECT_EQ(seen, 5);
}

template <class S, class VS>
void expect_mixed_products() {
  for (auto const& pattern : vector_patterns()) {
    SCOPED_TRACE(pattern.name);
    auto const host = with_numbers<S>(pattern, Numbers::integers);
    auto const F = from_csr<Coo>(Space(), host.on_device());
    auto const plan = make_spmv_plan<VS>(Space(), F);
    expect_every_form_of_vector<VS>(host, [&](auto alpha, auto const& x, auto beta, auto const& y) {
      spmv(Space(), alpha, F, x, beta, y);
    });
    expect_every_form_of_vector<VS>(host, [&](auto alpha, auto const& x, auto beta, auto const& y) {
      spmv(Space(), plan, alpha, x, beta, y);
    });
  }
}

TEST(CooSpmvMixed, FloatMatrixWithDoubleVectors) {
  expect_mixed_products<float, double>();
}
TEST(CooSpmvMixed, RealMatrixWithComplexVectors) {
  expect_mixed_products<double, Complex>();
}

}  // namespace
}  // namespace einkorn::test
