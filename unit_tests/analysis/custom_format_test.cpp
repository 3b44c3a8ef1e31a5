// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// A format defined outside the library: AnyMatrix, select() and CG use it through FormatTraits and a FormatList.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"

#include <einkorn/formats/analysis/select_by_measuring.hpp>
#include <einkorn/formats/any_matrix.hpp>
#include <einkorn/solvers/cg.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace einkorn {
namespace custom {

/// The diagonal of a square matrix that has no other entries.
template <class Scalar, class Ordinal, class Offset, class Device>
struct MainDiagonal {
  using scalar_type = Scalar;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;
  static constexpr bool needs_no_workspace = true;

  Ordinal num_rows = 0, num_cols = 0;
  Kokkos::View<Scalar*, Device> values;  // [num_rows]

  [[nodiscard]] KOKKOS_FUNCTION Offset nnz() const { return static_cast<Offset>(num_rows); }
};

template <class Values, class X, class Y, class Sum>
struct MultiplyDiagonal {
  Values values;
  X x;
  Y y;
  Sum alpha, beta;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    y(i) = beta == Sum(0) ? alpha * values(i) * x(i) : alpha * values(i) * x(i) + beta * y(i);
  }
};

template <class Matrix, class Values>
struct CopyValues {
  Matrix A;
  Values values;

  KOKKOS_FUNCTION void operator()(int row) const {
    for (auto k = A.row_begin(row); k < A.row_end(row); ++k)
      if (A.columns(k) == row) values(static_cast<std::size_t>(row)) = A.values(k);
  }
};

template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires(SpmvOperands<Exec, MainDiagonal<Scalar, Ordinal, Offset, Device>, X, Y> && X::rank() == 1)
void spmv(Exec const& exec, SpmvSum<MainDiagonal<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          MainDiagonal<Scalar, Ordinal, Offset, Device> const& F, X const& x,
          SpmvSum<MainDiagonal<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y) {
  Kokkos::parallel_for(
      "main_diagonal", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, F.values.extent(0)),
      MultiplyDiagonal<decltype(F.values), X, Y, decltype(alpha)>{F.values, x, y, alpha, beta});
}

template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class Given>
void update_values(Exec const& exec, MainDiagonal<Scalar, Ordinal, Offset, Device> const& F,
                   Csr<Given, Ordinal, Offset, Device> const& A, Checks = Checks::on) {
  using Matrix = Csr<Given, Ordinal, Offset, Device>;
  Kokkos::parallel_for("main_diagonal", Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, A.num_rows),
                       CopyValues<Matrix, decltype(F.values)>{A, F.values});
}

template <class Index>
struct Count {
  Kokkos::View<Index*, einkorn::test::Device> to;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { to(i) = static_cast<Index>(i); }
};

template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<Scalar const, Ordinal, Offset, Device> to_csr(Exec const& exec,
                                                  MainDiagonal<Scalar, Ordinal, Offset, Device> const& F) {
  auto const n = static_cast<std::size_t>(F.num_rows);
  Kokkos::View<Offset*, Device> const row_offsets("row_offsets", n + 1);
  Kokkos::View<Ordinal*, Device> const columns("columns", n);
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;
  Kokkos::parallel_for("main_diagonal", Policy(exec, 0, n + 1), Count<Offset>{row_offsets});
  Kokkos::parallel_for("main_diagonal", Policy(exec, 0, n), Count<Ordinal>{columns});
  return {F.num_rows, F.num_cols, row_offsets, columns, F.values};
}

}  // namespace custom

template <>
struct FromCsr<custom::MainDiagonal> {
  struct Options {};

  template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
  static auto make(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, Options const&) {
    custom::MainDiagonal<std::remove_const_t<Scalar>, Ordinal, Offset, Device> F;
    F.num_rows = A.num_rows;
    F.num_cols = A.num_cols;
    F.values = decltype(F.values)("main diagonal", static_cast<std::size_t>(A.num_rows));
    update_values(exec, F, A);
    exec.fence();
    return F;
  }
};

template <>
struct FormatTraits<custom::MainDiagonal> {
  static constexpr FormatName format = FormatName(first_custom_format);
  static_assert(!is_built_in(format) && is_built_in(FormatName::brcv));
  static constexpr char const* name = "main_diagonal";
  static constexpr bool has_fused_apply = false;

  static FormatEstimate estimate(EstimateInput const& in) {
    FormatEstimate e;
    e.matrix_bytes = in.rows() * in.scalar();
    e.basis = "the main diagonal only";
    e.model = {1.5, 1, 1};  // more than any format of the library, so that select() chooses it
    bool const applies = in.structure.num_diagonals == 1 && in.structure.lower_bandwidth == 0 &&
                         in.structure.upper_bandwidth == 0 && in.structure.num_rows == in.structure.num_cols;
    e.fill = applies ? 1 : std::numeric_limits<double>::infinity();
    return e;
  }
};

