// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/run_program.hpp"
#include "support/bench_matrix.hpp"
#include "support/json.hpp"
#include "support/solve.hpp"
#include "support/solve_output.hpp"
#include "support/spgemm.hpp"
#include "support/spmm.hpp"
#include "support/suites.hpp"
#include "support/table.hpp"
#include "support/timing.hpp"

#include <einkorn/core/error.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace einkorn::perf;

using einkorn::program::done, einkorn::program::usage, einkorn::program::bad_input,
    einkorn::program::no_memory_or_device;
using einkorn::program::print_to_stdout;
constexpr int wrong_result = einkorn::program::negative_result;

struct Settings {
  std::vector<std::string> words;
  std::vector<NamedMatrix> matrices;
  Selection selection;
  Rule rule;
  std::string scalar = "double", ordinal = "int32", peers = "on", layout = "right", solver, product, json;
  SolveRequest solve;
  int columns = 0;
  bool verify = true;
};

void declare(CLI::App& app, Settings& settings) {
  app.add_option(
         "MATRIX", settings.words,
         "Matrix Market file (.mtx, .mtx.gz) or generator: gen:stencil7:100, gen:stencil27:160,\n"
         "gen:band:1000000:101, gen:rmat:21[:16], gen:powerlaw:N:MEAN, gen:circuit:N, gen:twin:cant, ...\n"
         "suite:csr5, suite:irregular, suite:regular: many at once")
      ->required();
  app.add_option("--formats", settings.selection.formats, "Our formats to run; all when left out")
      ->delimiter(',')
      ->check(CLI::IsMember({"csr", "csr5", "coo", "ell", "sell", "hyb", "dia", "bdia", "bsr", "brcv"}));
  auto* const algorithms = app.add_option("--algorithms", settings.selection.algorithms,
                                          "Our algorithms to run; all but half_atomic when left out")
                               ->delimiter(',')
                               ->check(CLI::IsMember({"row_thread",
                                                      "row_team",
                                                      "sorted_rows",
                                                      "row_bins",
                                                      "segmented_sum",
                                                      "automatic",
                                                      "half_atomic",
                                                      "tiles",
                                                      "ell_and_coo",
                                                      "window",
                                                      "block_row",
                                                      "row_thread_16",
                                                      "tiles_16",
                                                      "automatic_float_values",
                                                      "row_thread_float_values",
                                                      "row_thread_16_float_values",
                                                      "tiles_float_values",
                                                      "tiles_16_float_values",
                                                      "window_float_values",
                                                      "block_row_float_values"}));
  auto* const scalar = app.add_option("--scalar", settings.scalar)
                           ->check(CLI::IsMember({"float", "double", "complex"}))
                           ->capture_default_str();
  auto* const ordinal =
      app.add_option("--ordinal", settings.ordinal, "int64 (offsets size_t) is built for double only")
          ->check(CLI::IsMember({"int32", "int64"}))
          ->capture_default_str();
  app.add_option("--sigma", settings.selection.sigma, "csr5: entries a lane; by table when left out")
      ->check(CLI::Range(1, 32));
  app.add_option("--lanes", settings.selection.lanes,
                 "csr row_team: lanes a row on a GPU; by table when left out")
      ->check(CLI::IsMember({2, 4, 8, 16, 32, 64}));
  auto* const select =
      app.add_flag("--select", settings.selection.select,
                   "Also what select() chooses, by model and by measuring, and the time of structure()");
  auto* const columns = app.add_option("--columns", settings.columns,
                                       "Vectors at once (SpMM): CSR, BRCV and SELL beside cuSPARSE's SpMM")
                            ->check(CLI::Range(1, 4096));
  app.add_option("--layout", settings.layout, "Of the multivectors")
      ->check(CLI::IsMember({"left", "right"}))
      ->needs(columns)
      ->capture_default_str();
  auto* const solve =
      app.add_option(
             "--solve", settings.solver,
             "Iterations of a solver instead of SpMVs: ours beside cuSPARSE with cuBLAS, Kokkos Kernels "
             "and Eigen")
          ->check(CLI::IsMember({"cg", "jacobi-pcg", "bicgstab"}))
          ->excludes(algorithms)
          ->excludes(scalar)
          ->excludes(ordinal)
          ->excludes(select)
          ->excludes(columns);
  app.add_option("--spgemm", settings.product,
                 "C = A A, or C = A A^T, instead of SpMVs: ours beside cuSPARSE, Kokkos Kernels and Eigen")
      ->check(CLI::IsMember({"AA", "AAT"}))
      ->excludes(scalar)
      ->excludes(ordinal)
      ->excludes(select)
      ->excludes(columns)
      ->excludes(solve);
  app.add_option("--iterations", settings.solve.iterations,
                 "Of every solve that is timed; chosen by the clock when left out")
      ->check(CLI::Range(1, 1000000))
      ->needs(solve);
  app.add_flag(
         "--fusions", settings.solve.fusions,
         "jacobi-pcg of ours (csr, sell) with one fusion after the other switched on, instead of every solver")
      ->needs(solve);
  app.add_option("--history", settings.solve.history,
                 "Also solve to 1e-12 or for so many iterations, the residual after each in the JSON")
      ->check(CLI::Range(1, 10000))
      ->needs(solve);
  app.add_option("--peers", settings.peers, "Kokkos Kernels, cuSPARSE, Eigen in the same rounds")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app.add_option("--repeat", settings.rule.rounds, "Rounds, of which every figure is the median")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  auto* const warm = app.add_flag_callback(
      "--warm", [&] { settings.rule.cold = false; }, "Back to back only");
  app.add_flag_callback(
         "--cold", [&] { settings.rule.warm = false; }, "After a flush of the caches only")
      ->excludes(warm)
      ->excludes(solve);
  app.add_flag("--graph", settings.rule.graph,
               "Also in a CUDA graph: SpMVs captured back to back and replayed; CUDA only")
      ->excludes(columns)
      ->excludes(solve);
  app.add_flag("--gather", settings.rule.gather,
               "Also the rate of random reads of x, and the floor that it sets")
      ->excludes(columns)
      ->excludes(solve);
  app.add_flag("--verify,!--no-verify", settings.verify, "Check every row against a reference; on by default");
  app.add_option("--json", settings.json, "Also write every figure to this file");
  app.footer("Exit: 0 done, 1 a result is wrong, 2 usage, 3 bad input, 4 no memory or device.");
}

