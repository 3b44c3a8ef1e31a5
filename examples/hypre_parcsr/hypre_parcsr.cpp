// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// einkorn.example.hypre_parcsr [N]: a ParCSR matrix of hypre, the Laplace operator on N x N points, as a distributed
// matrix of Einkorn; its product, CG, and CG with hypre's BoomerAMG as the preconditioner. Exit status 0 if the products
// agree and both solutions have a small residual, as computed by hypre.
#include <einkorn/core/comm/mpi_communicator.hpp>
#include <einkorn/core/comm/mpi_transport.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/distributed/distribute_parts.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/distributed/operator.hpp>
#include <einkorn/solvers/pcg.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

#include <HYPRE.h>
#include <HYPRE_parcsr_ls.h>
#include <_hypre_IJ_mv.h>
#include <_hypre_parcsr_mv.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;
static_assert(std::is_same_v<HYPRE_Complex, double>, "hypre with real scalars of double precision");
static_assert(bool(Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible),
              "the arrays of this example are on the host");

void check(HYPRE_Int code) {
  if (code == 0) return;
  std::array<char, 256> text{};
  HYPRE_DescribeError(code, text.data());
  throw einkorn::Error(std::string("hypre: ") + text.data());
}

// [matrix]
/// The arrays of hypre as a Csr, without a copy.
auto as_csr(hypre_CSRMatrix* A) {
  using Indices = Kokkos::View<HYPRE_Int const*, Device>;
  auto const rows = hypre_CSRMatrixNumRows(A);
  auto const* const offsets = hypre_CSRMatrixI(A);
  auto const entries = static_cast<std::size_t>(offsets[rows]);
  return einkorn::Csr<double const, HYPRE_Int, HYPRE_Int, Device>{
      rows, hypre_CSRMatrixNumCols(A), Indices(offsets, static_cast<std::size_t>(rows) + 1),
      Indices(hypre_CSRMatrixJ(A), entries),
      Kokkos::View<double const*, Device>(hypre_CSRMatrixData(A), entries)};
}

/// A ParCSR matrix as a distributed matrix: diag is the local part, offd the ghost part with the global columns
/// col_map_offd. The structure of diag is shared, the values are copied; update_values() copies them again.
auto distribute(Exec const& exec, MPI_Comm mpi, hypre_ParCSRMatrix* A) {
  auto const comm = einkorn::make_mpi_communicator(mpi);
  auto offsets = comm.all_gather(static_cast<std::int64_t>(hypre_ParCSRMatrixFirstRowIndex(A)));
  offsets.push_back(hypre_ParCSRMatrixGlobalNumRows(A));
  auto* const offd = hypre_ParCSRMatrixOffd(A);
  auto const* const ghosts = hypre_ParCSRMatrixColMapOffd(A);
  return einkorn::distribute_parts(exec, comm, einkorn::RowBlocks(offsets), as_csr(hypre_ParCSRMatrixDiag(A)),
                                   as_csr(offd),
                                   std::vector<std::int64_t>(ghosts, ghosts + hypre_CSRMatrixNumCols(offd)));
}
// [matrix]

/// A vector of hypre with the rows of this rank.
class HypreVector {
 public:
  HypreVector(MPI_Comm mpi, HYPRE_BigInt first, HYPRE_BigInt rows, double value) {
    check(HYPRE_IJVectorCreate(mpi, first, first + rows - 1, &vector_));
    check(HYPRE_IJVectorSetObjectType(vector_, HYPRE_PARCSR));
    check(HYPRE_IJVectorInitialize(vector_));
    check(HYPRE_IJVectorAssemble(vector_));
    void* object = nullptr;
    check(HYPRE_IJVectorGetObject(vector_, &object));
    parallel_ = static_cast<HYPRE_ParVector>(object);
    view_ = Kokkos::View<double*, Device>(hypre_VectorData(hypre_ParVectorLocalVector(parallel_)),
                                          static_cast<std::size_t>(rows));
    Kokkos::deep_copy(view_, value);
  }
  HypreVector(HypreVector const&) = delete;
  HypreVector& operator=(HypreVector const&) = delete;
  ~HypreVector() { HYPRE_IJVectorDestroy(vector_); }

  [[nodiscard]] HYPRE_ParVector parallel() const { return parallel_; }
  [[nodiscard]] Kokkos::View<double*, Device> view() const { return view_; }

 private:
  HYPRE_IJVector vector_ = nullptr;
  HYPRE_ParVector parallel_ = nullptr;
  Kokkos::View<double*, Device> view_;
};

// [amg]
/// One V cycle of BoomerAMG with a symmetric smoother. Collective.
class BoomerAmg {
 public:
  BoomerAmg(HYPRE_ParCSRMatrix A, HypreVector const& r, HypreVector const& z) : A_(A), r_(r), z_(z) {
    check(HYPRE_BoomerAMGCreate(&solver_));
    check(HYPRE_BoomerAMGSetMaxIter(solver_, 1));
    check(HYPRE_BoomerAMGSetTol(solver_, 0));
    check(
        HYPRE_BoomerAMGSetRelaxType(solver_, 6));  // symmetric Gauss-Seidel within a rank, Jacobi between ranks
    check(HYPRE_BoomerAMGSetup(solver_, A_, r_.parallel(), z_.parallel()));
  }
  BoomerAmg(BoomerAmg const&) = delete;
  BoomerAmg& operator=(BoomerAmg const&) = delete;
  ~BoomerAmg() { HYPRE_BoomerAMGDestroy(solver_); }

