// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/battery.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>

#include <string>
#include <vector>

namespace einkorn::test {

/// Options of an SpMV with a Csr, with or without a plan.
struct Approach {
  std::string name;
  SpmvOptions options;
  bool planned = false;
};

/// Every algorithm with every number of lanes for op(A) = A; plan-free and planned.
inline std::vector<Approach> all_approaches() {
  std::vector<Approach> all{
      {"automatic", {}, false},
      {"row_thread", {.algorithm = SpmvAlgorithm::row_thread}, false},
      {"plan, automatic", {}, true},
      {"plan, row_thread", {.algorithm = SpmvAlgorithm::row_thread}, true},
      {"plan, sorted_rows", {.algorithm = SpmvAlgorithm::sorted_rows}, true},
      {"plan, sorted_rows, 16 lanes", {.algorithm = SpmvAlgorithm::sorted_rows, .lanes = 16}, true},
      {"plan, row_bins", {.algorithm = SpmvAlgorithm::row_bins}, true},
      {"plan, row_bins of 8", {.algorithm = SpmvAlgorithm::row_bins, .lanes = 8}, true},
      {"plan, segmented_sum", {.algorithm = SpmvAlgorithm::segmented_sum}, true},
      {"plan, nonzero_split", {.algorithm = SpmvAlgorithm::nonzero_split}, true}};
  for (int const lanes : {0, 2, 4, 8, 16, 32, 64})
    for (bool const planned : {false, true})
      if (!planned || lanes == 0 || lanes == 16)
        all.push_back({(planned ? "plan, row_team of " : "row_team of ") + std::to_string(lanes),
                       {.algorithm = SpmvAlgorithm::row_team, .lanes = lanes},
                       planned});
  return all;
}

/// The approaches for op: with a plan, and for a transpose also with atomics.
inline std::vector<Approach> approaches_to(Op op) {
  std::vector<Approach> all{
      {"plan, automatic", {.op = op}, true},
      {"plan, row_team of 4", {.op = op, .algorithm = SpmvAlgorithm::row_team, .lanes = 4}, true},
      {"plan, row_thread", {.op = op, .algorithm = SpmvAlgorithm::row_thread}, true},
      {"plan, sorted_rows", {.op = op, .algorithm = SpmvAlgorithm::sorted_rows}, true},
      {"plan, row_bins", {.op = op, .algorithm = SpmvAlgorithm::row_bins}, true},
      {"plan, segmented_sum", {.op = op, .algorithm = SpmvAlgorithm::segmented_sum}, true},
      {"plan, nonzero_split", {.op = op, .algorithm = SpmvAlgorithm::nonzero_split}, true}};
  if (is_transposed(op)) {
    all.push_back({"atomic_scatter", {.op = op, .algorithm = SpmvAlgorithm::atomic_scatter}, false});
    all.push_back({"plan, atomic_scatter", {.op = op, .algorithm = SpmvAlgorithm::atomic_scatter}, true});
  } else {
    all.push_back({"automatic", {.op = op}, false});
    all.push_back({"row_team of 16", {.op = op, .algorithm = SpmvAlgorithm::row_team, .lanes = 16}, false});
  }
  return all;
}

/// An SpMV with one matrix by one approach; the plan, if any, is made once.
template <class Matrix, class VectorScalar>
class Multiply {
 public:
  Multiply(Matrix const& A, Approach const& approach)
      : A_(A), approach_(approach), plan_(make_spmv_plan<VectorScalar>(Space(), A, plan_options(approach))) {}

  template <class Sum, class X, class Y>
  void operator()(Sum alpha, X const& x, Sum beta, Y const& y) const {
    if (approach_.planned)
      spmv(Space(), plan_, alpha, x, beta, y);
    else
      spmv(Space(), alpha, A_, x, beta, y, approach_.options);
  }

 private:
  static SpmvOptions plan_options(Approach const& approach) {
    return approach.planned ? approach.options : SpmvOptions{.algorithm = SpmvAlgorithm::row_thread};
  }

  Matrix A_;
  Approach approach_;
  decltype(make_spmv_plan<VectorScalar>(Space(), Matrix())) plan_;
};

}  // namespace einkorn::test
