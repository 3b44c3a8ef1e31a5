// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/solvers/precond/detail/first_fault.hpp>
#include <einkorn/solvers/precond/multigrid/aggregates.hpp>
#include <einkorn/solvers/precond/multigrid/box_aggregates.hpp>
#include <einkorn/solvers/precond/multigrid/cycle.hpp>
#include <einkorn/solvers/precond/multigrid/distinct_bytes.hpp>
#include <einkorn/solvers/precond/multigrid/galerkin.hpp>
#include <einkorn/solvers/precond/multigrid/inverse_diagonal.hpp>
#include <einkorn/solvers/precond/multigrid/near_null.hpp>
#include <einkorn/solvers/precond/multigrid/options.hpp>
#include <einkorn/solvers/precond/multigrid/prolongator.hpp>
#include <einkorn/solvers/precond/multigrid/report.hpp>
#include <einkorn/solvers/precond/multigrid/spectral_radius.hpp>
#include <einkorn/solvers/precond/multigrid/strength_graph.hpp>
#include <einkorn/solvers/precond/multigrid/tentative.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace einkorn::detail {

/// Rows up to which the coarsest level is inverted, by default. A GPU needs fewer launches with a larger inverse;
/// analytical, not measured.
constexpr std::int64_t automatic_coarsest_rows(Arch arch) {
  return arch == Arch::host ? 300 : 1000;
}
/// The same where no coarser level can be made.
inline constexpr std::int64_t max_coarsest_rows = 4096;
/// Nodes per aggregate of a graph, at most.
inline constexpr int max_aggregate_nodes = 64;
/// The threshold of strength of a level by that of the level before, whose smoothed prolongator spreads the
/// entries. Vanek, Mandel & Brezina, 1996, take 0.5; with 0.25 a 7-point 32^3 with coefficients that jump by 10^6
/// took 21 iterations instead of 36.
inline constexpr double strength_factor = 0.25;
/// The smoothing factor of P is this divided by the spectral radius of D^-1 A: 4/3 of Vanek, Mandel & Brezina for
/// aggregates of a graph. On boxes, where a 7-point stencil gives little weight to the neighbours, 1.95 takes 13, 14,
/// 16 and 16 iterations on 64^3, 128^3, 256^3 and 464^3 points, 1.8 takes 13, 14, 16 and 17, 4/3 takes 15, 16 and 19
/// on the first three (H200, to 1e-8).
inline constexpr double graph_smoothing = 4.0 / 3.0, box_smoothing = 1.95;
/// A level is the last if the next one would have more than this fraction of its rows.
inline constexpr double max_coarsening_ratio = 0.8;

/// Adds the seconds since the last call to a step of the report. Fences.
template <class Exec>
class StepClock {
 public:
  explicit StepClock(Exec const& exec) : exec_(exec) {}
  void add_to(double& seconds) {
    exec_.fence("einkorn::Multigrid: step of the set-up complete");
    double const now = timer_.seconds();
    seconds += now - last_;
    last_ = now;
  }

 private:
  Exec const& exec_;
  Kokkos::Timer timer_;
  double last_ = 0;
};

/// What the next level was made from, kept for update(): strong connections, T, P, R and the plans of R A P.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Coarsening {
  using Matrix = Csr<Scalar, Ordinal, Offset, Device>;
  StrengthGraph<Ordinal, Offset, Device> graph;
  bool is_complete = false;  // all entries of the matrix are strong; no graph is kept
  Tentative<Scalar, Ordinal, Offset, Device> T;
  std::optional<GalerkinProduct<Scalar, Ordinal, Offset, Device>> product;
  bool is_smoothed = false;
};

/// The set-up of a hierarchy: levels in LevelScalar, coarse matrices in Scalar.
template <class Scalar, class LevelScalar, class Ordinal, class Offset, class Device>
class Hierarchy {
 public:
  using Matrix = Csr<Scalar const, Ordinal, Offset, Device>;
  using NearNullVectors = NearNull<Scalar, Device>;
  using LevelsType = Levels<LevelScalar, Ordinal, Offset, Device>;

  Hierarchy() = default;
  template <class Exec>
  Hierarchy(Exec const& exec, Matrix const& A, MultigridOptions const& options,
            NearNullVectors const& near_null)
      : options_(options) {
    if (A.num_rows == 0) return;
    faults_ = FirstFault<Device>(exec);
    lanczos_ = allocate_zeros<Kokkos::View<LanczosState*, Device>>(exec, "einkorn::Multigrid::lanczos", 1);
    sums_ = OrderedSums<Device>(exec, static_cast<std::size_t>(A.num_rows), 1);
    make_levels(exec, A, near_null);
  }