  /// z <- M^-1 r. Waits for exec.
  template <class R, class Z>
  void apply(Exec const& exec, R const& r, Z const& z) const {
    Kokkos::deep_copy(exec, r_.view(), r);
    Kokkos::deep_copy(exec, z_.view(), 0.0);
    exec.fence("einkorn.example.hypre_parcsr: before BoomerAMG");
    check(HYPRE_BoomerAMGSolve(solver_, A_, r_.parallel(), z_.parallel()));
    Kokkos::deep_copy(exec, z, z_.view());
  }

 private:
  HYPRE_Solver solver_ = nullptr;
  HYPRE_ParCSRMatrix A_;
  HypreVector const& r_;
  HypreVector const& z_;
};
// [amg]

HYPRE_IJMatrix laplace(MPI_Comm mpi, HYPRE_BigInt n, HYPRE_BigInt first, HYPRE_BigInt rows) {
  HYPRE_IJMatrix A = nullptr;
  check(HYPRE_IJMatrixCreate(mpi, first, first + rows - 1, first, first + rows - 1, &A));
  check(HYPRE_IJMatrixSetObjectType(A, HYPRE_PARCSR));
  check(HYPRE_IJMatrixInitialize(A));
  for (auto row = first; row < first + rows; ++row) {
    std::vector<HYPRE_BigInt> columns = {row};
    std::vector<double> values = {4.0};
    auto const add = [&](bool exists, HYPRE_BigInt column) {
      if (!exists) return;
      columns.push_back(column);
      values.push_back(-1.0);
    };
    add(row / n > 0, row - n);
    add(row / n + 1 < n, row + n);
    add(row % n > 0, row - 1);
    add(row % n + 1 < n, row + 1);
    auto count = static_cast<HYPRE_Int>(columns.size());
    check(HYPRE_IJMatrixSetValues(A, 1, &count, &row, columns.data(), values.data()));
  }
  check(HYPRE_IJMatrixAssemble(A));
  return A;
}

double norm(HypreVector const& x) {
  HYPRE_Real square = 0;
  check(HYPRE_ParVectorInnerProd(x.parallel(), x.parallel(), &square));
  return std::sqrt(square);
}

bool run(MPI_Comm mpi, int n) {
  Exec const exec;
  int rank = 0, ranks = 0;
  MPI_Comm_rank(mpi, &rank);
  MPI_Comm_size(mpi, &ranks);
  auto const blocks = einkorn::RowBlocks::uniform(std::int64_t(n) * n, ranks);
  auto const first = static_cast<HYPRE_BigInt>(blocks.begin(rank));
  auto const rows = static_cast<HYPRE_BigInt>(blocks.size(rank));
  HYPRE_IJMatrix matrix = laplace(mpi, n, first, rows);
  void* object = nullptr;
  check(HYPRE_IJMatrixGetObject(matrix, &object));
  auto* const theirs = static_cast<HYPRE_ParCSRMatrix>(object);
  bool passed = true;
  {
    // [solve]
    auto const A = distribute(exec, mpi, theirs);
    auto const transport = std::make_shared<einkorn::MpiTransport<Exec>>(A.communicator);
    auto const op = einkorn::make_distributed_operator<double>(exec, A, transport);
    HypreVector const b(mpi, first, rows, 1.0), x(mpi, first, rows, 0.0);
    auto const report = einkorn::cg(exec, op, b.view(), x.view(), {.tolerance = 1e-10});
    // [solve]
    HypreVector const y(mpi, first, rows, 0.0), z(mpi, first, rows, 0.0);
    // r = b - A x by hypre, relative to b
    auto const residual = [&] {
      Kokkos::deep_copy(y.view(), b.view());
      check(HYPRE_ParCSRMatrixMatvec(-1.0, theirs, x.parallel(), 1.0, y.parallel()));
      return norm(y) / norm(b);
    };
    auto const of_cg = residual();

    op.apply(exec, x.view(), z.view());  // A x = b - r by Einkorn
    exec.fence();
    for (std::size_t i = 0; i < z.view().extent(0); ++i) z.view()(i) += y.view()(i) - b.view()(i);
    auto const difference = norm(z) / norm(b);

    // [pcg]
    HypreVector const amg_r(mpi, first, rows, 0.0), amg_z(mpi, first, rows, 0.0);
    BoomerAmg const M(theirs, amg_r, amg_z);
    Kokkos::deep_copy(x.view(), 0.0);
    auto const preconditioned = einkorn::pcg(exec, op, M, b.view(), x.view(), {.tolerance = 1e-10});
    // [pcg]
    auto const of_pcg = residual();

    if (rank == 0)
      std::printf(
          "%d ranks: products differ by %.1e; cg: %s, %lld iterations, residual %.1e; pcg with BoomerAMG: "
          "%s, %lld iterations, residual %.1e\n",
          ranks, difference, einkorn::name_of(report.outcome), static_cast<long long>(report.iterations), of_cg,
          einkorn::name_of(preconditioned.outcome), static_cast<long long>(preconditioned.iterations), of_pcg);
    passed = report.converged() && preconditioned.converged() && difference < 1e-12 && of_cg < 1e-9 &&
             of_pcg < 1e-9 && preconditioned.iterations < report.iterations;
  }
  check(HYPRE_IJMatrixDestroy(matrix));
  return passed;
}

}  // namespace

int main(int argc, char** argv) try {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  int const n = argc > 1 ? std::atoi(argv[1]) : 50;
  if (n < 1 || n > 40000) return std::fprintf(stderr, "usage: %s [N]\n", argv[0]), MPI_Abort(MPI_COMM_WORLD, 2);
  bool passed = false;
  {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    check(HYPRE_Init());
    passed = run(MPI_COMM_WORLD, n);  // communicators and transports end before MPI
    check(HYPRE_Finalize());
  }
  MPI_Finalize();
  return passed ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  MPI_Abort(MPI_COMM_WORLD, 3);
}
