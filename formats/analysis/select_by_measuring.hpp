// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/formats/analysis/detail/measure_formats.hpp>
#include <einkorn/formats/analysis/detail/measuring.hpp>
#include <einkorn/formats/analysis/effort.hpp>
#include <einkorn/formats/analysis/plan_by_measuring.hpp>
#include <einkorn/formats/analysis/planning_options.hpp>
#include <einkorn/formats/analysis/select.hpp>
#include <einkorn/formats/analysis/structure_class.hpp>
#include <einkorn/formats/analysis/wisdom.hpp>
#include <einkorn/formats/any_matrix.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_options.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace einkorn {

namespace detail {

/// The options of the plan of CSR among the candidates of select().
inline SpmvPlanningOptions csr_planning(PlanningOptions const& options) {
  return {.effort = options.effort,
          .max_seconds = options.max_seconds / 2,
          .uses = options.uses,
          .wisdom = options.wisdom};
}

}  // namespace detail

/// The format that minimizes the time of the conversion and `uses` SpMVs with A.
///
/// Effort::estimate is select(exec, A, uses, {fill_limit}) (select.hpp): nothing is converted or timed.
/// Effort::measure times CSR and the formats whose estimated time, conversion included, is within `margin` of
/// the smallest. Effort::exhaustive times all formats of the list that the model does not refuse, those without
/// a model included. Formats are converted to one at a time and timed on vectors allocated here. The plan of CSR is
/// chosen by the same effort (plan_by_measuring.hpp) in at most half of the time, and Selection has its algorithm.
///
/// A format is measured only if it is expected to be done within max_seconds, the most promising first; the
/// others keep their estimate, scaled by the measured time of CSR. Formats whose times on this machine and for
/// this class of matrices (structure_class()) are in `wisdom` are not measured again, and new times are added
/// to it. If nothing remains to be measured, Selection::reason contains "(from wisdom)".
///
/// @tparam VectorScalar  scalar of x and y; void: that of A
/// @tparam Formats       formats to compare, CSR among them (format_list.hpp)
/// @param A  num_rows x num_cols, of any shape; not validated
/// @throws InvalidArgument (uses, max_seconds, margin, effort), what select() throws and, unless the effort is
///         estimate, what the SpMV of CSR throws
///
/// A format whose conversion throws (FillLimit, OutOfMemory) is refused with that reason. Cost: that of
/// select(); to measure, two conversions and some SpMVs per format, and the memory of one more format at a time
/// and of two vectors. Deterministic with Effort::estimate and with times from wisdom; measured times, and so
/// the choice, vary between runs.
template <class VectorScalar = void, class Formats = BuiltInFormats, ExecutionSpace Exec, class Scalar,
          class Ordinal, class Offset, class Device>
Selection select(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                 PlanningOptions const& options) {
  using V = VectorScalarOr<VectorScalar, Scalar>;
  detail::check_measuring("select", options.effort, options.uses, options.max_seconds);
  require<InvalidArgument>(options.margin >= 1, [&] {
    return "select: margin is " + std::to_string(options.margin) + ", expected 1 or more";
  });
  auto const estimated = select<V, Formats>(exec, A, options.uses, {.fill_limit = options.fill_limit});
  if (options.effort == Effort::estimate) return estimated;
  using Vector = Kokkos::View<V*, Device>;
  Vector x, y;  // allocated for the first format that is measured
  SpmvOptions csr{.algorithm = SpmvAlgorithm::automatic};
  auto const measure = [&](FormatName format) {
    if (x.extent(0) == 0 && y.extent(0) == 0) {
      x = allocate<Vector>(exec, "einkorn::select::x", static_cast<std::size_t>(A.num_cols));
      y = allocate<Vector>(exec, "einkorn::select::y", static_cast<std::size_t>(A.num_rows));
      detail::fill_for_timing(exec, x);
    }
    if (format == FormatName::csr) {
      auto const plan = make_spmv_plan<V>(exec, A, detail::csr_planning(options), Checks::off);
      csr.algorithm = plan.algorithm();
      csr.lanes = plan.lanes();
      using Sum = typename std::decay_t<decltype(plan)>::Sum;
      return detail::measure_candidate(
          exec, [&] { return &plan; }, [&](auto const* p) { spmv(exec, *p, Sum(1), x, Sum(0), y); }, true);
    }
    auto const convert = [&] {
      return make_any_matrix<V, Formats>(exec, A, format,
                                         {.fill_limit = options.fill_limit, .checks = Checks::off});
    };
    return detail::measure_candidate(
        exec, convert, [&](auto const& F) { spmv(exec, V(1), F, x, V(0), y); },
        is_built_in(format));  // a custom product may fence
  };
  std::string const matrix_class = "format " + detail::wisdom_types<Scalar, Ordinal, Offset, V>() +
                                   detail::formatted(" fill_limit=%.3g", options.fill_limit) +
                                   " formats=" + Formats::names(",") + ' ' +
                                   structure_class(estimated.structure);
  auto choice =
      detail::measure_formats<Formats>(estimated, options, wisdom_machine(exec), matrix_class, measure);
  choice.csr_algorithm = csr.algorithm;
  choice.csr_lanes = csr.lanes;
  return choice;
}