  /// New values of A on the kept aggregates and patterns.
  template <class Exec>
  void update(Exec const& exec, Matrix const& A) {
    if (A.num_rows == 0) return;
    Kokkos::Timer const timer;
    StepClock<Exec> clock(exec);
    clear_report();
    status_ = {};
    Matrix matrix = A;
    for (std::size_t l = 0; l < levels_.list.size(); ++l) {
      bool const is_last = l + 1 == levels_.list.size();
      bool const is_inverted = levels_.is_inverted(l);
      Inverse inverse;
      if (is_inverted)
        invert(exec, matrix, l, clock);
      else
        inverse = set_smoother(exec, matrix, l, false, clock);
      if (l > 0) {
        auto const& product = *coarsenings_[l - 1].product;
        levels_.list[l - 1].update_transfers(exec, product.prolongator(), product.restriction(), scaling_of(l));
        clock.add_to(report_.galerkin_seconds);
      }
      if (is_last) break;
      auto& coarsening = coarsenings_[l];
      auto const P = coarsening.product->prolongator();
      if (coarsening.is_smoothed)
        with_graph(matrix, coarsening, [&](auto const& graph) {
          update_prolongator(exec, matrix, graph, coarsening.T, inverse, omega(l), P);
        });
      clock.add_to(report_.prolongator_seconds);
      coarsening.product->update(exec, matrix, P);
      clock.add_to(report_.galerkin_seconds);
      matrix = coarsening.product->coarse();
    }
    report_.total_seconds = timer.seconds();
  }

  [[nodiscard]] LevelsType const& levels() const { return levels_; }
  [[nodiscard]] OrderedSums<Device> const& sums() const { return sums_; }
  [[nodiscard]] MultigridReport const& report() const { return report_; }
  [[nodiscard]] SetupStatus status() const { return status_; }
  [[nodiscard]] std::size_t bytes() const {
    DistinctBytes bytes;
    bytes.add(levels_.coarsest.bytes() + sums_.bytes() + sizeof(LanczosState));
    if (!levels_.list.empty()) bytes.exclude(levels_.list[0].A.csr_structure());  // of the user's matrix
    for (auto const& coarsening : coarsenings_) {
      coarsening.product->add_to(bytes);
      bytes.add(coarsening.graph.columns.extent(0) * sizeof(Ordinal) +
                coarsening.graph.row_offsets.extent(0) * sizeof(Offset));
    }
    for (auto const& level : levels_.list) level.add_to(bytes);
    return bytes.bytes();
  }

 private:
  using Inverse = Kokkos::View<Scalar*, Device>;
  using CoarseningType = Coarsening<Scalar, Ordinal, Offset, Device>;
  using AggregatesType = Aggregates<Ordinal, Device>;

  /// Calls body(graph) with the strong connections of A.
  template <class Body>
  static auto with_graph(Matrix const& A, CoarseningType const& coarsening, Body const& body) {
    if (coarsening.is_complete) return body(EntryGraph<Matrix>(A));
    return body(coarsening.graph);
  }
  void clear_report() {
    auto levels = std::move(report_.levels);
    report_ = MultigridReport();
    report_.levels = std::move(levels);
  }
  [[nodiscard]] double omega(std::size_t l) const {
    auto const& level = report_.levels[l];
    return (level.has_boxes ? box_smoothing : graph_smoothing) / level.spectral_radius;
  }