MatrixReport run_one(Exec const& exec, Bandwidth const& bandwidth, Settings const& settings,
                     std::string const& name) {
  auto const with = [&](auto bench) {
    return bench(exec, bandwidth, name, settings.selection, settings.rule, settings.verify);
  };
  if (settings.columns > 0) {
    auto const with_columns = [&](auto bench) {
      return bench(exec, bandwidth, name, settings.columns, settings.selection, settings.rule, settings.verify);
    };
    bool const right = settings.layout == "right";
    if (settings.scalar == "float")
      return right ? with_columns(bench_spmm<float, Kokkos::LayoutRight>)
                   : with_columns(bench_spmm<float, Kokkos::LayoutLeft>);
    return right ? with_columns(bench_spmm<double, Kokkos::LayoutRight>)
                 : with_columns(bench_spmm<double, Kokkos::LayoutLeft>);
  }
  if (settings.ordinal == "int64") return with(bench_matrix<double, std::int64_t, std::size_t>);
  if (settings.scalar == "float") return with(bench_matrix<float, int, int>);
  if (settings.scalar == "complex") return with(bench_matrix<Kokkos::complex<double>, int, int>);
  return with(bench_matrix<double, int, int>);
}

/// What went wrong, with the matrix unless the message has it.
void complain(std::string const& matrix, std::string const& what) {
  bool const named = what.find(matrix) != std::string::npos;
  std::cerr << "einkorn-bench: " << (named ? "" : matrix + ": ") << what << '\n';
}

