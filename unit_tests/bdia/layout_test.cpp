// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../dia/diagonals.hpp"
#include "../support/throws.hpp"

#include <einkorn/formats/bdia/from_csr.hpp>
#include <einkorn/formats/bdia/spmv.hpp>
#include <einkorn/formats/bdia/to_csr.hpp>
#include <einkorn/formats/bdia/validate.hpp>

namespace einkorn::test {
namespace {

BdiaOptions with_gap(std::int64_t gap) {
  BdiaOptions options;
  options.fill_limit = 1e30;
  options.max_gap = gap;
  return options;
}

TEST(BdiaLayout, EntryPositions) {
  auto const A = from_dense<double>({{1, 2, 0, 9}, {0, 3, 0, 0}, {5, 0, 6, 7}}, 4);

  auto const F = from_csr<Bdia>(Space(), A.on_device());

  EXPECT_EQ(F.num_bands(), 3);
  EXPECT_EQ(F.num_diagonals(), 4);
  EXPECT_EQ(F.stride, 32);
  EXPECT_EQ(F.nnz(), 7);
  EXPECT_EQ(to_host(F.band_offsets), (std::vector<int>{-2, 0, 3}));
  EXPECT_EQ(to_host(F.band_widths), (std::vector<int>{1, 2, 1}));
  EXPECT_EQ(to_host(F.band_bases), (std::vector<int>{0, 32, 96, 128}));
  std::vector<double> values(128, 0);
  values[2] = 5;
  values[32] = 1, values[33] = 3, values[34] = 6;
  values[64] = 2, values[66] = 7;
  values[96] = 9;
  EXPECT_EQ(to_host(F.values), values);
  EXPECT_EQ(to_host(F.diagonals), (std::vector<int>{-2, 0, 1, 3}));
  EXPECT_EQ(F.bytes(), 128 * sizeof(double) + 14 * sizeof(int));
  EXPECT_NO_THROW(validate(Space(), F));
}

TEST(BdiaLayout, GapsUpToMaxGapAreStored) {
  auto const A = with_numbers<double>(on_diagonals(64, 64, {-6, -5, -3, 1, 2, 9}), Numbers::reals).on_device();
  struct Case {
    std::int64_t gap;
    std::vector<int> offsets, widths;
  };
  for (Case const& want :
       {Case{0, {-6, -3, 1, 9}, {2, 1, 2, 1}}, Case{1, {-6, 1, 9}, {4, 2, 1}}, Case{2, {-6, 1, 9}, {4, 2, 1}},
        Case{3, {-6, 9}, {9, 1}}, Case{5, {-6, 9}, {9, 1}}, Case{6, {-6}, {16}}, Case{1000, {-6}, {16}}}) {
    auto const F = from_csr<Bdia>(Space(), A, with_gap(want.gap));
    EXPECT_EQ(to_host(F.band_offsets), want.offsets) << "gap " << want.gap;
    EXPECT_EQ(to_host(F.band_widths), want.widths) << "gap " << want.gap;
    EXPECT_NO_THROW(validate(Space(), F));
  }
}

TEST(BdiaLayout, SevenPointStencilHasFiveBands) {
  auto const A = with_numbers<double>(on_diagonals(1000, 1000, {-100, -10, -1, 0, 1, 10, 100}), Numbers::reals);

  auto const F = from_csr<Bdia>(Space(), A.on_device());

  EXPECT_EQ(to_host(F.band_offsets), (std::vector<int>{-100, -10, -1, 10, 100}));
  EXPECT_EQ(to_host(F.band_widths), (std::vector<int>{1, 1, 3, 1, 1}));
}

TEST(BdiaLayout, RepeatedPositionsAreSummedInOrder) {
  HostMatrix<double> A{2, 2, {0, 4, 5}, {1, 0, 1, 1, 0}, {1e16, 7, 1, -1e16, 2}};
  HostMatrix<double> B = A;
  B.values = {1, 2, 4, 8, 16};

  auto const F = from_csr<Bdia>(Space(), A.on_device());
  auto const before = to_host(F.values);
  update_values(Space(), F, B.on_device());

  EXPECT_EQ(to_host(F.band_widths), std::vector<int>{3});
  EXPECT_EQ(before[1], 2);
  EXPECT_EQ(before[32], 7);
  EXPECT_EQ(before[64], 1e16 + 1 - 1e16);
  auto const after = to_host(F.values);
  EXPECT_EQ(after[1], 16);
  EXPECT_EQ(after[32], 2);
  EXPECT_EQ(after[64], 13);
}

TEST(BdiaLayout, DiagonalsOfAFewRowsAmongMany) {
  for (auto const& A : with_rare_diagonals()) {
    auto const F = from_csr<Bdia>(Space(), A.on_device());
    expect_filled(A, F, F.diagonals);
  }
}

TEST(BdiaLayout, DefaultConstructedIsEmpty) {
  Bdia<double, int, int, Device> const F;
  Kokkos::View<double*, Device> const x("x", 0), y("y", 0);

  EXPECT_NO_THROW(validate(Space(), F));
  EXPECT_NO_THROW(spmv(Space(), 1.0, F, x, 0.0, y));
  EXPECT_EQ(to_csr(Space(), F).nnz(), 0);
}

template <class S, class O, class P>
void expect_bdia_slots(Pattern const& pattern) {
  SCOPED_TRACE(pattern.name);
  auto const A = with_numbers<S, O, P>(pattern, Numbers::reals);
  auto const options = with_gap(2);
  auto const F = from_csr<Bdia>(Space(), A.on_device(), options);
  expect_filled_in_teams(A, F, F.diagonals);
  auto const B = with_numbers<S, O, P>(pattern, Numbers::reals, 9);
  update_values(Space(), F, B.on_device());
  EXPECT_TRUE(to_host(F.values) == slots_of(B, to_host(F.diagonals), static_cast<std::size_t>(F.stride)));
}

TEST(BdiaLayout, EverySlotIsFilled) {
  for (auto const& pattern : patterns_around_scratch()) {
    expect_bdia_slots<double, int, int>(pattern);
    if (pattern.nnz() < 50000) expect_bdia_slots<Complex, std::int64_t, std::size_t>(pattern);
  }
  for (auto const& pattern : diagonal_patterns()) expect_bdia_slots<float, int, std::size_t>(pattern);
}

TEST(BdiaLayout, OutermostDiagonalsAreListed) {
  for (std::int64_t const rows : {1, 7, 8, 9, 33})
    for (std::int64_t const cols : {1, 8, 15, 16, 24}) {
      auto const pattern = on_diagonals(rows, cols, {1 - rows, cols - 1});
      if (rows + cols == 2) continue;
      auto const F =
          from_csr<Bdia>(Space(), with_numbers<double>(pattern, Numbers::reals).on_device(), with_gap(0));
      EXPECT_EQ(to_host(F.diagonals),
                (std::vector<int>{static_cast<int>(1 - rows), static_cast<int>(cols - 1)}));
    }
}

TEST(BdiaFill, FillLimitMessageHasTheFill) {
  auto const A = with_numbers<double>(on_diagonals(100, 100, {-50, 0, 50}), Numbers::reals).on_device();  // 200
  BdiaOptions options;
  options.max_gap = 49;
  EXPECT_NO_THROW((void)from_csr<Bdia>(Space(), A));
  EXPECT_TRUE(throws<FillLimit>([&] { (void)from_csr<Bdia>(Space(), A, options); },
                                {"bDIA would store 10100 entries for 200", "limit is 3"}));
  options.max_gap = 48;
  EXPECT_NO_THROW((void)from_csr<Bdia>(Space(), A, options));
  options.fill_limit = 1.4;
  EXPECT_TRUE(throws<FillLimit>([&] { (void)from_csr<Bdia>(Space(), A, options); },
                                {"gaps not counted", "300 entries for 200", "limit is 1.4"}));
  options.max_gap = -1;
  EXPECT_TRUE(throws<InvalidArgument>([&] { (void)from_csr<Bdia>(Space(), A, options); }, {"max_gap -1"}));
}

TEST(BdiaValidate, MessagesNameTheInvalidEntry) {
  auto const A = with_numbers<double>(on_diagonals(50, 60, {-3, -2, 0, 7}), Numbers::integers);
  auto const good = from_csr<Bdia>(Space(), A.on_device());  // offsets -3 0 7, widths 2 1 1
  auto const refused = [](auto const& F, std::vector<std::string> const& parts) {
    return throws<InvalidStructure>([&] { validate(Space(), F); }, parts);
  };
  auto const with_bands = [&](std::vector<int> const& offsets, std::vector<int> const& widths,
                              std::vector<int> const& bases) {
    auto F = good;
    F.band_offsets = to_device(offsets);
    F.band_widths = to_device(widths);
    F.band_bases = to_device(bases);
    F.diagonals = {};
    return F;
  };
  std::vector<int> const widths{2, 1, 1}, bases{0, 128, 192, 256};
  EXPECT_NO_THROW(validate(Space(), good));
  EXPECT_NO_THROW(validate(Space(), with_bands({-49, -47, 59}, widths, bases)));
  EXPECT_TRUE(refused(with_bands({-50, 0, 7}, widths, bases), {"band 0 has offset -50", "from -49 to 59"}));
  EXPECT_TRUE(refused(with_bands({-3, -2, 7}, widths, bases), {"band 1 has offset -2, width 1"}));
  EXPECT_TRUE(refused(with_bands({-3, 7, 0}, widths, bases), {"band 2 has offset 0"}));
  EXPECT_TRUE(refused(with_bands({-3, 0, 60}, widths, bases), {"band 2 has offset 60"}));
  EXPECT_TRUE(
      refused(with_bands({-3, 0, 59}, {1, 1, 2}, {0, 64, 128, 256}), {"band 2 has offset 59, width 2"}));
  EXPECT_TRUE(refused(with_bands({-3, 0, 7}, {2, 0, 2}, {0, 128, 128, 256}), {"band 1 has offset 0, width 0"}));
  EXPECT_TRUE(refused(with_bands({-3, 0, 7}, widths, {0, 128, 190, 256}), {"band 1", "slots 128 .. 190"}));
  EXPECT_TRUE(refused(with_bands({-3, 0, 7}, widths, {1, 128, 192, 256}), {"band_bases(0) is 1"}));
  EXPECT_TRUE(refused(with_bands({-3, 0}, {2, 1}, {0, 128, 192}), {"values has 256 entries", "192"}));
  EXPECT_TRUE(refused(with_bands({-3, 0, 7}, {2, 1}, bases), {"3 band_offsets, 2 band_widths, 4 band_bases"}));
  EXPECT_TRUE(refused(with_bands({}, {}, {}), {"values, but no bands"}));
  auto listed = good;
  listed.diagonals = to_device(std::vector<int>{-3, -2, 0});
  EXPECT_TRUE(refused(listed, {"diagonals has 3 entries, expected 4 or none"}));
  listed.diagonals = to_device(std::vector<int>{-3, -2, 1, 7});
  EXPECT_TRUE(refused(listed, {"diagonals does not list those of band 1, which begins with 0"}));
  auto short_stride = good;
  short_stride.stride = 49;
  EXPECT_TRUE(refused(short_stride, {"stride is 49", "num_rows = 50"}));
  auto negative = good;
  negative.num_cols = -1;
  EXPECT_TRUE(refused(negative, {"negative size 50 x -1"}));
}

}  // namespace
}  // namespace einkorn::test
