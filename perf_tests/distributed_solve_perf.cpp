// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// mpirun -n P einkorn.perf.distributed_solve [--grid N] [--format csr|dia] [--iterations N] [--repeat N]
// [--json FILE]
//
// Measures CG with a 7-point stencil on a grid of N^3 points, whose rows are distributed in P blocks of equal
// size: time per iteration; time of one product, of the exchange of ghosts alone and of the gathering of 5
// doubles alone; and the time per iteration of cg() without MPI for the same system on rank 0, while the other
// ranks sleep. A time is the largest of the ranks, the median over the rounds. Each round measures all of them.
#include "program/run_program.hpp"
#include "support/context.hpp"
#include "support/stamp.hpp"
#include "support/text.hpp"
#include "support/timing.hpp"

#include <einkorn/core/comm/mpi_communicator.hpp>
#include <einkorn/core/comm/mpi_transport.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/dia/spmv.hpp>
#include <einkorn/formats/distributed/distribute_rows.hpp>
#include <einkorn/formats/generate/generate.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/distributed/operator.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace einkorn;
using namespace einkorn::perf;
using Vector = Kokkos::View<double*, Device>;
using OnHost = Kokkos::HostSpace;

struct Settings {
  int grid = 64, iterations = 50, repeat = 7, calls = 20;
  std::string format = "csr", json;
};

std::string spec_of(Settings const& settings) {
  return "gen:stencil7:" + std::to_string(settings.grid);
}

/// The rows of this rank, computed on the host.
DistributedCsr<double, int, int, Device> distributed_stencil(Exec const& exec, Communicator const& comm,
                                                             std::string const& spec) {
  auto const pattern = make_stencil(parse_generator(spec), false);
  auto const blocks = RowBlocks::uniform(pattern.num_rows(), comm.size());
  auto const first = blocks.begin(comm.rank()), rows = blocks.size(comm.rank());
  Kokkos::View<int*, OnHost> const offsets("einkorn::perf::offsets", static_cast<std::size_t>(rows) + 1);
  for (std::int64_t i = 0; i < rows; ++i)
    offsets(static_cast<std::size_t>(i) + 1) =
        offsets(static_cast<std::size_t>(i)) + static_cast<int>(pattern.row(first + i).length());
  auto const entries = static_cast<std::size_t>(offsets(static_cast<std::size_t>(rows)));
  Kokkos::View<std::int64_t*, OnHost> const columns("einkorn::perf::columns", entries);
  Kokkos::View<double*, OnHost> const values("einkorn::perf::values", entries);
  for (std::int64_t i = 0; i < rows; ++i) {
    auto const row = pattern.row(first + i);
    auto const begin = static_cast<std::size_t>(offsets(static_cast<std::size_t>(i)));
    for (std::int64_t k = 0; k < row.length(); ++k) {
      columns(begin + static_cast<std::size_t>(k)) = row.column(k);
      values(begin + static_cast<std::size_t>(k)) = scalar_from<double>(row.value(row.column(k)));
    }
  }
  return distribute_rows(exec, comm, blocks, offsets, columns, values);
}

