// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#ifdef EINKORN_WITH_HYPRE

#include "support/multigrid_system.hpp"
#include "support/text.hpp"

#include <einkorn/core/error.hpp>

// clang-format off: _hypre_parcsr_ls.h needs the others
#include <mpi.h>
#include <HYPRE.h>
#include <HYPRE_parcsr_ls.h>
#include <_hypre_parcsr_mv.h>
#include <_hypre_parcsr_ls.h>
// clang-format on
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::perf::multigrid {

inline void check(HYPRE_Int code) {
  if (code == 0) return;
  std::array<char, 256> description{};
  HYPRE_DescribeError(code, description.data());
  HYPRE_ClearAllErrors();
  throw Error(std::string("hypre: ") + description.data());
}

/// MPI and hypre while a HypreSession lives.
struct HypreSession {
  HypreSession(int* argc, char*** argv) {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
    check(HYPRE_Init());
  }
  HypreSession(HypreSession const&) = delete;
  HypreSession& operator=(HypreSession const&) = delete;
  ~HypreSession() {
    HYPRE_Finalize();
    MPI_Finalize();
  }
};

/// A copy of the system in hypre's structures, on one rank.
class HypreSolve {
 public:
  HypreSolve(System const& system, double strong_threshold)
      : system_(system), strong_threshold_(strong_threshold), rows_(system.A.num_rows) {
    check(HYPRE_IJMatrixCreate(MPI_COMM_SELF, 0, rows_ - 1, 0, rows_ - 1, &matrix_));
    check(HYPRE_IJMatrixSetObjectType(matrix_, HYPRE_PARCSR));
    for (auto* const vector : {&x_, &b_}) {
      check(HYPRE_IJVectorCreate(MPI_COMM_SELF, 0, rows_ - 1, vector));
      check(HYPRE_IJVectorSetObjectType(*vector, HYPRE_PARCSR));
      check(HYPRE_IJVectorInitialize(*vector));
      check(HYPRE_IJVectorAssemble(*vector));
    }
    for (int row = 0; row < rows_; ++row) {
      indices_.push_back(row);
      lengths_.push_back(system.A.row_offsets(row + 1) - system.A.row_offsets(row));
    }
    columns_.assign(system.A.columns.data(), system.A.columns.data() + system.A.columns.extent(0));
    copy(system.b, b_);
    load();
  }
  HypreSolve(HypreSolve const&) = delete;
  HypreSolve& operator=(HypreSolve const&) = delete;
  ~HypreSolve() {
    destroy_solvers();
    HYPRE_IJVectorDestroy(x_);
    HYPRE_IJVectorDestroy(b_);
    HYPRE_IJMatrixDestroy(matrix_);
  }

  void load() {
    check(HYPRE_IJMatrixInitialize(matrix_));
    check(HYPRE_IJMatrixSetValues(matrix_, rows_, lengths_.data(), indices_.data(), columns_.data(),
                                  system_.A.values.data()));
    check(HYPRE_IJMatrixAssemble(matrix_));
  }
  /// BoomerAMG with its defaults, except for the strong threshold. hypre has no update.
  void set_up() {
    destroy_solvers();
    check(HYPRE_BoomerAMGCreate(&amg_));
    check(HYPRE_BoomerAMGSetMaxIter(amg_, 1));
    check(HYPRE_BoomerAMGSetTol(amg_, 0));
    check(HYPRE_BoomerAMGSetStrongThreshold(amg_, strong_threshold_));
    if (system_.has_coordinates()) check(HYPRE_BoomerAMGSetNumFunctions(amg_, 3));
    check(HYPRE_ParCSRPCGCreate(MPI_COMM_SELF, &pcg_));
    check(HYPRE_ParCSRPCGSetTol(pcg_, system_.tolerance));
    check(HYPRE_ParCSRPCGSetMaxIter(pcg_, max_iterations));
    check(HYPRE_ParCSRPCGSetTwoNorm(pcg_, 1));
    check(HYPRE_ParCSRPCGSetPrecond(pcg_, HYPRE_BoomerAMGSolve, HYPRE_BoomerAMGSetup, amg_));
    check(HYPRE_ParCSRPCGSetup(pcg_, matrix(), vector(b_), vector(x_)));  // calls BoomerAMGSetup
  }
  Solved solve() {
    check(HYPRE_ParVectorSetConstantValues(vector(x_), 0));
    auto const code = HYPRE_ParCSRPCGSolve(pcg_, matrix(), vector(b_), vector(x_));
    HYPRE_Int iterations = 0;
    check(HYPRE_ParCSRPCGGetNumIterations(pcg_, &iterations));
    if (code != 0) HYPRE_ClearAllErrors();
    auto const values = local(x_);
    for (std::size_t i = 0; i < system_.x.extent(0); ++i) system_.x(i) = values[i];
    return {code == 0 ? "converged" : "no convergence", iterations};
  }
  [[nodiscard]] double complexity() const {
    auto* const data = reinterpret_cast<hypre_ParAMGData*>(amg_);
    double sum = 0;
    for (int level = 0; level < hypre_ParAMGDataNumLevels(data); ++level)
      sum += hypre_CSRMatrixNumNonzeros(hypre_ParCSRMatrixDiag(hypre_ParAMGDataAArray(data)[level]));
    return sum / static_cast<double>(system_.A.nnz());
  }

 private:
  void destroy_solvers() {
    if (pcg_ != nullptr) HYPRE_ParCSRPCGDestroy(std::exchange(pcg_, nullptr));
    if (amg_ != nullptr) HYPRE_BoomerAMGDestroy(std::exchange(amg_, nullptr));
  }
  [[nodiscard]] HYPRE_ParCSRMatrix matrix() const {
    void* object = nullptr;
    check(HYPRE_IJMatrixGetObject(matrix_, &object));
    return static_cast<HYPRE_ParCSRMatrix>(object);
  }
  static HYPRE_ParVector vector(HYPRE_IJVector from) {
    void* object = nullptr;
    check(HYPRE_IJVectorGetObject(from, &object));
    return static_cast<HYPRE_ParVector>(object);
  }
  static double* local(HYPRE_IJVector from) {
    return hypre_VectorData(hypre_ParVectorLocalVector(vector(from)));
  }
  static void copy(Vector const& from, HYPRE_IJVector to) {
    std::copy(from.data(), from.data() + from.extent(0), local(to));
  }

  System const& system_;
  double strong_threshold_;
  HYPRE_Int rows_;
  std::vector<HYPRE_Int> lengths_;
  std::vector<HYPRE_BigInt> indices_, columns_;
  HYPRE_IJMatrix matrix_ = nullptr;
  HYPRE_IJVector x_ = nullptr, b_ = nullptr;
  HYPRE_Solver amg_ = nullptr, pcg_ = nullptr;
};

inline Method hypre_method(System const& system, std::string const& key, double strong_threshold) {
#ifdef HYPRE_USING_OPENMP
  char const* const threads = "OpenMP";
#else
  char const* const threads = "1 thread";
#endif
  auto const hypre = std::make_shared<HypreSolve>(system, strong_threshold);
  Method method;
  method.key = key;
  method.name = text("hypre AMG-PCG, strong %.2f (%s)", strong_threshold, threads);
  method.load = [=] { hypre->load(); };
  method.set_up = [=] { hypre->set_up(); };
  method.update = method.set_up;
  method.solve = [=] { return hypre->solve(); };
  method.complexity = [=] { return hypre->complexity(); };
  return method;
}

}  // namespace einkorn::perf::multigrid

#endif
