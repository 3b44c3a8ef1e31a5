// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/mix64.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/generate/generate.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace einkorn::test {

using Space = EINKORN_TEST_SPACE;

/// A generated matrix, validated on the device and copied to the host, row by row.
template <class Scalar>
struct Generated {
  struct Row {
    std::vector<std::int64_t> columns;
    std::vector<Scalar> values;
  };
  std::int64_t num_cols = 0;
  std::vector<Row> rows;

  [[nodiscard]] std::int64_t num_rows() const { return static_cast<std::int64_t>(rows.size()); }
  [[nodiscard]] Row const& row(std::int64_t i) const { return rows[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::size_t nnz() const {
    std::size_t sum = 0;
    for (auto const& row : rows) sum += row.columns.size();
    return sum;
  }
  [[nodiscard]] double mean_length() const { return double(nnz()) / double(rows.size()); }
  /// The value at (i, j), or zero.
  [[nodiscard]] Scalar at(std::int64_t i, std::int64_t j) const {
    for (std::size_t k = 0; k < row(i).columns.size(); ++k)
      if (row(i).columns[k] == j) return row(i).values[k];
    return Scalar(0);
  }
};

template <class Scalar = double, class Ordinal = int, class Offset = int>
Generated<Scalar> generated(std::string_view spec) {
  Space const exec;
  auto const A = generate<Scalar, Ordinal, Offset, Space::device_type>(exec, spec);
  validate(exec, A);
  exec.fence();
  auto const offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_offsets);
  auto const columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.columns);
  auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.values);
  Generated<Scalar> result;
  result.num_cols = A.num_cols;
  result.rows.resize(static_cast<std::size_t>(A.num_rows));
  for (std::size_t i = 0; i < result.rows.size(); ++i)
    for (auto k = static_cast<std::size_t>(offsets(i)); k < static_cast<std::size_t>(offsets(i + 1)); ++k) {
      result.rows[i].columns.push_back(columns(k));
      result.rows[i].values.push_back(values(k));
    }
  return result;
}

/// A number that changes with every column and every bit of every value.
inline std::uint64_t digest(Generated<double> const& A) {
  std::uint64_t sum = detail::mix64(static_cast<std::uint64_t>(A.num_cols));
  for (auto const& row : A.rows) {
    sum = detail::mix64(sum + row.columns.size());
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      sum = detail::mix64(sum ^ static_cast<std::uint64_t>(row.columns[k]));
      sum = detail::mix64(sum ^ std::bit_cast<std::uint64_t>(row.values[k]));
    }
  }
  return sum;
}

/// Small matrices of every kind: positive definite ones, others.
inline std::vector<std::string> definite_specs() {
  return {"gen:stencil5:7x5",    "gen:stencil5:1",      "gen:stencil9:6x4", "gen:stencil7:5x4x3",
          "gen:stencil27:4x5x3", "gen:stencil27:1x1x9", "gen:elasticity:3", "gen:band:50:7",
          "gen:band:4:7",        "gen:band:1:1",        "gen:band:300:101"};
}
inline std::vector<std::string> general_specs() {
  return {"gen:bands:100:5:7",
          "gen:bands:101:4:6",
          "gen:stripes:103:4:9",
          "gen:stripes:2:1:1",
          "gen:rmat:8",
          "gen:rmat:1:3",
          "gen:powerlaw:500:6",
          "gen:powerlaw:40:1",
          "gen:circuit:9000",
          "gen:circuit:1",
          "gen:circuit:100",
          "gen:longrows:3:5000:4001",
          "gen:longrows:5:7:7",
          "gen:blocks:60:3",
          "gen:blocks:100:7",
          "gen:blocks:5:5",
          "gen:rmat:6:8:45:15:15",
          "gen:surrogate:dense:1",
          "gen:surrogate:dc2:1",
          "gen:surrogate:cant:1",
          "gen:surrogate:webbase-1M:1",
          "gen:surrogate:rail4284:1",
          "gen:surrogate:mc2depi:1",
          "gen:twin:mc2depi:1"};
}
inline std::vector<std::string> all_specs() {
  auto specs = definite_specs();
  for (auto const& spec : general_specs()) specs.push_back(spec);
  return specs;
}

}  // namespace einkorn::test
