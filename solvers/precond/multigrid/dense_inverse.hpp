// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/solvers/precond/detail/first_fault.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Row-major square matrix in device memory.
template <class Device>
using DenseMatrix = Kokkos::View<double**, Kokkos::LayoutRight, Device>;

/// Rows of a block of the inversion, and the threads of a GPU that invert it.
inline constexpr int dense_block_rows = 32, pivot_threads = 256;

/// A block of dense_block_rows^2 numbers in team scratch.
template <class Team>
KOKKOS_FUNCTION double* scratch_block(Team const& team) {
  constexpr auto bytes = static_cast<std::size_t>(dense_block_rows * dense_block_rows) * sizeof(double);
  return static_cast<double*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(double)));
}
/// A policy with a scratch_block().
template <class Policy, class Exec>
Policy block_policy(Exec const& exec, int teams, int threads) {
  Policy policy(exec, teams, threads);
  constexpr int size = dense_block_rows * dense_block_rows + 1;
  policy.set_scratch_size(0, Kokkos::PerTeam(size * static_cast<int>(sizeof(double))));
  return policy;
}

/// dense <- A, diagonal <- |a_ii|. One row per thread.
template <class Matrix, class Device>
struct FillDense {
  using Ordinal = typename Matrix::ordinal_type;
  Matrix A;
  DenseMatrix<Device> dense;
  Kokkos::View<double*, Device> diagonal;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    for (Ordinal j = 0; j < A.num_cols; ++j) dense(row, j) = 0;
    auto const end = A.row_end(row);
    for (auto k = A.row_begin(row); k < end; ++k) dense(row, A.columns(k)) += static_cast<double>(A.values(k));
    diagonal(row) = Kokkos::fabs(dense(row, row));
  }
};

/// The steps of Gauss-Jordan elimination on the diagonal for the rows of one block, within the block's rows and
/// columns: panel(:, block) <- the inverse of the diagonal block. One team. A pivot at rounding level is not
/// eliminated: its row and column of the inverse are zero (a generalized inverse, Goodnight 1979, "sweep").
template <class Exec, class Device>
struct InvertPivotBlock {
  using Policy = Kokkos::TeamPolicy<Exec>;
  DenseMatrix<Device> dense, panel;  // panel: [dense_block_rows x n]
  Kokkos::View<double const*, Device> diagonal;
  Kokkos::View<int*, Device> num_skipped;  // [1]
  FirstFault<Device> faults;
  int first, rows;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    constexpr int size = dense_block_rows, threads = is_gpu<Exec> ? pivot_threads : 1;
    constexpr int stride = threads > size ? threads / size : 1, columns = threads > size ? 1 : size;
    int const thread = team.team_rank(), n = rows;
    int const first_row = thread / size, first_column = thread % size;
    auto* const block = scratch_block(team);
    auto const epsilon = 8.0 * static_cast<double>(dense.extent(0)) * Kokkos::Experimental::epsilon_v<double>;
    auto const for_own_columns = [&](auto const& body) {
      for (int c = 0; c < columns; ++c)
        if (first_column + c < n) body(first_column + c);
    };
    for_own_columns([&](int j) {
      for (int i = first_row; i < n; i += stride) block[i * size + j] = dense(first + i, first + j);
    });
    team.team_barrier();
    for (int k = 0; k < n; ++k) {
      double const pivot = block[k * size + k], limit = epsilon * diagonal(first + k);
      bool const is_skipped = !(Kokkos::fabs(pivot) > limit);
      if (thread == 0) report(k, pivot, is_skipped);
      // Row and column k after all other entries, which read them.
      for_own_columns([&](int j) {
        if (j == k) return;
        double const quotient = is_skipped ? 0.0 : block[k * size + j] / pivot;
        for (int i = first_row; i < n; i += stride)
          if (i != k && !is_skipped) block[i * size + j] -= block[i * size + k] * quotient;
      });
      team.team_barrier();
      for_own_columns([&](int j) {
        for (int i = first_row; i < n; i += stride) {
          if (i != k && j != k) continue;
          auto& entry = block[i * size + j];
          entry = is_skipped ? 0.0 : i != k ? -entry / pivot : j == k ? 1.0 / pivot : entry / pivot;
        }
      });
      team.team_barrier();
    }
    for_own_columns([&](int j) {
      for (int i = first_row; i < n; i += stride) panel(i, first + j) = block[i * size + j];
    });
  }

 private:
  KOKKOS_FUNCTION void report(int k, double pivot, bool is_skipped) const {
    if (!Kokkos::isfinite(pivot))
      faults.report(Outcome::non_finite, first + k);
    else if (is_skipped)
      num_skipped(0) += 1;
    else if (pivot < 0)
      faults.report(Outcome::indefinite_preconditioner, first + k);
  }
};

