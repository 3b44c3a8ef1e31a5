// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// einkorn.example.petsc_shell [-n N] [OPTIONS OF PETSC]: PETSc's CG with the product of Einkorn. The Laplace operator
// on N x N points is assembled by PETSc; a MatShell multiplies with it by Einkorn. Exit status 0 if both products give
// the same solution in the same number of iterations.
#include <einkorn/core/comm/mpi_communicator.hpp>
#include <einkorn/core/comm/mpi_transport.hpp>
#include <einkorn/formats/distributed/distribute_rows.hpp>
#include <einkorn/formats/distributed/update_values.hpp>
#include <einkorn/solvers/distributed/operator.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <petscksp.h>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
static_assert(std::is_same_v<PetscScalar, double>, "PETSc with real scalars of double precision");
static_assert(bool(Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible),
              "the arrays of VecGetArray are on the host; on a device use VecGetArrayAndMemType");

void check(PetscErrorCode code) {
  if (code != 0) throw einkorn::Error("PETSc: error " + std::to_string(code));
}

template <class T>
auto view(std::vector<T> const& array) {
  return Kokkos::View<T const*, Kokkos::HostSpace>(array.data(), array.size());
}

// [rows]
/// The rows of this rank, with global columns.
struct Rows {
  std::vector<int> offsets = {0};
  std::vector<std::int64_t> columns;
  std::vector<double> values;

  explicit Rows(Mat A) {
    PetscInt first = 0, last = 0;
    check(MatGetOwnershipRange(A, &first, &last));
    for (PetscInt row = first; row < last; ++row) {
      PetscInt count = 0;
      PetscInt const* cols = nullptr;
      PetscScalar const* vals = nullptr;
      check(MatGetRow(A, row, &count, &cols, &vals));
      columns.insert(columns.end(), cols, cols + count);
      values.insert(values.end(), vals, vals + count);
      offsets.push_back(static_cast<int>(columns.size()));
      check(MatRestoreRow(A, row, &count, &cols, &vals));
    }
  }
};

auto make_operator_of(Exec const& exec, Mat A) {
  auto const comm = einkorn::make_mpi_communicator(PetscObjectComm(reinterpret_cast<PetscObject>(A)));
  PetscInt const* ranges = nullptr;
  check(MatGetOwnershipRanges(A, &ranges));
  einkorn::RowBlocks const blocks(std::vector<std::int64_t>(ranges, ranges + comm.size() + 1));
  Rows const rows(A);
  auto const matrix =
      einkorn::distribute_rows(exec, comm, blocks, view(rows.offsets), view(rows.columns), view(rows.values));
  return einkorn::make_distributed_operator<double>(exec, matrix,
                                                    std::make_shared<einkorn::MpiTransport<Exec>>(comm));
}
// [rows]

// [shell]
struct Product {
  Exec exec;
  decltype(make_operator_of(Exec(), nullptr)) op;
};