  template <class Exec>
  void make_levels(Exec const& exec, Matrix const& A, NearNullVectors near_null) {
    Kokkos::Timer const timer;
    StepClock<Exec> clock(exec);
    Matrix matrix = A;
    int block_size = options_.block_size;
    std::int64_t const coarsest =
        options_.coarsest_rows > 0 ? options_.coarsest_rows : automatic_coarsest_rows(arch_of<Exec>);
    std::optional<Grid> grid;
    auto const max_levels = static_cast<std::size_t>(options_.max_levels);
    reserve(levels_.list, "the levels of make_multigrid", max_levels);
    reserve(report_.levels, "the report of make_multigrid", max_levels);
    reserve(coarsenings_, "the levels of make_multigrid", max_levels);
    for (std::size_t l = 0;; ++l) {
      auto const rows = static_cast<std::int64_t>(matrix.num_rows);
      levels_.list.emplace_back();
      report_.levels.push_back({rows, static_cast<std::int64_t>(matrix.nnz()), {}, 0, 0, false, false});
      auto& level = levels_.list.back();
      level.allocate_vectors(exec, static_cast<std::size_t>(rows));
      if (rows <= coarsest) {
        invert(exec, matrix, l, clock);
        break;
      }
      Inverse const inverse = set_smoother(exec, matrix, l, true, clock);
      report_.levels[l].format = LevelsType::LevelType::Operator::Formats::name_of(level.A.format());
      if (!status_.usable() || l + 1 == max_levels) break;
      auto coarsening = coarsen(exec, matrix, l, block_size, near_null, inverse, grid, clock);
      if (!coarsening) {
        if (rows <= max_coarsest_rows) invert(exec, matrix, l, clock);
        break;
      }
      near_null = coarsening->T.coarse_near_null;
      block_size = coarsening->T.num_vectors;
      coarsenings_.push_back(*coarsening);
      matrix = coarsening->product->coarse();
      if (options_.on_level) options_.on_level(report_.levels[l]);
    }
    if (options_.on_level) options_.on_level(report_.levels.back());
    options_.on_level = nullptr;  // what it refers to may end before update()
    for (std::size_t l = 0; l < coarsenings_.size(); ++l) {
      auto const& product = *coarsenings_[l].product;
      levels_.list[l].set_transfers(exec, product.prolongator(), product.restriction(), scaling_of(l + 1));
    }
    clock.add_to(report_.galerkin_seconds);
    for (std::size_t l = 0; l < levels_.list.size(); ++l)
      report_.levels[l].bytes = distinct_bytes(levels_.list[l]);
    report_.levels.back().bytes += levels_.coarsest.bytes();
    report_.total_seconds = timer.seconds();
  }

  /// Sets M, M A, the steps and the spectral radius of level l. Returns the inverse diagonal.
  template <class Exec>
  Inverse set_smoother(Exec const& exec, Matrix const& A, std::size_t l, bool is_new, StepClock<Exec>& clock) {
    auto& level = levels_.list[l];
    auto const inverse = allocate<Inverse>(exec, "einkorn::Multigrid::inverse_diagonal", level.num_rows());
    faults_.reset(exec);
    auto const scaled = scale_by_diagonal(exec, A, inverse, level.M, faults_, false);
    take_status(exec, l);
    if (is_new)
      level.A = typename LevelsType::LevelType::Operator(exec, scaled.matrix);
    else
      level.A.update(exec, scaled.matrix);
    double const radius =
        spectral_radius(exec, level.A, level.M, scaled.bound, level.b, level.x, level.other, sums_, lanczos_);
    report_.levels[l].spectral_radius = radius;
    if (options_.smoother == MultigridSmoother::l1_jacobi)
      level.A.update(exec, scale_by_diagonal(exec, A, inverse, level.M, faults_, true).matrix);
    level.steps = make_smoother_steps(options_.smoother, options_.degree, radius);
    clock.add_to(report_.smoother_seconds);
    return inverse;
  }
  /// M of level l, with which its right-hand side is multiplied; empty if the level is inverted.
  [[nodiscard]] typename LevelsType::V scaling_of(std::size_t l) const {
    return levels_.is_inverted(l) ? typename LevelsType::V() : levels_.list[l].M;
  }

  template <class Exec>
  void invert(Exec const& exec, Matrix const& A, std::size_t l, StepClock<Exec>& clock) {
    faults_.reset(exec);
    if (levels_.has_inverse)
      levels_.coarsest.update(exec, A, faults_);
    else
      levels_.coarsest = DenseInverse<LevelScalar, Device>(exec, A, faults_);
    levels_.has_inverse = true;
    take_status(exec, l);
    report_.singular_rows = levels_.coarsest.num_skipped();
    report_.levels[l].format = "inverse";
    clock.add_to(report_.coarsest_seconds);
  }

  /// Keeps the first fault; rows of coarse levels are not rows of A.
  template <class Exec>
  void take_status(Exec const& exec, std::size_t l) {
    auto const status = faults_.status(exec);
    if (status.outcome == Outcome::converged || !status_.usable()) return;
    if (status_.outcome == Outcome::converged || !status.usable())
      status_ = {status.outcome, l == 0 ? status.row : std::int64_t(-1)};
  }