/// panel(:, j) <- panel(:, block) dense(block, j) for the columns j outside the block. dense_block_rows columns per
/// team.
template <class Exec, class Device>
struct MultiplyPanel {
  using Policy = Kokkos::TeamPolicy<Exec>;
  DenseMatrix<Device> dense, panel;
  int first, rows;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    int const begin = team.league_rank() * dense_block_rows, left = static_cast<int>(dense.extent(0)) - begin;
    int const columns = left < dense_block_rows ? left : dense_block_rows;
    auto* const block = scratch_block(team);
    for (int t = team.team_rank(); t < rows * rows; t += team.team_size())
      block[t] = panel(t / rows, first + t % rows);
    team.team_barrier();
    if (begin == first) return;
    for (int t = team.team_rank(); t < rows * columns; t += team.team_size()) {
      int const i = t / columns, j = begin + t % columns;
      double sum = 0;
      for (int l = 0; l < rows; ++l) sum += block[i * rows + l] * dense(first + l, j);
      panel(i, j) = sum;
    }
  }
};

/// Rows outside the block: dense(i, :) <- [dense(i, :), with 0 in the block's columns] - dense(i, block) panel.
/// Rows of the block: dense(i, :) <- panel(i, :). rows_per_team rows per team.
template <class Exec, class Device>
struct EliminateBlock {
  using Policy = Kokkos::TeamPolicy<Exec>;
  static constexpr int rows_per_team = 4;
  DenseMatrix<Device> dense, panel;
  int first, rows;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    int const n = static_cast<int>(dense.extent(0));
    int const begin = team.league_rank() * rows_per_team;
    auto* const factors =
        static_cast<double*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes(), alignof(double)));
    for (int t = team.team_rank(); t < rows_per_team * rows; t += team.team_size()) {
      int const i = begin + t / rows;
      factors[t] = i < n && !is_inside(i) ? dense(i, first + t % rows) : 0.0;
    }
    team.team_barrier();
    for (int j = team.team_rank(); j < n; j += team.team_size()) {
      double sums[rows_per_team];
      for (int q = 0; q < rows_per_team; ++q) {
        int const i = begin + q;
        sums[q] = i >= n ? 0.0 : is_inside(i) ? panel(i - first, j) : is_inside(j) ? 0.0 : dense(i, j);
      }
      for (int l = 0; l < rows; ++l) {
        double const value = panel(l, j);
        for (int q = 0; q < rows_per_team; ++q) sums[q] -= factors[q * rows + l] * value;
      }
      for (int q = 0; q < rows_per_team; ++q)
        if (begin + q < n) dense(begin + q, j) = sums[q];
    }
  }
  static KOKKOS_FUNCTION std::size_t scratch_bytes() {
    return static_cast<std::size_t>(rows_per_team * dense_block_rows) * sizeof(double);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool is_inside(int i) const { return first <= i && i < first + rows; }
};

template <class From, class To>
struct ConvertDense {
  From from;
  To to;
  std::size_t n;
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    to(k / n, k % n) = typename To::non_const_value_type(from(k / n, k % n));
  }
};

/// x <- inverse b. One row per warp, or per thread of the host; sums in double.
template <class Exec, class Inverse, class V>
struct MultiplyDense {
  using Policy = Kokkos::TeamPolicy<Exec>;
  Inverse inverse;
  typename V::const_type b;
  V x;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    auto const row = static_cast<std::size_t>(team.league_rank());
    int const n = static_cast<int>(inverse.extent(1));
    double sum = 0;
    for (int j = team.team_rank(); j < n; j += team.team_size())
      sum += static_cast<double>(inverse(row, static_cast<std::size_t>(j))) *
             static_cast<double>(b(static_cast<std::size_t>(j)));
    using L = Lanes<Exec>;
    if constexpr (is_gpu<Exec>) sum = sum_over_lanes<L, L::size>(sum);
    if (team.team_rank() == 0) x(row) = typename V::non_const_value_type(sum);
  }
};