/// y <- A x. Exceptions must not pass through the functions of PETSc.
PetscErrorCode multiply(Mat shell, Vec x, Vec y) {
  Product* product = nullptr;
  PetscCall(MatShellGetContext(shell, &product));
  PetscScalar const* from = nullptr;
  PetscScalar* to = nullptr;
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArrayWrite(y, &to));
  try {
    auto const rows = product->op.num_rows();
    product->op.apply(product->exec, Kokkos::View<double const*, Kokkos::HostSpace>(from, rows),
                      Kokkos::View<double*, Kokkos::HostSpace>(to, rows));
    product->exec.fence();
  } catch (std::exception const& error) {
    SETERRQ(PetscObjectComm(reinterpret_cast<PetscObject>(shell)), PETSC_ERR_LIB, "%s", error.what());
  }
  PetscCall(VecRestoreArrayWrite(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  return 0;
}

/// A matrix of PETSc that multiplies by `product`, which must exist as long as it.
Mat make_shell(Mat A, Product& product) {
  PetscInt rows = 0, cols = 0;
  check(MatGetLocalSize(A, &rows, &cols));
  Mat shell = nullptr;
  check(MatCreateShell(PetscObjectComm(reinterpret_cast<PetscObject>(A)), rows, cols, PETSC_DETERMINE,
                       PETSC_DETERMINE, &product, &shell));
  check(MatShellSetOperation(shell, MATOP_MULT, reinterpret_cast<void (*)()>(multiply)));
  return shell;
}
// [shell]

Mat laplace(PetscInt n) {
  Mat A = nullptr;
  check(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n, 5, nullptr, 4, nullptr, &A));
  PetscInt first = 0, last = 0;
  check(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; ++row) {
    auto const i = row / n, j = row % n;
    check(MatSetValue(A, row, row, 4.0, INSERT_VALUES));
    if (i > 0) check(MatSetValue(A, row, row - n, -1.0, INSERT_VALUES));
    if (i + 1 < n) check(MatSetValue(A, row, row + n, -1.0, INSERT_VALUES));
    if (j > 0) check(MatSetValue(A, row, row - 1, -1.0, INSERT_VALUES));
    if (j + 1 < n) check(MatSetValue(A, row, row + 1, -1.0, INSERT_VALUES));
  }
  check(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return A;
}

/// x <- op^-1 b by CG with Jacobi of A. Returns the iterations, -1 if it did not converge.
PetscInt solve(Mat op, Mat A, Vec b, Vec x) {
  KSP solver = nullptr;
  PC preconditioner = nullptr;
  check(KSPCreate(PETSC_COMM_WORLD, &solver));
  check(KSPSetType(solver, KSPCG));
  check(KSPSetOperators(solver, op, A));  // the preconditioner is that of the assembled matrix
  check(KSPGetPC(solver, &preconditioner));
  check(PCSetType(preconditioner, PCJACOBI));
  check(KSPSetTolerances(solver, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  check(KSPSetFromOptions(solver));
  check(KSPSolve(solver, b, x));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  check(KSPGetConvergedReason(solver, &reason));
  check(KSPGetIterationNumber(solver, &iterations));
  check(KSPDestroy(&solver));
  return reason > 0 ? iterations : -1;
}

/// |x - y| / |y|; overwrites x.
double difference(Vec x, Vec y) {
  PetscReal difference = 0, norm = 0;
  check(VecAXPY(x, -1.0, y));
  check(VecNorm(x, NORM_2, &difference));
  check(VecNorm(y, NORM_2, &norm));
  return difference / norm;
}

bool run() {
  PetscInt n = 50;
  check(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
  Mat A = laplace(n);
  Vec b = nullptr, x = nullptr, y = nullptr;
  check(MatCreateVecs(A, &x, &b));
  check(VecDuplicate(x, &y));
  check(VecSet(b, 1.0));

  Exec const exec;
  Product product{exec, make_operator_of(exec, A)};
  Mat shell = make_shell(A, product);
  auto const ours = solve(shell, A, b, x);
  auto const theirs = solve(A, A, b, y);
  auto const error = difference(x, y);

  check(MatScale(A, 2.0));  // other values, same structure
  Rows const rows(A);
  einkorn::update_values(exec, product.op.matrix(), view(rows.values));
  auto const after_update = solve(shell, A, b, x);
  check(VecScale(y, 0.5));
  auto const error_after_update = difference(x, y);

  check(PetscPrintf(PETSC_COMM_WORLD,
                    "%d ranks: %d iterations with Einkorn, %d with PETSc; the solutions differ by %.1e, after "
                    "update_values by %.1e\n",
                    product.op.communicator().size(), static_cast<int>(ours), static_cast<int>(theirs), error,
                    error_after_update));
  check(MatDestroy(&shell));
  check(MatDestroy(&A));
  check(VecDestroy(&b));
  check(VecDestroy(&x));
  check(VecDestroy(&y));
  return theirs > 0 && std::abs(ours - theirs) <= 1 && std::abs(after_update - theirs) <= 1 && error < 1e-8 &&
         error_after_update < 1e-8;
}

}  // namespace

int main(int argc, char** argv) try {
  check(PetscInitialize(&argc, &argv, nullptr, nullptr));
  bool passed = false;
  {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    passed = run();  // communicators and transports end before MPI
  }
  check(PetscFinalize());
  return passed ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  MPI_Abort(MPI_COMM_WORLD, 3);
}