  /// Aggregates, P and R A P of level l; nothing if the next level would not be much smaller or would exceed the
  /// operator complexity. Where the product of T exceeds it, aggregates are joined to larger ones.
  template <class Exec>
  std::optional<CoarseningType> coarsen(Exec const& exec, Matrix const& A, std::size_t l, int block_size,
                                        NearNullVectors const& near_null, Inverse const& inverse,
                                        std::optional<Grid>& grid, StepClock<Exec>& clock) {
    CoarseningType result;
    auto const strength_of = [&](std::size_t level) {
      return options_.strength * std::pow(strength_factor, static_cast<double>(level));
    };
    bool const may_have_boxes = options_.aggregation == MultigridAggregation::automatic &&
                                options_.block_size == 1 && near_null.extent(1) == 1;
    if (l == 0 && may_have_boxes && count_weak(exec, A, options_.strength, 1) == 0) grid = find_grid(exec, A);
    report_.levels[l].has_boxes = result.is_complete = grid.has_value();
    AggregatesType aggregates;
    AggregateMembers<Ordinal, Device> lists;
    if (grid) {
      auto const boxes = box_aggregates<Ordinal, Device>(exec, *grid, options_.box_width);
      aggregates = boxes.aggregates;
      lists = boxes.members;
      grid = coarse(*grid, options_.box_width);
    } else {
      result.graph = strength_graph(exec, A, strength_of(l), block_size);
      aggregates = aggregate(exec, result.graph, static_cast<Ordinal>(max_aggregate_nodes));
      lists = members(exec, aggregates);
    }
    clock.add_to(report_.aggregate_seconds);
    auto const is_coarser = [&](Ordinal count, double rows) {
      return count > 0 && static_cast<double>(count) * static_cast<double>(near_null.extent(1)) <=
                              max_coarsening_ratio * rows;
    };
    if (!is_coarser(aggregates.count, static_cast<double>(A.num_rows))) return {};
    for (;;) {
      result.T = tentative<Offset>(exec, aggregates, lists, near_null, block_size);
      if (make_product(exec, A, l, inverse, result, clock)) return result;
      auto const& coarse_matrix = result.product->coarse();
      auto const graph = strength_graph(exec, coarse_matrix, strength_of(l + 1), result.T.num_vectors);
      auto const joined = aggregate(exec, graph, static_cast<Ordinal>(max_aggregate_nodes));
      if (!is_coarser(joined.count, static_cast<double>(coarse_matrix.num_rows))) return {};
      aggregates = compose(exec, aggregates, joined);
      lists = members(exec, aggregates);
      report_.levels[l].has_boxes = false;
      grid.reset();
      clock.add_to(report_.aggregate_seconds);
    }
  }

  /// P and R A P of level l for result.T. P is smoothed, with fewer aggregates per row where the product has too
  /// many entries, else T. Returns whether the product fits the operator complexity. Only the patterns of rejected
  /// smoothed prolongators are computed.
  template <class Exec>
  bool make_product(Exec const& exec, Matrix const& A, std::size_t l, Inverse const& inverse,
                    CoarseningType& result, StepClock<Exec>& clock) {
    double available = options_.max_complexity * static_cast<double>(report_.levels[0].nnz);
    for (auto const& level : report_.levels) available -= static_cast<double>(level.nnz);
    std::optional<Csr<Scalar, Ordinal, Offset, Device>> smoothed;
    for (int const max_aggregates : {0, 4, 2}) {
      if (!options_.smoothed || result.is_smoothed) break;
      Truncation truncation;
      truncation.max_aggregates = max_aggregates;
      auto const P = with_graph(A, result, [&](auto const& graph) {
        if (!smoothed) smoothed = smoothed_prolongator(exec, A, graph, result.T, inverse, omega(l));
        return max_aggregates == 0
                   ? *smoothed
                   : truncated_prolongator(exec, A, graph, result.T, inverse, omega(l), *smoothed, truncation);
      });
      clock.add_to(report_.prolongator_seconds);
      result.product.emplace(exec, A, P, result.T.zero_columns, GalerkinValues::later);
      auto const entries = static_cast<double>(result.product->coarse_nnz());
      result.is_smoothed = entries <= available;
      clock.add_to(report_.galerkin_seconds);
    }
    if (result.is_smoothed)
      result.product->update(exec, A);
    else
      result.product.emplace(exec, A, result.T.matrix, result.T.zero_columns);
    report_.levels[l].is_smoothed = result.is_smoothed;
    clock.add_to(report_.galerkin_seconds);
    return static_cast<double>(result.product->coarse_nnz()) <= available;
  }

  MultigridOptions options_;
  LevelsType levels_;
  std::vector<CoarseningType> coarsenings_;
  FirstFault<Device> faults_;
  OrderedSums<Device> sums_;
  Kokkos::View<LanczosState*, Device> lanczos_;
  MultigridReport report_;
  SetupStatus status_;
};

}  // namespace einkorn::detail
