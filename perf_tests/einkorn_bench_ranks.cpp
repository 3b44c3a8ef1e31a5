// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// mpirun -n P einkorn-bench-ranks [MATRIX... | --grid N] [--formats csr,sell,dia,bdia] [--transport NAME] [--json FILE]
//
// Measures CG, Jacobi-PCG and BiCGStab with a 7-point stencil, whose rows are distributed in P blocks of equal
// size, or with matrices: time per iteration; time of one product, with and without the exchange of ghosts, of the exchange
// alone and of the gathering of 5 doubles alone; and the time per iteration of the same solver without MPI for the same
// system on rank 0, while the other ranks sleep. A time is that of the slowest rank, the median over the rounds.
// Each round measures all of them. --help lists the options. einkorn-bench --solve executes it under mpirun.
#include "distributed_solve/measure.hpp"
#include "distributed_solve/output.hpp"
#include "distributed_solve/problem.hpp"
#include "distributed_solve/settings.hpp"
#include "program/arguments.hpp"
#include "program/run_program.hpp"
#include "program/transport.hpp"
#include "support/bandwidth.hpp"
#include "support/context.hpp"
#include "support/stamp.hpp"
#include "support/timing.hpp"

#include <einkorn/core/comm/mpi_communicator.hpp>
#include <einkorn/core/error.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <sstream>
#include <utility>
#include <vector>

namespace {

using namespace einkorn;
using namespace einkorn::perf;

/// Measures one matrix in one format. Collective.
distributed::MeasuredFormat measure_one(Exec const& exec, Bandwidth const& bandwidth,
                                        program::ChosenTransport<Exec> const& chosen,
                                        distributed::Settings const& settings) {
  auto const problem = distributed::make_problem(exec, chosen.transport, settings,
                                                 *distributed::Formats::format_of(settings.format));
  auto sizes = distributed::sizes_of(problem, chosen.times);
  return {settings, std::move(sizes), distributed::measure(problem, bandwidth, settings)};
}

/// The exit code of this rank.
int run(int argc, char* argv[]) {
  distributed::Settings settings;
  auto const comm = make_mpi_communicator();
  bool const prints = comm.rank() == 0;
  CLI::App app("Measures solvers on the ranks of MPI.", "einkorn-bench-ranks");
  distributed::declare_options(app, settings);
  program::Arguments arguments(argc, argv);
  try {
    app.parse(arguments.count(), arguments.own.data());
  } catch (CLI::ParseError const& error) {
    std::ostringstream unseen;
    return app.exit(error, prints ? std::cout : unseen, prints ? std::cerr : unseen) == 0 ? program::done
                                                                                          : program::usage;
  }
  auto const kokkos = program::initialize_kokkos(arguments.kokkos);
  keep_freed_memory();
  Exec const exec;
  auto const context = context_of(exec);
  auto const chosen = program::transport_of(exec, comm, settings.transport);
  auto const bandwidth = comm.collectively([&] { return Bandwidth(exec, context); });
  if (prints) std::cout << stamp_text(context) << ", concurrency " << exec.concurrency() << " per rank\n";
  std::vector<distributed::MeasuredFormat> all;
  for (auto const& one : settings.measurements()) {
    try {
      all.push_back(measure_one(exec, bandwidth, chosen, one));
      if (!prints) continue;
      distributed::print_table(std::cout, all.back());
      if (!settings.json.empty())
        program::write_text_file(settings.json,
                                 distributed::records_of(context, bandwidth, all).dump(1) + "\n");
    } catch (FillLimit const& error) {  // on all ranks
      if (prints) std::cout << one.matrix_name() << ", " << one.format << ": " << error.what() << '\n';
    }
  }
  return program::done;
}

}  // namespace

int main(int argc, char* argv[]) {
  int level = MPI_THREAD_SINGLE, size = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int const code = program::run_program("einkorn-bench-ranks", [&] { return run(argc, argv); });
  // An error may be of one rank, and the others wait for it.
  if (code > program::usage && size > 1) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  return code;
}
