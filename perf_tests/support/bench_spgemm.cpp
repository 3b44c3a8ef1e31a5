// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/high_water.hpp"
#include "support/matrices.hpp"
#include "support/progress.hpp"
#include "support/spgemm.hpp"
#include "support/timing.hpp"
#include "support/verify.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/transpose.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace einkorn::perf {

namespace {

using Vector = Kokkos::View<double*, Device>;

template <class Offsets, class Columns, class Values>
struct RowSums {
  Offsets offsets;
  Columns columns;
  Values values;
  Kokkos::View<double const*, Device> x;
  Vector y;
  bool absolute;

  KOKKOS_FUNCTION void operator()(std::size_t row) const {
    double sum = 0.0;
    for (auto k = offsets(row); k < offsets(row + 1); ++k) {
      double const product = values(k) * x(columns(k));
      sum += absolute ? Kokkos::fabs(product) : product;
    }
    y(row) = sum;
  }
};

/// M x or, if `absolute`, |M||x|.
template <class Offsets, class Columns, class Values>
Vector times(Exec const& exec, Offsets const& offsets, Columns const& columns, Values const& values,
             Kokkos::View<double const*, Device> const& x, bool absolute) {
  std::size_t const rows = offsets.extent(0) - 1;
  Vector const y("einkorn::perf::y", rows);
  Kokkos::parallel_for("einkorn::perf::reference",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, rows),
                       RowSums<Offsets, Columns, Values>{offsets, columns, values, x, y, absolute});
  return y;
}

/// The largest |y - expected| / scale; infinity for a NaN, or if scale is 0 and they differ.
struct MaxRelativeError {
  Vector y, expected, scale;
  KOKKOS_FUNCTION void operator()(std::size_t i, double& worst) const {
    double const error = Kokkos::fabs(y(i) - expected(i));
    double const relative = error == 0.0 ? 0.0 : error / scale(i);
    if (!(relative <= worst))
      worst = relative == relative ? relative : Kokkos::Experimental::infinity_v<double>;
  }
};

/// Freivalds' check: compares C x with A (B x), which is computed once for all rows.
class Freivalds {
 public:
  explicit Freivalds(SpgemmBench const& bench) : exec_(bench.exec) {
    DenseVector<double> const x("einkorn::perf::x", static_cast<std::size_t>(bench.B.num_cols));
    fill_by_hash(exec_, x);
    x_ = x;
    auto const multiply = [&](Csr<double, int, int, Device> const& M, auto const& v, bool absolute) {
      return times(exec_, M.row_offsets, M.columns, M.values, v, absolute);
    };
    expected_ = multiply(bench.A, multiply(bench.B, x_, false), false);
    scale_ = multiply(bench.A, multiply(bench.B, x_, true), true);
  }
  [[nodiscard]] double worst(ProductView const& C) const {
    auto const y = times(exec_, C.row_offsets, C.columns, C.values, x_, false);
    double worst = 0.0;
    Kokkos::parallel_reduce("einkorn::perf::deviation",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec_, 0, y.extent(0)),
                            MaxRelativeError{y, expected_, scale_}, Kokkos::Max<double>(worst));
    return worst;
  }

 private:
  Exec exec_;
  Kokkos::View<double const*, Device> x_;
  Vector expected_, scale_;
};

void refuse(SpgemmResult& result, std::string const& reason) {
  auto& row = result.row;
  if (row.release) row.release();
  row.whole = row.symbolic = row.numeric = nullptr;
  row.refusal = reason;
}

template <class Work>
void run_or_refuse(SpgemmResult& result, Work const& work) {
  try {
    work();
  } catch (std::exception const& failure) {
    refuse(result, failure.what());
  }
}

/// Two sums of up to 10^5 products in any order: far above rounding, far below a missing product.
constexpr double max_deviation = 1e-11;

