// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// [mpirun -n P] einkorn.perf.belos MATRIX... [--tolerance T] [--max-iterations N] [--repeat N] [--json FILE]
//
// Solves A x = A (1, ..., 1) with a symmetric positive definite A from x = 0 by CG: PseudoBlockCGSolMgr of Belos over the
// Tpetra matrix and over the operator of make_operator(), BelosCg over the same operators, and cg(); in CSR and in the
// format that make_operator() chooses on rank 0. The rows are distributed in blocks of equal size. Each round runs every
// variant once; times are medians over the rounds, of the slowest rank, of the solve alone. Round -1 warms up.
#include "program/output.hpp"
#include "program/run_program.hpp"
#include "support/context.hpp"
#include "support/matrices.hpp"
#include "support/stamp.hpp"
#include "support/text.hpp"
#include "support/timing.hpp"

#include <einkorn/core/comm/mpi_transport.hpp>
#include <einkorn/formats/all_formats.hpp>
#include <einkorn/formats/interop/tpetra_distributed.hpp>
#include <einkorn/formats/interop/tpetra_operator.hpp>
#include <einkorn/solvers/any_operator.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/distributed/operator.hpp>
#include <einkorn/solvers/interop/belos_cg.hpp>
#include <einkorn/solvers/workspace.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace einkorn;
using namespace einkorn::perf;
using Map = Tpetra::Map<>;
using LO = Map::local_ordinal_type;
using GO = Map::global_ordinal_type;
using NO = Map::node_type;
using Matrix = Tpetra::CrsMatrix<double, LO, GO, NO>;
using MultiVector = Tpetra::MultiVector<double, LO, GO, NO>;
using Operator = Tpetra::Operator<double, LO, GO, NO>;
using TpetraExec = NO::execution_space;
using Formats = FormatList<Csr, Sell, Dia, Bdia, Bsr>;

struct Settings {
  std::vector<std::string> matrices;
  std::string json;
  double tolerance = 1e-8;
  int max_iterations = 2000, repeat = 5;
};

struct Variant {
  std::string name, format;
  std::function<int()> solve;             // of A x = b from the x that it refers to; returns the iterations
  std::function<void()> prepare = [] {};  // not measured
  std::vector<double> seconds = {};
  int iterations = 0;
  double error = 0;  // largest |x_i - 1|
};

Teuchos::RCP<Matrix const> to_tpetra(Csr<double, int, int, Device> const& whole) {
  auto const offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), whole.row_offsets);
  auto const columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), whole.columns);
  auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), whole.values);
  auto const map =
      Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(whole.num_rows), 0, Tpetra::getDefaultComm()));
  std::vector<std::size_t> lengths(map->getLocalNumElements());
  auto const begin = [&](std::size_t i) { return static_cast<std::size_t>(offsets(i)); };
  auto const row_of = [&](std::size_t i) {
    return static_cast<std::size_t>(map->getGlobalElement(static_cast<LO>(i)));
  };
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = begin(row_of(i) + 1) - begin(row_of(i));
  auto const A = Teuchos::rcp(new Matrix(map, Teuchos::arrayViewFromVector(lengths)));
  std::vector<GO> indices;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    auto const first = begin(row_of(i));
    indices.assign(columns.data() + first, columns.data() + first + lengths[i]);
    A->insertGlobalValues(static_cast<GO>(row_of(i)), static_cast<LO>(lengths[i]), values.data() + first,
                          indices.data());
  }
  A->fillComplete();
  return A;
}

/// A solver manager of Belos, made once and used in each round. LinearProblem::setProblem(), which computes the initial
/// residual, is not measured.
template <class Solver>
Variant belos(std::string const& name, std::string const& format, Teuchos::RCP<Operator const> const& op,
              MultiVector const& b, MultiVector& x, Settings const& settings) {
  auto const parameters = Teuchos::parameterList();
  parameters->set("Convergence Tolerance", settings.tolerance);
  parameters->set("Maximum Iterations", settings.max_iterations);
  auto const problem = Teuchos::rcp(new Belos::LinearProblem<double, MultiVector, Operator>(
      op, Teuchos::rcpFromRef(x), Teuchos::rcpFromRef(b)));
  auto const solver = std::make_shared<Solver>(problem, parameters);
  auto const solve = [solver] {
    solver->solve();
    return solver->getNumIters();
  };
  return {name, format, solve, [problem] { problem->setProblem(); }};
}

template <class Op>
std::function<int()> einkorn_cg(Op const& op, MultiVector const& b, MultiVector& x, Settings const& settings) {
  SolverOptions options{.tolerance = settings.tolerance};
  options.max_iterations = settings.max_iterations;
  auto const workspace = std::make_shared<CgWorkspace<double, TpetraExec>>(TpetraExec(), op, options);
  return [=, &b, &x] {
    auto const from = b.getLocalViewDevice(Tpetra::Access::ReadOnly);
    auto const to = x.getLocalViewDevice(Tpetra::Access::ReadWrite);
    return static_cast<int>(cg(TpetraExec(), op, Kokkos::subview(from, Kokkos::ALL, 0),
                               Kokkos::subview(to, Kokkos::ALL, 0), options, *workspace)
                                .iterations);
  };
}

double max_of_ranks(double value) {
  double result = 0;
  MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return result;
}

double error_of(MultiVector const& x) {
  auto const view = x.getLocalViewHost(Tpetra::Access::ReadOnly);
  double largest = 0;
  for (std::size_t i = 0; i < view.extent(0); ++i) largest = std::max(largest, std::abs(view(i, 0) - 1));
  return max_of_ranks(largest);
}