/// Adds its records; true when a result is wrong.
template <class Report>
bool report_of(Context const& context, Report report, std::string const& suite,
               nlohmann::ordered_json& records) {
  report.suite = suite;
  for (auto const& record : records_of(context, report)) records.push_back(record);
  print_to_stdout([&](std::ostream& out) { print_table(out, report); });
  return std::any_of(report.results.begin(), report.results.end(), [](auto const& row) { return row.wrong; });
}

Method method_of(std::string const& solver) {
  for (auto const method : {Method::jacobi_pcg, Method::bicgstab})
    if (solver == name_of(method)) return method;
  return Method::cg;
}

int run_all(Settings const& settings) {
  keep_freed_memory();
  Exec const exec;
  auto const context = context_of(exec);
  warn_of_settings();
  Bandwidth const bandwidth(exec, context);
  print_to_stdout([&](std::ostream& out) { print_heading(out, context); });
  int worst = done;
  auto records = nlohmann::ordered_json::array();
  for (auto const& [name, suite] : settings.matrices) {
    try {
      auto const add = [&](auto report) { return report_of(context, std::move(report), suite, records); };
      bool const wrong =
          !settings.product.empty() ? add(bench_spgemm(exec, name, settings.product == "AAT",
                                                       settings.selection, settings.rule, settings.verify))
          : settings.solver.empty() ? add(run_one(exec, bandwidth, settings, name))
                                    : add(bench_solve(exec, bandwidth, name, settings.solve, settings.selection,
                                                      settings.rule, settings.verify));
      if (wrong) worst = std::max<int>(worst, wrong_result);
    } catch (einkorn::OutOfMemory const& error) {
      complain(name, error.what());
      worst = no_memory_or_device;
    } catch (einkorn::Error const& error) {
      complain(name, error.what());
      worst = std::max<int>(worst, bad_input);
    } catch (std::bad_alloc const& error) {
      complain(name, "no memory to measure it (" + std::string(error.what()) + ")");
      worst = no_memory_or_device;
    }
    if (!settings.json.empty()) write_json(settings.json, records);
  }
  return worst;
}

int bench(int argc, char* argv[]) {
  Settings settings;
  CLI::App app(
      "SpMV and solvers on real and generated matrices: each format beside its peers, as a fraction of copy\n"
      "bandwidth.",
      "einkorn-bench");
  declare(app, settings);
  std::vector<char*> ours, for_kokkos{argv[0]};
  for (int i = 0; i < argc; ++i)
    (std::string(argv[i]).rfind("--kokkos-", 0) == 0 ? for_kokkos : ours).push_back(argv[i]);
  try {
    app.parse(static_cast<int>(ours.size()), ours.data());
  } catch (CLI::ParseError const& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? done : usage;
  }
  if (settings.ordinal == "int64" && settings.scalar != "double") {
    std::cerr << "einkorn-bench: --ordinal int64 is built for --scalar double, not " << settings.scalar << '\n';
    return usage;
  }
  if (settings.columns > 0 && (settings.ordinal == "int64" || settings.scalar == "complex")) {
    std::cerr << "einkorn-bench: --columns is built for --scalar double and float, --ordinal int32\n";
    return usage;
  }
  settings.solve.method = method_of(settings.solver);
  auto const& formats = settings.selection.formats;
  if (settings.solve.fusions &&
      (settings.solve.method != Method::jacobi_pcg ||
       std::any_of(formats.begin(), formats.end(), [](auto const& f) { return f != "csr" && f != "sell"; }))) {
    std::cerr << "einkorn-bench: --fusions is built for --solve jacobi-pcg, --formats csr,sell\n";
    return usage;
  }
  try {
    settings.matrices = expand_suites(settings.words);
  } catch (einkorn::InvalidArgument const& error) {
    std::cerr << "einkorn-bench: " << error.what() << '\n';
    return usage;
  }
  settings.selection.peers = settings.peers == "on";
  int count = static_cast<int>(for_kokkos.size());
  for_kokkos.push_back(nullptr);
  Kokkos::ScopeGuard const kokkos(count, for_kokkos.data());
  return run_all(settings);
}

}  // namespace

int main(int argc, char* argv[]) {
  return einkorn::program::run_program("einkorn-bench", [&] { return bench(argc, argv); });
}
