// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/battery.hpp"
#include "../support/oracle.hpp"

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/spgemm/options.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <map>
#include <vector>

namespace einkorn::test {

/// The algorithms of this space: row_teams everywhere (with SpgemmTeamOptions), host_rows on the host only.
inline std::vector<SpgemmAlgorithm> algorithms() {
  if (is_gpu<Space>) return {SpgemmAlgorithm::row_teams};
  return {SpgemmAlgorithm::row_teams, SpgemmAlgorithm::host_rows};
}

/// One entry of C = A B in long double: its sum, the sum of the products' moduli, their number.
template <class S>
struct ProductEntry {
  Wide<S> sum{};
  long double moduli = 0;
  std::size_t products = 0;
};

/// The reference product: one map per row.
template <class S, class HostA, class HostB>
std::vector<std::map<std::size_t, ProductEntry<S>>> product_rows(HostA const& A, HostB const& B) {
  std::vector<std::map<std::size_t, ProductEntry<S>>> rows(A.rows());
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i); k < A.end(i); ++k)
      for (auto l = B.begin(A.column(k)); l < B.end(A.column(k)); ++l) {
        auto& entry = rows[i][B.column(l)];
        auto const a = widen<S>(A.values[k]), b = widen<S>(B.values[l]);
        entry.sum += product(a, b);
        entry.moduli += modulus(a) * modulus(b);
        ++entry.products;
      }
  return rows;
}

template <class HostA, class HostB>
std::size_t count_products(HostA const& A, HostB const& B) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < A.nnz(); ++k) count += B.end(A.column(k)) - B.begin(A.column(k));
  return count;
}

/// C has the columns of A B, ascending, and its values within the bound of a sum of n products in any order,
/// (n + 1) eps / 2 of the moduli to first order, taken twice (near.hpp); `exact`: to the last bit.
template <class HostC, class HostA, class HostB>
testing::AssertionResult is_product(HostC const& C, HostA const& A, HostB const& B, bool exact) {
  using S = typename HostC::Scalar;
  auto const rows = product_rows<S>(A, B);
  if (C.rows() != A.rows() || C.cols() != B.cols())
    return testing::AssertionFailure() << "C is " << C.num_rows << " x " << C.num_cols;
  if (C.columns.size() != C.nnz() || static_cast<std::size_t>(C.offsets.back()) != C.nnz())
    return testing::AssertionFailure() << "offsets, columns and values do not fit";
  for (std::size_t i = 0; i < C.rows(); ++i) {
    if (C.end(i) - C.begin(i) != rows[i].size())
      return testing::AssertionFailure()
             << "row " << i << " has " << C.end(i) - C.begin(i) << " entries, expected " << rows[i].size();
    auto p = C.begin(i);
    for (auto const& [column, want] : rows[i]) {
      if (C.column(p) != column)
        return testing::AssertionFailure()
               << "row " << i << " has column " << C.column(p) << ", expected " << column;
      long double const c = is_complex<S> ? 3 : 1;
      auto const bound = c * static_cast<long double>(want.products + 1) *
                         std::numeric_limits<real_type<S>>::epsilon() * want.moduli;
      auto const error = modulus(widen<S>(C.values[p]) - want.sum);
      if (!(error <= (exact ? 0.0L : bound)))
        return testing::AssertionFailure() << "C(" << i << ", " << column << ") is " << C.values[p]
                                           << ", off by " << error << ", allowed " << bound;
      ++p;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace einkorn::test