/// The inverse of a small matrix, dense, in Scalar; computed in double by blocked Gauss-Jordan elimination
/// without exchange of rows, which is stable for positive definite matrices. A singular matrix has a
/// generalized inverse; num_skipped() pivots were not eliminated. Memory while it is made: n^2 doubles.
template <class Scalar, class Device>
class DenseInverse {
 public:
  using Inverse = Kokkos::View<Scalar**, Kokkos::LayoutRight, Device>;

  DenseInverse() = default;
  template <class Exec, class Matrix>
  DenseInverse(Exec const& exec, Matrix const& A, FirstFault<Device> const& faults)
      : inverse_(allocate<Inverse>(exec, "einkorn::Multigrid::inverse", A.num_rows, A.num_rows)) {
    update(exec, A, faults);
  }

  /// Inverts another matrix of this size; reports non-finite and negative pivots. 2 n^3 operations, 3 launches
  /// per 32 rows. Fences exec.
  template <class Exec, class Matrix>
  void update(Exec const& exec, Matrix const& A, FirstFault<Device> const& faults) {
    using Ordinal = typename Matrix::ordinal_type;
    int const n = static_cast<int>(A.num_rows);
    if (n == 0) return;
    auto const dense = allocate<DenseMatrix<Device>>(exec, "einkorn::Multigrid[dense]", n, n);
    auto const panel = allocate<DenseMatrix<Device>>(exec, "einkorn::Multigrid[panel]", dense_block_rows, n);
    auto const diagonal = allocate<Kokkos::View<double*, Device>>(exec, "einkorn::Multigrid[diagonal]", n);
    auto const skipped = allocate_zeros<Kokkos::View<int*, Device>>(exec, "einkorn::Multigrid[skipped]", 1);
    range_for<Ordinal>("einkorn::Multigrid[fill_dense]", exec, A.num_rows,
                       FillDense<Matrix, Device>{A, dense, diagonal});
    using Pivot = InvertPivotBlock<Exec, Device>;
    using Eliminate = EliminateBlock<Exec, Device>;
    using Multiply = MultiplyPanel<Exec, Device>;
    constexpr int block_threads = is_gpu<Exec> ? pivot_threads : 1, row_threads = is_gpu<Exec> ? 128 : 1;
    int const blocks = ceil_div(n, dense_block_rows);
    for (int first = 0; first < n; first += dense_block_rows) {
      int const rows = std::min(dense_block_rows, n - first);
      Kokkos::parallel_for("einkorn::Multigrid[invert_pivot_block]",
                           light_weight(block_policy<typename Pivot::Policy>(exec, 1, block_threads)),
                           Pivot{dense, panel, diagonal, skipped, faults, first, rows});
      Kokkos::parallel_for("einkorn::Multigrid[multiply_panel]",
                           light_weight(block_policy<typename Multiply::Policy>(exec, blocks, block_threads)),
                           Multiply{dense, panel, first, rows});
      typename Eliminate::Policy policy(exec, ceil_div(n, Eliminate::rows_per_team), row_threads);
      policy.set_scratch_size(0,
                              Kokkos::PerTeam(static_cast<int>(Eliminate::scratch_bytes() + alignof(double))));
      Kokkos::parallel_for("einkorn::Multigrid[eliminate_block]", light_weight(policy),
                           Eliminate{dense, panel, first, rows});
    }
    auto const size = static_cast<std::size_t>(n);
    range_for<std::size_t>("einkorn::Multigrid[convert_inverse]", exec, size * size,
                           ConvertDense<DenseMatrix<Device>, Inverse>{dense, inverse_, size});
    Kokkos::deep_copy(exec, Kokkos::View<int*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&num_skipped_, 1),
                      skipped);
    exec.fence("einkorn::Multigrid: inverse complete");
  }

  /// x <- A^-1 b. 1 launch, asynchronous on exec; no allocation.
  template <class Exec, class V>
  void apply(Exec const& exec, V const& b, V const& x) const {
    if (x.extent(0) == 0) return;
    using Functor = MultiplyDense<Exec, typename Inverse::const_type, V>;
    constexpr int threads = is_gpu<Exec> ? static_cast<int>(Lanes<Exec>::size) : 1;
    Kokkos::parallel_for("einkorn::Multigrid[coarsest]",
                         light_weight(typename Functor::Policy(exec, static_cast<int>(x.extent(0)), threads)),
                         Functor{inverse_, b, x});
  }

  [[nodiscard]] std::size_t bytes() const { return inverse_.size() * sizeof(Scalar); }
  [[nodiscard]] int num_skipped() const { return num_skipped_; }

 private:
  Inverse inverse_;
  int num_skipped_ = 0;
};

}  // namespace einkorn::detail
