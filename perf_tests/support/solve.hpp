// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/bandwidth.hpp"
#include "support/measure.hpp"
#include "support/types.hpp"

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::perf {

enum class Method { cg, jacobi_pcg, bicgstab };

constexpr char const* name_of(Method method) {
  return method == Method::cg ? "cg" : method == Method::jacobi_pcg ? "jacobi-pcg" : "bicgstab";
}

/// SpMVs per iteration.
constexpr std::size_t spmvs_of(Method method) {
  return method == Method::bicgstab ? 2 : 1;
}

/// Lower bound: n-vectors that one fully fused iteration moves. CG: q = A p with p.q and q.q (2), one pass that
/// updates r and p, with the new r.r from the recurrence alpha^2 q.q - r.r (5), and x for two iterations at
/// once (2 every second iteration). Jacobi: the same on the scaled operator. BiCGStab: v = A p with r0.v (3), s
/// = r - alpha v (3), t = A s with four dots (3), one pass that updates x, r and p (8).
constexpr std::size_t floor_vectors(Method method) {
  return method == Method::bicgstab ? 17 : 8;
}

/// Solver options of the command line.
struct SolveRequest {
  Method method = Method::cg;
  int iterations = 0;    // per measured solve; 0: chosen by time
  bool fusions = false;  // the fusion stages of Jacobi-PCG instead of all Einkorn solvers
  int history = 0;       // maximum number of iterations with a recorded residual; 0: none
};

/// The residuals of a solve that stops at its tolerance.
struct ResidualHistory {
  std::vector<double> residuals;  // recursive |r_k| / |b| after k = 0, 1, .. iterations
  std::string outcome;
};

/// A solver, ready to be measured.
struct SolveRow {
  std::string library = "einkorn", format, execution, fusion = "unfused";
  std::size_t matrix_bytes = 0;  // bytes of the format, without vectors
  std::size_t vectors = 0;       // n-vectors that one iteration of this scheme moves
  /// x <- the iterate after `iterations` from x = 0. Returns the number of iterations done. Asynchronous.
  std::function<int(int iterations)> solve;
  /// Solves to history_tolerance or for `limit` iterations. Empty unless SolveBench::records_history.
  std::function<ResidualHistory(int limit)> history;
  std::string note, refusal;

  [[nodiscard]] bool is_peer() const { return library != "einkorn"; }
};

/// An exception of `work` becomes the refusal of the row.
template <class Work>
void run_or_refuse(SolveRow& row, Work const& work) {
  try {
    work();
  } catch (std::exception const& failure) {
    row.solve = nullptr;
    row.refusal = failure.what();
  }
}

inline constexpr double history_tolerance = 1e-12;  // of |b|

/// A x = b with a square A of n rows, in double with 32-bit indices, and the rows that solve it.
struct SolveBench {
  Exec exec;
  Method method = Method::cg;
  Csr<double, int, int, Device> A;
  DenseVector<double const> b;                 // [n]
  DenseVector<double> x;                       // [n], shared by all rows
  DenseVector<double const> inverse_diagonal;  // [n] for jacobi-pcg, else empty
  Selection selection;
  bool records_history = false;  // rows that support it have a history
  std::vector<SolveRow> rows;

  [[nodiscard]] std::size_t size() const { return b.extent(0); }
  /// Adds the row that `build` completes. If build throws, the row has the reason instead.
  void add(SolveRow row, std::function<void(SolveRow&)> const& build) {
    rows.push_back(std::move(row));
    run_or_refuse(rows.back(), [&] { build(rows.back()); });
  }
};

/// Einkorn's solvers. einkorn/solve.cpp.
void add_einkorn_solvers(SolveBench& bench);
/// Textbook loops with Einkorn's SpMV of every format, unfused vector kernels and scalars on the host.
/// einkorn/unfused_solve.cpp.
void add_unfused_solvers(SolveBench& bench);
/// Jacobi-PCG with one fusion after the other enabled, for CSR and SELL. einkorn/fusion_stages.cpp.
void add_fusion_stages(SolveBench& bench);
/// cusparseSpMV and cuBLAS: scalars on the host; on the device; on the device in a graph.
/// peers/cusparse_cublas_solve.cpp.
void add_cusparse_cublas_solvers(SolveBench& bench);
/// KokkosSparse::spmv with a handle and KokkosBlas. peers/kokkos_kernels_solve.cpp.
void add_kokkos_kernels_solvers(SolveBench& bench);
/// Eigen::ConjugateGradient and BiCGSTAB, on the host. peers/eigen_solve.cpp.
void add_eigen_solvers(SolveBench& bench);

struct SolveResult {
  SolveRow row;
  std::optional<double> seconds, spread;  // per iteration: median over the rounds
  double residual = 0.0;                  // |b - A x| / |b| after SolveTable::iterations
  double checked_residual = 0.0;          // the same after SolveTable::checked_iterations
  bool wrong = false;                     // the residual differs from that of the method
  ResidualHistory history = {};           // empty unless requested

  /// Bytes per iteration by the scheme of this row; floor_bytes: the lower bound for the same format.
  [[nodiscard]] std::size_t bytes(Method method, std::size_t n) const {
    return spmvs_of(method) * row.matrix_bytes + row.vectors * n * sizeof(double);
  }
  [[nodiscard]] std::size_t floor_bytes(Method method, std::size_t n) const {
    return spmvs_of(method) * row.matrix_bytes + floor_vectors(method) * n * sizeof(double);
  }
};

struct SolveTable {
  std::string matrix, suite;
  Method method = Method::cg;
  std::size_t rows = 0, nnz = 0;
  int iterations = 0;                  // per measured solve
  int checked_iterations = 0;          // 0: not verified
  double reference_residual = 0.0;     // after checked_iterations, in long double
  double copy_bytes_per_second = 0.0;  // median over the same rounds
  double stream_bytes_per_second = 0.0;
  int rounds = 0;
  std::vector<SolveResult> results;
};

/// Loads one matrix, builds every row, checks it (verify) and measures it. b_i = sum_k a_ik + h_i sum_k |a_ik|
/// with a hash h_i in [-1, 1]. request.iterations = 0: as many as the fastest row does in 20 ms, from 20 to
/// 192, and fewer if the residual would leave the range of double.
/// @throws InvalidArgument for matrices that the method does not support
SolveTable bench_solve(Exec const& exec, Bandwidth const& bandwidth, std::string const& name,
                       SolveRequest const& request, Selection const& selection, MeasureOptions const& measuring,
                       bool verify);

/// Measures the rows in rounds, as measure() does: solves of table.iterations back to back for at least 20 ms
/// between two fences. The time includes the setup and the first residual of each solve.
void measure_solvers(SolveBench const& bench, Bandwidth const& bandwidth, MeasureOptions const& measuring,
                     SolveTable& table);

}  // namespace einkorn::perf
