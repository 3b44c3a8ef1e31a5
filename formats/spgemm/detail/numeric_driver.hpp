// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/overlap.hpp>
#include <einkorn/formats/csr/detail/inspection.hpp>
#include <einkorn/formats/spgemm/choose.hpp>
#include <einkorn/formats/spgemm/detail/numeric_hash.hpp>
#include <einkorn/formats/spgemm/detail/numeric_host.hpp>
#include <einkorn/formats/spgemm/detail/numeric_scatter.hpp>
#include <einkorn/formats/spgemm/detail/state.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

namespace einkorn::detail {

/// A matrix with the pattern of the plan and uninitialized values.
template <class Exec, class State>
typename State::Matrix allocate_product(Exec const& exec, State const& plan) {
  using Values = std::remove_cvref_t<decltype(State::Matrix::values)>;
  return {plan.num_rows, plan.num_cols, plan.row_offsets, plan.columns,
          allocate<Values>(exec, "einkorn::spgemm::values", plan.columns.extent(0))};
}

template <class Exec, class Matrix>
void require_structure(Exec const& exec, Checks checks, char const* name, Fingerprint const& planned,
                       Matrix const& given) {
  auto const found = checks == Checks::on ? fingerprint(exec, given) : empty_fingerprint(given);
  bool const same_size =
      found.num_rows == planned.num_rows && found.num_cols == planned.num_cols && found.nnz == planned.nnz;
  require<StalePlan>(same_size && (checks == Checks::off || found == planned), [&] {
    return std::string("spgemm_numeric: the plan was made for ") + name + " of " +
           std::to_string(planned.num_rows) + " x " + std::to_string(planned.num_cols) + " with " +
           std::to_string(planned.nnz) + " entries, given " + size_of(given) + " with " +
           std::to_string(given.nnz()) + (same_size ? " whose entries lie elsewhere" : "");
  });
}

/// Throws StalePlan or InvalidArgument if the plan cannot compute C = A B.
template <class Exec, class State, class AMatrix, class BMatrix>
void require_numeric_operands(Exec const& exec, State const& plan, AMatrix const& A, BMatrix const& B,
                              typename State::Matrix const& C) {
  require_kokkos("spgemm_numeric");
  require_structure(exec, plan.options.checks, "A", plan.left, A);
  require_structure(exec, plan.options.checks, "B", plan.right, B);
  require<StalePlan>(
      C.row_offsets.data() == plan.row_offsets.data() && C.columns.data() == plan.columns.data() &&
          C.values.extent(0) == plan.columns.extent(0),
      "spgemm_numeric: C was not made with this plan: its row_offsets and columns have to be the "
      "plan's, its values as many");
  require_aligned(C.values, "spgemm_numeric", "the values of C");
  auto const require_disjoint = [&](char const* matrix) {
    return [&C, matrix](char const* name, auto const& array) {
      require_aligned(array, "spgemm_numeric", name);
      require<InvalidArgument>(!overlaps(C.values, array), [&] {
        return std::string("spgemm_numeric: the values of C overlap the ") + name + " of " + matrix +
               " in memory";
      });
    };
  };
  A.visit_arrays(require_disjoint("A"));
  B.visit_arrays(require_disjoint("B"));
}

template <class Exec, class State, class AMatrix, class BMatrix>
void compute_values_by_teams(Exec const& exec, State const& plan, SpgemmNumericPath path, AMatrix const& A,
                             BMatrix const& B, typename State::Matrix const& C) {
  if (path == SpgemmNumericPath::scatter_map)
    compute_values_by_scatter_map(exec, A, B, C, plan.scatter_map, plan.segment_lanes);
  else if (path == SpgemmNumericPath::hash_ordered)
    compute_values_by_hash<true>(exec, A, B, C, plan.schedule, plan.segment_lanes, plan.sorted_rows);
  else
    compute_values_by_hash<false>(exec, A, B, C, plan.schedule, plan.segment_lanes, plan.sorted_rows);
}

/// The values of C, without checks of the operands. Throws InvalidArgument if the plan was made on a GPU and
/// exec is of the host, or the other way round.
template <class Exec, class State, class AMatrix, class BMatrix>
void compute_numeric(Exec const& exec, State const& plan, AMatrix const& A, BMatrix const& B,
                     typename State::Matrix const& C) {
  using Matrix = typename State::Matrix;
  static_assert(
      std::is_same_v<State,
                     SpgemmStateFor<typename Matrix::offset_type, AMatrix, BMatrix, State::has_teams_on_host>>,
      "einkorn::spgemm_numeric: the plan was made for matrices of other types");
  if (plan.columns.extent(0) == 0) return;
  auto const path = choose_spgemm_numeric(plan.path, plan.scatter_map.is_available(),
                                          plan.host_scratch.accumulators.size() > 0, plan.options.sums);
  bool const by_host_rows = plan.path == SpgemmPath::host_rows;
  if constexpr (is_host_product<Exec, typename Matrix::device_type>)
    if (by_host_rows) return compute_values_on_host(exec, plan, path, A, B, C);
  if constexpr (has_row_teams<Exec, State>)
    if (!by_host_rows) return compute_values_by_teams(exec, plan, path, A, B, C);
  throw InvalidArgument(std::string("spgemm_numeric: the plan was made on ") +
                        (by_host_rows ? "the host, exec is a GPU" : "a GPU, exec is the host"));
}

}  // namespace einkorn::detail