/// Waits for the other ranks without using a core, which Open MPI does.
void sleep_until_all_arrive() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int arrived = 0;;) {
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (arrived != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Vector ones(std::size_t n) {
  Vector const v("einkorn::perf::ones", n);
  Kokkos::deep_copy(v, 1.0);
  return v;
}

/// The times of one quantity in seconds.
struct Quantity {
  std::string name, key;
  std::vector<double> samples;
};

class Measurement {
 public:
  Measurement(Exec const& exec, Communicator const& comm, Settings const& settings)
      : exec_(exec), comm_(comm), settings_(settings) {
    options_.tolerance = 0;
    options_.max_iterations = settings.iterations;
    options_.max_stalls = 0;
    options_.divergence_factor = 1e150;
  }
  /// Seconds of work() per call, of the slowest rank.
  double on_ranks(int calls, std::function<void()> const& work) const {
    exec_.fence();
    MPI_Barrier(MPI_COMM_WORLD);
    Kokkos::Timer const timer;
    for (int i = 0; i < calls; ++i) work();
    exec_.fence();
    auto const all = comm_.all_gather(timer.seconds() / calls);
    return *std::max_element(all.begin(), all.end());
  }
  /// Seconds per iteration of CG on all ranks.
  template <class Operator, class Workspace>
  double cg_on_ranks(Operator const& op, Vector const& b, Workspace const& workspace) const {
    Vector const x("einkorn::perf::x", b.extent(0));
    std::int64_t iterations = 1;
    double const seconds =
        on_ranks(1, [&] { iterations = cg(exec_, op, b, x, options_, workspace).iterations; });
    return seconds / static_cast<double>(std::max<std::int64_t>(1, iterations));
  }
  /// Seconds per iteration of CG without MPI on this process.
  template <class Operator, class Workspace>
  double cg_alone(Operator const& op, Vector const& b, Workspace const& workspace) const {
    Vector const x("einkorn::perf::x", b.extent(0));
    std::int64_t iterations = 1;
    double const seconds =
        wall_seconds_of(exec_, [&] { iterations = cg(exec_, op, b, x, options_, workspace).iterations; });
    return seconds / static_cast<double>(std::max<std::int64_t>(1, iterations));
  }
  /// The quantities, on rank 0 with the reference.
  template <class ToOperator>
  std::vector<Quantity> operator()(ToOperator const& to_operator) const {
    auto const A = distributed_stencil(exec_, comm_, spec_of(settings_));
    std::shared_ptr<Transport<Exec>> const transport = std::make_shared<MpiTransport<Exec>>(comm_);
    auto const op = make_distributed_operator<double>(exec_, A, transport, to_operator);
    auto const b = ones(op.num_rows());
    Vector const y("einkorn::perf::y", b.extent(0));
    CgWorkspace<double, Exec> const workspace(exec_, op, options_);
    auto const halo = transport->open_halo(exec_, A.halo.messages, sizeof(double));
    auto const gather = transport->open_gather(exec_, 5);
    require_convergence(op, b, workspace);

    using Alone = decltype(to_operator(A.local));
    std::optional<Alone> alone;
    std::optional<CgWorkspace<double, Exec>> alone_workspace;
    Vector alone_b;
    if (comm_.rank() == 0) {
      alone.emplace(to_operator(generate<double, int, int, Device>(exec_, spec_of(settings_))));
      alone_workspace.emplace(exec_, *alone, options_);
      alone_b = ones(alone->num_rows());
    }
    std::vector<Quantity> quantities{{"CG, per iteration", "cg", {}},
                                     {"product", "product", {}},
                                     {"exchange of ghosts", "exchange", {}},
                                     {"gather of 5 doubles", "gather", {}},
                                     {"CG without MPI on rank 0, per iteration", "cg_alone", {}}};
    for (int round = -1; round < settings_.repeat; ++round) {  // round -1 is a warm-up
      double const times[] = {cg_on_ranks(op, b, workspace),
                              on_ranks(settings_.calls, [&] { op.apply(exec_, b, y); }),
                              on_ranks(settings_.calls,
                                       [&] {
                                         halo->start(exec_);
                                         halo->finish(exec_);
                                       }),
                              on_ranks(settings_.calls, [&] { gather->gather(exec_, 0, 5); }),
                              alone ? cg_alone(*alone, alone_b, *alone_workspace) : 0};
      sleep_until_all_arrive();
      if (round >= 0)
        for (std::size_t q = 0; q < quantities.size(); ++q) quantities[q].samples.push_back(times[q]);
    }
    return quantities;
  }

 private:
  template <class Operator, class Workspace>
  void require_convergence(Operator const& op, Vector const& b, Workspace const& workspace) const {
    auto options = options_;
    options.tolerance = 1e-8;
    options.max_iterations = 10000;
    Vector const x("einkorn::perf::x", b.extent(0));
    auto const report = cg(exec_, op, b, x, options, workspace);
    require<Error>(report.converged(), [&] {
      return "CG on " + std::to_string(comm_.size()) + " ranks: " + name_of(report.outcome) + " after " +
             std::to_string(report.iterations) + " iterations, expected convergence to 1e-8";
    });
  }

  Exec exec_;
  Communicator comm_;
  Settings settings_;
  SolverOptions options_;
};

std::vector<Quantity> measure(Exec const& exec, Communicator const& comm, Settings const& settings) {
  Measurement const measurement(exec, comm, settings);
  if (settings.format == "dia")
    return measurement([&](auto const& A) { return make_operator<double>(exec, from_csr<Dia>(exec, A)); });
  return measurement([&](auto const& A) { return make_operator<double>(exec, A); });
}

void print(Exec const& exec, Communicator const& comm, Settings const& settings,
           std::vector<Quantity> const& quantities) {
  auto const context = context_of(exec);
  std::cout << stamp_text(context) << '\n'
            << spec_of(settings) << ", " << settings.format << ", " << comm.size() << " ranks of concurrency "
            << exec.concurrency() << ", " << settings.iterations << " iterations, median of " << settings.repeat
            << "\n\n";
  for (auto const& quantity : quantities)
    std::cout << text("%-40s %10s   spread %5.1f%%\n", quantity.name.c_str(),
                      time_text(median(quantity.samples)).c_str(), 100 * spread(quantity.samples).value_or(0));
  std::cout << text("%-40s %10.2f\n", "CG without MPI / CG on the ranks",
                    median(quantities.back().samples) / median(quantities.front().samples));
  if (settings.json.empty()) return;
  nlohmann::json record{
      {"matrix", spec_of(settings)},       {"format", settings.format},         {"ranks", comm.size()},
      {"concurrency", exec.concurrency()}, {"iterations", settings.iterations}, {"repeat", settings.repeat}};
  stamp(record, context);
  for (auto const& quantity : quantities)
    record["seconds"][quantity.key] = {{"median", median(quantity.samples)}, {"samples", quantity.samples}};
  program::write_text_file(settings.json, record.dump(2) + "\n");
}

/// The exit code of this rank.
int run(int argc, char* argv[]) {
  Settings settings;
  auto const comm = make_mpi_communicator();
  CLI::App app("Measures CG on the ranks of MPI for a 7-point stencil.", "einkorn.perf.distributed_solve");
  app.add_option("--grid", settings.grid, "Points per direction")
      ->check(CLI::Range(1, 800))
      ->capture_default_str();
  app.add_option("--format", settings.format)->check(CLI::IsMember({"csr", "dia"}))->capture_default_str();
  app.add_option("--iterations", settings.iterations)->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--repeat", settings.repeat, "Rounds")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--json", settings.json, "Write the samples to this file");
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    std::ostringstream unseen;
    bool const prints = comm.rank() == 0;
    return app.exit(error, prints ? std::cout : unseen, prints ? std::cerr : unseen) == 0 ? program::done
                                                                                          : program::usage;
  }
  Kokkos::ScopeGuard const kokkos;
  keep_freed_memory();
  Exec const exec;
  auto const quantities = measure(exec, comm, settings);
  if (comm.rank() == 0) print(exec, comm, settings, quantities);
  return program::done;
}

}  // namespace

int main(int argc, char* argv[]) {
  int level = MPI_THREAD_SINGLE, size = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int const code = program::run_program("einkorn.perf.distributed_solve", [&] { return run(argc, argv); });
  // An error may be of one rank, and the others wait for it.
  if (code > program::usage && size > 1) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  return code;
}