namespace test {
namespace {

using custom::MainDiagonal;
/// Compared by select(). The matrices below are of a shorter list, which compiles faster.
using AllFormats = BuiltInFormats::With<MainDiagonal>;
using Formats = FormatList<Csr, Sell>::With<MainDiagonal>;
constexpr auto main_diagonal = FormatTraits<MainDiagonal>::format;

static_assert(AllFormats::size == BuiltInFormats::size + 1);
static_assert(std::variant_size_v<BasicAnyMatrix<AllFormats, double, int, int, Device, double>::Plans> ==
              AllFormats::size + 1);
static_assert(AllFormats::has_fused_apply(FormatName::sell) && !AllFormats::has_fused_apply(main_diagonal));

/// n x n, entry (i, i) = i % 7 + 1 + shift.
HostMatrix<double> diagonal_matrix(int n, double shift = 0) {
  HostMatrix<double> A{n, n, {0}, {}, {}};
  for (int i = 0; i < n; ++i) {
    A.offsets.push_back(i + 1);
    A.columns.push_back(i);
    A.values.push_back(i % 7 + 1 + shift);
  }
  return A;
}

template <class Matrix>
void expect_product(Matrix const& A, HostMatrix<double> const& host) {
  auto const x = numbers<double>(Numbers::integers, host.cols(), 2);
  auto const before = numbers<double>(Numbers::integers, host.rows(), 3);
  auto const y = to_device(before);
  spmv(Space(), 2.0, A, to_device(x), -1.0, y);
  EXPECT_TRUE(agrees(to_host(y), expected<double>(host, x, 2.0, -1.0), before, true));
}

TEST(CustomFormat, HasANameInItsList) {
  EXPECT_STREQ(name_of<AllFormats>(main_diagonal), "main_diagonal");
  EXPECT_EQ(format_of<AllFormats>("main_diagonal"), main_diagonal);
  EXPECT_STREQ(name_of<AllFormats>(FormatName::brcv), "brcv");
  EXPECT_STREQ(name_of(main_diagonal), "unknown");
  EXPECT_FALSE(format_of("main_diagonal").has_value());
}

TEST(CustomFormat, IsEstimatedBySelect) {
  auto const host = diagonal_matrix(is_gpu<Space> ? 4000000 : 50000);  // so that its bytes determine the time

  auto const choice = select<void, AllFormats>(Space(), host.on_device());

  EXPECT_EQ(choice.format, main_diagonal) << choice.reason;
  EXPECT_NE(choice.reason.find("main_diagonal: the main diagonal only"), std::string::npos) << choice.reason;
  EXPECT_EQ(choice.candidates.size(), select(Space(), host.on_device()).candidates.size() + 1);
}

TEST(CustomFormat, IsRefusedByItsEstimate) {
  auto const host = with_numbers<double>(random_pattern(500, 500, 3), Numbers::integers);
  auto const choice = select<void, AllFormats>(Space(), host.on_device());
  EXPECT_NE(choice.format, main_diagonal);
  EXPECT_EQ(choice.candidates.back().refused, true);
}

TEST(CustomFormat, IsMeasuredBySelectByMeasuring) {
  auto const choice = select_by_measuring<void, Formats>(Space(), diagonal_matrix(5000).on_device());
  auto const is_measured = [](Estimate const& e) { return e.format == main_diagonal && !e.refused; };
  EXPECT_TRUE(std::any_of(choice.candidates.begin(), choice.candidates.end(), is_measured));
}

TEST(CustomFormat, MultipliesInAnyMatrix) {
  auto const host = diagonal_matrix(100), newer = diagonal_matrix(100, 5);
  for (auto const format : Formats::formats()) {
    SCOPED_TRACE(name_of<Formats>(format));
    auto A = make_any_matrix<void, Formats>(Space(), host.on_device(), format);
    EXPECT_EQ(A.format(), format);
    EXPECT_EQ(A.nnz(), 100);
    expect_product(A, host);
    update_values(Space(), A, newer.on_device());
    expect_product(A, newer);
    expect_product(make_any_matrix<void, Formats>(Space(), to_csr(Space(), A), FormatName::csr), newer);
  }
}

TEST(CustomFormat, IsSolvedWithCg) {
  auto const host = diagonal_matrix(100);
  auto const A = make_any_matrix<void, Formats>(Space(), host.on_device(), main_diagonal);
  auto const b = to_device(std::vector<double>(100, 210.0));
  auto const x = to_device(std::vector<double>(100));

  auto const report = cg(Space(), A, b, x);

  EXPECT_TRUE(report.converged()) << name_of(report.outcome);
  EXPECT_LE(report.iterations, 8) << "7 distinct eigenvalues";
  auto const solution = to_host(x);
  for (std::size_t i = 0; i < solution.size(); ++i) EXPECT_NEAR(solution[i] * host.values[i], 210.0, 1e-4);
}

TEST(FormatList, RejectsAFormatThatIsNotInTheList) {
  auto const A = diagonal_matrix(4).on_device();
  EXPECT_TRUE(
      throws<InvalidArgument>([&] { (void)make_any_matrix<void, Formats>(Space(), A, FormatName::dia); },
                              {"format is 6", "csr, sell, main_diagonal"}));
}

}  // namespace
}  // namespace test
}  // namespace einkorn
