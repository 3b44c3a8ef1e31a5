// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// einkorn.perf.bicgstab_iterations FOLDER [MATRIX...]
//
// Counts the iterations of BiCGStab to 1e-8 of |b| from x = 0, without and with Jacobi, of Einkorn and (if it
// was found) Eigen, on the systems of unit_tests/solvers/nonsymmetric_set.hpp and on Matrix Market files with b
// = 1. Prints one line per system, separated by semicolons: name, iterations and restarts of Einkorn, the same
// with Jacobi, iterations of Eigen, the same with Jacobi; -1: not converged. The system of line k is written to
// FOLDER/k.mtx and FOLDER/k.b, for report/bicgstab_iterations.py.
#include "../unit_tests/solvers/nonsymmetric_set.hpp"
#include "program/run_program.hpp"
#include "support/matrices.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#ifdef EINKORN_WITH_EIGEN
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#endif

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace einkorn;
using namespace einkorn::perf;
using nonsymmetric::System;
using Matrix = Csr<double, int, int, Device>;

constexpr std::int64_t max_iterations = 5000;

template <class T>
Kokkos::View<T*, Device> on_device(std::vector<T> const& from) {
  Kokkos::View<T*, Device> const to("einkorn::perf", from.size());
  Kokkos::deep_copy(
      to, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(from.data(), from.size()));
  return to;
}
template <class View>
auto on_host(View const& from) {
  auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from);
  return std::vector<typename View::non_const_value_type>(mirror.data(), mirror.data() + mirror.extent(0));
}

System read_system(std::string const& file) {
  auto const A = read_matrix<double, int, int>(file);
  require<InvalidArgument>(A.num_rows == A.num_cols, [&] { return file + ": not square"; });
  System system;
  system.name = file.substr(file.rfind('/') + 1);
  system.offsets = on_host(A.row_offsets);
  system.columns = on_host(A.columns);
  system.values = on_host(A.values);
  system.b.assign(static_cast<std::size_t>(system.size()), 1.0);
  return system;
}

void write(System const& system, std::string const& path) {
  std::ofstream matrix(path + ".mtx"), right_hand_side(path + ".b");
  matrix << "%%MatrixMarket matrix coordinate real general\n"
         << system.size() << ' ' << system.size() << ' ' << system.values.size() << '\n'
         << std::setprecision(17);
  for (int i = 0; i < system.size(); ++i)
    for (int k = system.offsets[static_cast<std::size_t>(i)];
         k < system.offsets[static_cast<std::size_t>(i) + 1]; ++k)
      matrix << i + 1 << ' ' << system.columns[static_cast<std::size_t>(k)] + 1 << ' '
             << system.values[static_cast<std::size_t>(k)] << '\n';
  right_hand_side << std::setprecision(17);
  for (double const value : system.b) right_hand_side << value << '\n';
  require<IoError>(bool(matrix) && bool(right_hand_side), [&] { return path + ": cannot write"; });
}

std::string text_of(SolveReport const& report) {
  return std::to_string(report.converged() ? report.iterations : -1) + ';' + std::to_string(report.restarts);
}

std::string count_einkorn(Exec const& exec, System const& system) {
  Matrix const A(system.size(), system.size(), on_device(system.offsets), on_device(system.columns),
                 on_device(system.values));
  SolverOptions const options{.tolerance = 1e-8, .max_iterations = max_iterations};
  auto const b = on_device(system.b);
  Kokkos::View<double*, Device> const x("x", b.extent(0));
  auto const plain = text_of(bicgstab(exec, A, b, x, options));
  Kokkos::deep_copy(exec, x, 0.0);
  auto const M = make_jacobi(exec, A);
  return plain + ';' + text_of(bicgstab(exec, A, M, b, x, options));
}

#ifdef EINKORN_WITH_EIGEN
template <class Preconditioner>
std::string count_eigen(System const& system) {
  using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
  Eigen::Map<Sparse const> const map(system.size(), system.size(),
                                     static_cast<Eigen::Index>(system.values.size()), system.offsets.data(),
                                     system.columns.data(), system.values.data());
  Sparse const A = map;
  Eigen::BiCGSTAB<Sparse, Preconditioner> solver;
  solver.setTolerance(1e-8);
  solver.setMaxIterations(max_iterations);
  solver.compute(A);
  Eigen::VectorXd const b = Eigen::Map<Eigen::VectorXd const>(system.b.data(), system.size()),
                        x = solver.solve(b);
  return ';' +
         std::to_string(solver.info() == Eigen::Success && solver.error() <= 1e-8 ? solver.iterations() : -1);
}
#endif

int run(int argc, char* argv[]) {
  std::vector<std::string> const arguments(argv + 1, argv + argc);
  if (arguments.empty()) {
    std::cerr << "einkorn.perf.bicgstab_iterations FOLDER [MATRIX...]\n";
    return 2;
  }
  Kokkos::ScopeGuard const guard;
  Exec const exec;
  auto systems = nonsymmetric::systems();
  for (std::size_t i = 1; i < arguments.size(); ++i) systems.push_back(read_system(arguments[i]));
  for (std::size_t k = 0; k < systems.size(); ++k) {
    write(systems[k], arguments[0] + '/' + std::to_string(k));
    std::cout << systems[k].name << ';' << count_einkorn(exec, systems[k]);
#ifdef EINKORN_WITH_EIGEN
    std::cout << count_eigen<Eigen::IdentityPreconditioner>(systems[k])
              << count_eigen<Eigen::DiagonalPreconditioner<double>>(systems[k]);
#else
    std::cout << ";;";
#endif
    std::cout << std::endl;
  }
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  return einkorn::program::run_program("einkorn.perf.bicgstab_iterations", [&] { return run(argc, argv); });
}