std::vector<Variant> measure(Teuchos::RCP<Matrix const> const& A, Settings const& settings) {
  using Pseudo = Belos::PseudoBlockCGSolMgr<double, MultiVector, Operator>;
  using Ours = tpetra::BelosCg<double, MultiVector, Operator, Formats>;
  MultiVector x(A->getDomainMap(), 1), b(A->getRangeMap(), 1);
  x.putScalar(1);
  A->apply(x, b);

  TpetraExec const exec;
  auto const D = tpetra::make_distributed_csr(exec, *A);
  auto const transport = std::make_shared<MpiTransport<TpetraExec>>(D.communicator);
  std::vector<Variant> variants{
      belos<Pseudo>("PseudoBlockCG over the Tpetra matrix", "csr", A, b, x, settings)};
  auto const add = [&](auto const& op) {
    auto const format = op->format();
    auto const distributed = make_distributed_operator<double>(exec, D, transport, [&](auto const& local) {
      return AnyOperator(make_any_matrix<double, Formats>(exec, local, format));
    });
    variants.push_back(
        belos<Pseudo>("PseudoBlockCG over make_operator()", name_of(format), op, b, x, settings));
    variants.push_back(belos<Ours>("BelosCg over make_operator()", name_of(format), op, b, x, settings));
    variants.push_back({"cg()", name_of(format), einkorn_cg(distributed, b, x, settings)});
  };
  add(tpetra::make_operator<Formats>(A, {.format = FormatName::csr}));
  auto const automatic = tpetra::make_operator<Formats>(A);
  if (max_of_ranks(automatic->format() == FormatName::csr ? 0 : 1) > 0)
    add(automatic);  // on all ranks or on none
  for (int round = -1; round < settings.repeat; ++round)
    for (auto& variant : variants) {
      x.putScalar(0);
      variant.prepare();
      MPI_Barrier(MPI_COMM_WORLD);
      Kokkos::Timer const timer;
      variant.iterations = variant.solve();
      exec.fence();
      double const seconds = max_of_ranks(timer.seconds());
      if (round >= 0) variant.seconds.push_back(seconds);
      variant.error = error_of(x);
    }
  return variants;
}

void print(std::string const& matrix, Matrix const& A, std::vector<Variant> const& variants) {
  auto const time_of = [&](std::string const& name, std::string const& format) {
    for (auto const& v : variants)
      if (v.name == name && v.format == format) return median(v.seconds);
    return 0.0;
  };
  std::cout << '\n'
            << matrix << ": " << A.getGlobalNumRows() << " rows, " << A.getGlobalNumEntries() << " entries\n";
  std::cout << "variant                               format  iterations       time    spread  of cg()  of "
               "Belos, Tpetra  error\n";
  for (auto const& v : variants) {
    double const time = median(v.seconds);
    std::cout << text("%-36s  %-6s  %10d  %9s  %7.1f%%  %7.2f  %16.2f  %.1e\n", v.name.c_str(),
                      v.format.c_str(), v.iterations, time_text(time).c_str(),
                      100 * spread(v.seconds).value_or(0), time / time_of("cg()", v.format),
                      time / time_of("PseudoBlockCG over the Tpetra matrix", "csr"), v.error);
  }
}

int run_all(Settings const& settings) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Exec const exec;
  auto const context = context_of(exec);
  nlohmann::json records = nlohmann::json::array();
  if (rank == 0)
    std::cout << stamp_text(context) << ", " << ranks << " ranks, median of " << settings.repeat << '\n';
  for (auto const& name : settings.matrices) {
    auto const A = to_tpetra(load_matrix<double, int, int>(exec, name));
    auto const variants = measure(A, settings);
    if (rank != 0) continue;
    print(name, *A, variants);
    for (auto const& v : variants) {
      nlohmann::json record{{"operation", "belos_cg"},
                            {"matrix", name},
                            {"ranks", ranks},
                            {"rows", A->getGlobalNumRows()},
                            {"entries", A->getGlobalNumEntries()},
                            {"variant", v.name},
                            {"format", v.format},
                            {"iterations", v.iterations},
                            {"tolerance", settings.tolerance},
                            {"seconds", v.seconds},
                            {"error", v.error}};
      stamp(record, context);
      records.push_back(std::move(record));
    }
  }
  if (rank == 0 && !settings.json.empty()) program::write_text_file(settings.json, records.dump(1) + '\n');
  return 0;
}

int parse_and_run(int argc, char* argv[]) {
  Settings settings;
  CLI::App app("Measures CG of Belos over matrices of Tpetra and over operators of Einkorn.",
               "einkorn.perf.belos");
  app.add_option("MATRIX", settings.matrices, "Matrix Market file or generator: gen:stencil7:100, ...")
      ->required();
  app.add_option("--tolerance", settings.tolerance, "|b - A x| / |b|")->capture_default_str();
  app.add_option("--max-iterations", settings.max_iterations)
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--repeat", settings.repeat)->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--json", settings.json, "File for the records");
  CLI11_PARSE(app, argc, argv);
  return run_all(settings);
}

}  // namespace

int main(int argc, char* argv[]) {
  Tpetra::ScopeGuard const scope(&argc, &argv);
  return einkorn::program::run_program("einkorn.perf.belos", [&] { return parse_and_run(argc, argv); });
}
