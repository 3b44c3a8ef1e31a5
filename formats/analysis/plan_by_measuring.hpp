// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/analysis/detail/measure_spmv.hpp>
#include <einkorn/formats/analysis/detail/measuring.hpp>
#include <einkorn/formats/analysis/effort.hpp>
#include <einkorn/formats/analysis/structure_class.hpp>
#include <einkorn/formats/analysis/wisdom.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_options.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace einkorn {

/// An Effort without a default, so that make_spmv_plan(exec, A, {}) has the options of csr/spmv_plan.hpp.
class RequiredEffort {
 public:
  constexpr RequiredEffort(Effort effort) : effort_(effort) {}
  constexpr operator Effort() const { return effort_; }

 private:
  Effort effort_;
};

/// How make_spmv_plan() chooses the algorithm of a plan for a Csr.
struct SpmvPlanningOptions {
  Op op = Op::none;
  int columns = 0;  ///< SpmvOptions::columns
  RequiredEffort effort;
  double max_seconds = 1;  ///< of measuring; the estimated algorithm is measured in any case
  double uses = std::numeric_limits<double>::infinity();  ///< SpMVs that share the time of making the plan
  Wisdom* wisdom = nullptr;  ///< times of earlier calls, to which those of this call are added; may be null
};

namespace detail {

/// The key of wisdom for the algorithms of a matrix (structure_class() without what only formats need).
template <class Ordinal, class Offset>
std::string row_lengths_class(einkorn::RowLengths<Ordinal, Offset> const& lengths, std::size_t num_cols) {
  auto const bits = [](auto count) { return bits_of(static_cast<std::int64_t>(count)); };
  double const rows = std::fmax(static_cast<double>(lengths.num_rows), 1.0);
  auto const empty_eighths = std::lround(8 * static_cast<double>(lengths.empty_rows) / rows);
  return "rows=" + bits(lengths.num_rows) + " cols=" + bits(num_cols) + " nnz=" + bits(lengths.entries) +
         " longest=" + bits(lengths.longest) + " empty=" + std::to_string(empty_eighths);
}

}  // namespace detail

/// Prepares repeated spmv(exec, plan, alpha, x, beta, y) with an algorithm chosen by `effort`.
///
/// Effort::estimate is make_spmv_plan(exec, A, {op, columns}) with SpmvAlgorithm::automatic. Effort::measure
/// times the algorithms that are likely to be fastest, Effort::exhaustive all deterministic ones and numbers of
/// lanes (detail::spmv_candidates()); on the host both are row_team, segmented_sum and row_thread. The choice
/// minimizes (time of making the plan) / uses + (time of an SpMV with one vector).
///
/// Algorithms whose times on this machine, for the same types, op and class of row lengths are in `wisdom` are
/// not measured again, and new times are added to it. algorithm() and lanes() of the plan state the choice.
///
/// @tparam VectorScalar  scalar of x and y; void: that of A
/// @param A  as for make_spmv_plan(exec, A, SpmvOptions)
/// @throws InvalidArgument (effort, uses, max_seconds), and what make_spmv_plan() and spmv() throw
///
/// Cost: one plan; to measure, two plans and some SpMVs per algorithm, one more plan if the choice is not the
/// estimated one, and the memory of one more plan at a time and of two vectors. Fences exec. Deterministic with
/// Effort::estimate and with times from wisdom. Measured times vary, and so may the algorithm and the rounding
/// of y; spmv() with one plan is deterministic.
template <class VectorScalar = void, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset,
          class Device>
auto make_spmv_plan(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                    SpmvPlanningOptions const& options, Checks checks = Checks::on) {
  using V = VectorScalarOr<VectorScalar, Scalar>;
  using Value = std::remove_const_t<Scalar>;
  using Matrix = Csr<Value const, Ordinal, Offset, Device>;
  using Sum = typename SpmvPlan<Csr<Value, Ordinal, Offset, Device>, V>::Sum;
  using Vector = Kokkos::View<V*, Device>;
  detail::check_measuring("make_spmv_plan", options.effort, options.uses, options.max_seconds);
  SpmvOptions const automatic{.op = options.op, .columns = options.columns};
  auto plan = make_spmv_plan<V>(exec, A, automatic, checks);
  if (options.effort == Effort::estimate || plan.matrix().nnz() == 0) return plan;
  Matrix const op_of_A = plan.matrix();
  auto const x = allocate<Vector>(exec, "einkorn::plan::x", static_cast<std::size_t>(op_of_A.num_cols));
  auto const y = allocate<Vector>(exec, "einkorn::plan::y", static_cast<std::size_t>(op_of_A.num_rows));
  detail::fill_for_timing(exec, x);
  Op const conjugation = is_conjugated(options.op) ? Op::conjugate : Op::none;  // op_of_A is transposed
  auto const measure = [&](detail::SpmvCandidate const& candidate) {
    SpmvOptions const named{
        .op = conjugation, .algorithm = candidate.algorithm, .lanes = candidate.lanes, .columns = 0};
    return detail::measure_candidate(
        exec, [&] { return make_spmv_plan<V>(exec, op_of_A, named, Checks::off); },
        [&](auto const& candidate_plan) { spmv(exec, candidate_plan, Sum(1), x, Sum(0), y); }, true);
  };
  std::string const matrix_class = "csr " + detail::wisdom_types<Scalar, Ordinal, Offset, V>() +
                                   " op=" + std::to_string(static_cast<int>(options.op)) + ' ' +
                                   detail::row_lengths_class(plan.row_lengths(), x.extent(0));
  auto const best = detail::measure_spmv(plan.algorithm(), arch_of<Exec>,
                                         {options.effort, options.max_seconds, options.uses, options.wisdom},
                                         wisdom_machine(exec), matrix_class, measure);
  if (best == detail::SpmvCandidate{plan.algorithm()}) return plan;
  plan = make_spmv_plan<V>(
      exec, A, {.op = options.op, .algorithm = best.algorithm, .lanes = best.lanes, .columns = options.columns},
      Checks::off);
  plan.set_automatic();
  return plan;
}

/// The same for a KokkosSparse::CrsMatrix.
template <class VectorScalar = void, ExecutionSpace Exec, CrsMatrixLike Matrix>
auto make_spmv_plan(Exec const& exec, Matrix const& A, SpmvPlanningOptions const& options,
                    Checks checks = Checks::on) {
  return make_spmv_plan<VectorScalar>(exec, as_csr(A), options, checks);
}

}  // namespace einkorn