void check(SpgemmBench const& bench, SpgemmTable& table, bool verify) {
  Freivalds const freivalds(bench);
  for (auto& result : table.results) {
    auto& row = result.row;
    if (!row.whole) continue;
    run_or_refuse(result, [&] {
      std::size_t const peak = high_water_of(row.whole);
      auto const C = row.result();
      std::size_t const bytes_of_C = C.row_offsets.extent(0) * row.offset_bytes + C.columns.extent(0) * 12;
      if (row.allocates_through_kokkos) result.high_water = peak - std::min(peak, bytes_of_C);
      if (verify) {
        double error = freivalds.worst(C);
        if (row.numeric) {
          row.numeric();
          error = std::max(error, freivalds.worst(row.result()));
        }
        result.error = error;
        result.wrong = !(error <= max_deviation) || C.columns.extent(0) != bench.entries;
        if (result.wrong)
          return refuse(result, "relative error " + std::to_string(error) + ", " +
                                    std::to_string(C.columns.extent(0)) + " entries");
      }
      row.release();
    });
  }
}

struct Samples {
  std::vector<double> whole, symbolic, numeric;
};

/// The first run is not measured, so that the time does not include the release of memory of the previous row.
void time_once(Exec const& exec, SpgemmRow const& row, Samples& samples) {
  row.whole();
  row.release();
  samples.whole.push_back(wall_seconds_of(exec, row.whole));
  if (row.numeric) samples.numeric.push_back(wall_seconds_of(exec, row.numeric));
  row.release();
  if (row.symbolic) samples.symbolic.push_back(wall_seconds_of(exec, row.symbolic));
  row.release();
}

}  // namespace

void SpgemmBench::add(SpgemmRow row, std::function<void(SpgemmRow&)> const& build) {
  try {
    build(row);
  } catch (std::exception const& failure) {
    row.whole = row.symbolic = row.numeric = nullptr;
    row.refusal = failure.what();
  }
  rows.push_back(std::move(row));
}

SpgemmTable bench_spgemm(Exec const& exec, std::string const& name, bool with_transpose,
                         Selection const& selection, MeasureOptions const& measuring, bool verify) {
  progress::stage(name, "reading or generating");
  SpgemmBench bench;
  bench.exec = exec;
  bench.selection = selection;
  bench.A = load_matrix<double, int, int>(exec, name);
  require<InvalidArgument>(with_transpose || bench.A.num_rows == bench.A.num_cols,
                           "A A needs a square matrix; --spgemm AAT multiplies with the transpose");
  bench.B = with_transpose ? transpose(exec, bench.A).matrix : bench.A;
  add_einkorn_spgemm(bench);
  if (selection.peers) {
    add_kokkos_kernels_spgemm(bench);
    add_cusparse_spgemm(bench);
    add_eigen_spgemm(bench);
  }
  SpgemmTable table;
  table.matrix = name;
  table.product = with_transpose ? "A A^T" : "A A";
  table.rows = static_cast<std::size_t>(bench.A.num_rows);
  table.cols = static_cast<std::size_t>(bench.A.num_cols);
  table.nnz = static_cast<std::size_t>(bench.A.nnz());
  table.products = bench.products;
  table.entries = bench.entries;
  table.rounds = measuring.rounds;
  for (auto& row : bench.rows) {
    table.results.emplace_back();
    table.results.back().row = std::move(row);
  }
  progress::stage(name, "checking");
  check(bench, table, verify);
  progress::stage(name, "measuring");
  std::vector<Samples> samples(table.results.size());
  for (int round = 0; round < measuring.rounds; ++round) {
    progress::step(round, measuring.rounds);
    for (std::size_t i = 0; i < samples.size(); ++i)
      if (table.results[i].row.whole)
        run_or_refuse(table.results[i], [&] { time_once(exec, table.results[i].row, samples[i]); });
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    auto& result = table.results[i];
    if (!result.row.whole) continue;
    result.whole = median(samples[i].whole);
    result.spread = spread(samples[i].whole);
    if (!samples[i].symbolic.empty()) result.symbolic = median(samples[i].symbolic);
    if (!samples[i].numeric.empty()) result.numeric = median(samples[i].numeric);
    result.row.whole = result.row.symbolic = result.row.numeric = nullptr;  // frees the matrices
  }
  return table;
}

}  // namespace einkorn::perf
