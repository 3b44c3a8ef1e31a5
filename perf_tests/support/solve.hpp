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

/// SpMVs of one iteration.
constexpr std::size_t spmvs_of(Method method) {
  return method == Method::bicgstab ? 2 : 1;
}

/// The yardstick: vectors of n entries that one iteration moves when every pass is fused with all that it can
/// be. CG: q = A p with p.q and q.q in passing (p, q), and one pass that updates r and p (5), the new r.r from
/// the recurrence alpha^2 q.q - r.r, and x for two iterations at once (2 every second one). Jacobi: the same on
/// the scaled operator. BiCGStab: v = A p with r0.v (3), s = r - alpha v (3), t = A s with four dots (3), one
/// pass that updates x, r and p (8).
constexpr std::size_t floor_vectors(Method method) {
  return method == Method::bicgstab ? 17 : 8;
}

/// What the command line asks of a solver.
struct SolveRequest {
  Method method = Method::cg;
  int iterations = 0;    // of every solve that is timed; 0: chosen by the clock
  bool fusions = false;  // the stages of Jacobi-PCG's fusion instead of every solver of ours
  int history = 0;       // iterations after each of which the residual is wanted, at most; 0: none is
};

/// What a solve that stops by itself says of its way.
struct ResidualHistory {
  std::vector<double> residuals;  // |r_k| / |b| after k = 0, 1, .. iterations, as the recursion has it
  std::string outcome;
};

/// A solver that is set up, before it is measured.
struct SolveRow {
  std::string library = "einkorn", format, execution, fusion = "unfused";
  std::size_t matrix_bytes = 0;  // of the format, without vectors
  std::size_t vectors = 0;       // of n entries that one iteration of this scheme moves
  /// x <- the iterate after `iterations` from x = 0; how many were done. What it enqueued may still run.
  std::function<int(int iterations)> solve;
  /// A solve to history_tolerance or for `most` iterations; only of rows of SolveBench::keeps_history.
  std::function<ResidualHistory(int most)> history;
  std::string note, refusal;

  [[nodiscard]] bool is_peer() const { return library != "einkorn"; }
};

/// What a row throws becomes its refusal.
template <class Work>
void or_refuse(SolveRow& row, Work const& work) {
  try {
    work();
  } catch (std::exception const& failure) {
    row.solve = nullptr;
    row.refusal = failure.what();
  }
}

inline constexpr double history_tolerance = 1e-12;  // of |b|

/// A x = b with A of n rows and columns, and the rows that solve it. Everything in double with 32-bit indices.
struct SolveBench {
  Exec exec;
  Method method = Method::cg;
  Csr<double, int, int, Device> A;
  DenseVector<double const> b;                 // [n]
  DenseVector<double> x;                       // [n], shared: every row leaves its iterate here
  DenseVector<double const> inverse_diagonal;  // [n], of jacobi-pcg; else empty
  Selection selection;
  bool keeps_history = false;  // rows that can say so have a history
  std::vector<SolveRow> rows;

  [[nodiscard]] std::size_t size() const { return b.extent(0); }
  /// Adds the row with what `build` puts into it; where build throws, the row says why instead.
  void add(SolveRow row, std::function<void(SolveRow&)> const& build) {
    rows.push_back(std::move(row));
    or_refuse(rows.back(), [&] { build(rows.back()); });
  }
};

/// Ours. einkorn/solve.cpp.
void add_einkorn_solvers(SolveBench& bench);
/// The textbook's loops over our SpMV of every format and unfused vector kernels, scalars on the host.
/// einkorn/unfused_solve.cpp.
void add_unfused_solvers(SolveBench& bench);
/// Jacobi-PCG with one fusion after the other switched on, for CSR and SELL. einkorn/fusion_stages.cpp.
void add_fusion_stages(SolveBench& bench);
/// cusparseSpMV and cuBLAS: scalars on the host, on the device, and the latter in a graph.
/// peers/cusparse_cublas_solve.cpp.
void add_cusparse_cublas_solvers(SolveBench& bench);
/// KokkosSparse::spmv with a handle and KokkosBlas. peers/kokkos_kernels_solve.cpp.
void add_kokkos_kernels_solvers(SolveBench& bench);
/// Eigen::ConjugateGradient and BiCGSTAB, on the host. peers/eigen_solve.cpp.
void add_eigen_solvers(SolveBench& bench);

struct SolveResult {
  SolveRow row;
  std::optional<double> seconds, spread;  // of an iteration: median over the rounds
  double residual = 0.0;                  // |b - A x| / |b| after SolveTable::iterations
  double checked_residual = 0.0;          // the same after SolveTable::checked_iterations
  bool wrong = false;                     // that is not what the method gives
  ResidualHistory history = {};           // empty unless asked for

  /// That one iteration moves by this row's own scheme, and by the yardstick's on the same matrix.
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
  int iterations = 0;                  // of every solve that is timed
  int checked_iterations = 0;          // 0: not verified
  double reference_residual = 0.0;     // after them, in long double
  double copy_bytes_per_second = 0.0;  // median over the same rounds
  double stream_bytes_per_second = 0.0;
  int rounds = 0;
  std::vector<SolveResult> results;
};

/// Loads one matrix, sets up every row, checks it (verify) and times it. b_i = sum_k a_ik + h_i sum_k |a_ik|
/// with h_i of a hash in [-1, 1]. iterations = 0: as many as the fastest row does in 20 ms, from 20 to 192, and
/// fewer where the residual would leave the range of double. Throws InvalidArgument for matrices that the
/// method is not for.
SolveTable bench_solve(Exec const& exec, Bandwidth const& bandwidth, std::string const& name,
                       SolveRequest const& request, Selection const& selection, Rule const& rule, bool verify);

/// Times the rows in rounds, as measure() does: between two fences, solves of table.iterations back to back for
/// at least 20 ms; set-up and first residual of a solve are in the time.
void measure_solvers(SolveBench const& bench, Bandwidth const& bandwidth, Rule const& rule, SolveTable& table);

}  // namespace einkorn::perf