/// The same for a KokkosSparse::CrsMatrix.
template <class VectorScalar = void, class Formats = BuiltInFormats, ExecutionSpace Exec, CrsMatrixLike Matrix>
Selection select(Exec const& exec, Matrix const& A, PlanningOptions const& options) {
  return select<VectorScalar, Formats>(exec, as_csr(A), options);
}

/// As select() with Effort::measure and without a time limit.
///
/// @param uses    number of SpMVs, more than 0; infinity: the conversion does not count
/// @param margin  ratio of estimated times up to which a format is measured, 1 or more
template <class VectorScalar = void, class Formats = BuiltInFormats, ExecutionSpace Exec, class Scalar,
          class Ordinal, class Offset, class Device>
Selection select_by_measuring(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                              double uses = std::numeric_limits<double>::infinity(),
                              SelectOptions const& options = {}, double margin = 2.0) {
  return select<VectorScalar, Formats>(exec, A,
                                       PlanningOptions{.effort = Effort::measure,
                                                       .max_seconds = std::numeric_limits<double>::infinity(),
                                                       .uses = uses,
                                                       .fill_limit = options.fill_limit,
                                                       .margin = margin});
}

/// A in the format that select(exec, A, planning) chooses, with its plan: for CSR the one that was the fastest.
///
/// @param options  fill_limit is that of `planning`
/// @throws as select() and make_any_matrix(exec, A, format, options)
///
/// Cost: that of select() and of one more conversion.
template <class VectorScalar = void, class Formats = BuiltInFormats, ExecutionSpace Exec, class Scalar,
          class Ordinal, class Offset, class Device>
BasicAnyMatrix<Formats, std::remove_const_t<Scalar>, Ordinal, Offset, Device,
               VectorScalarOr<VectorScalar, Scalar>>
make_any_matrix(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                PlanningOptions const& planning, AnyMatrixOptions options = {}) {
  options.fill_limit = planning.fill_limit;
  auto const choice = select<VectorScalar, Formats>(exec, A, planning);
  if (choice.format == FormatName::csr && planning.effort != Effort::estimate) {
    using V = VectorScalarOr<VectorScalar, Scalar>;
    using Result = BasicAnyMatrix<Formats, std::remove_const_t<Scalar>, Ordinal, Offset, Device, V>;
    if (choice.csr_algorithm == SpmvAlgorithm::automatic)  // the times of the formats are from wisdom
      return Result(make_spmv_plan<V>(exec, A, detail::csr_planning(planning), options.checks));
    auto plan = make_spmv_plan<V>(
        exec, A, SpmvOptions{.algorithm = choice.csr_algorithm, .lanes = choice.csr_lanes}, options.checks);
    plan.set_automatic();
    return Result(std::move(plan));
  }
  return make_any_matrix<VectorScalar, Formats>(exec, A, choice.format, options);
}

/// The same for a KokkosSparse::CrsMatrix.
template <class VectorScalar = void, class Formats = BuiltInFormats, ExecutionSpace Exec, CrsMatrixLike Matrix>
auto make_any_matrix(Exec const& exec, Matrix const& A, PlanningOptions const& planning,
                     AnyMatrixOptions const& options = {}) {
  return make_any_matrix<VectorScalar, Formats>(exec, as_csr(A), planning, options);
}

}  // namespace einkorn
