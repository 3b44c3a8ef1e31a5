// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/settings.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/core/version.hpp>
#include <einkorn/formats/format_name.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

namespace einkorn::perf {

namespace {

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (auto const format : all_formats) names.emplace_back(name_of(format));
  return names;
}

void declare(CLI::App& app, Settings& settings) {
  app.add_option(
      "MATRIX", settings.words,
      "Matrix Market file (.mtx, .mtx.gz) or generator: gen:stencil7:100, gen:stencil27:160,\n"
      "gen:band:1000000:101, gen:rmat:21[:16], gen:powerlaw:N:MEAN, gen:circuit:N, gen:surrogate:cant, ...\n"
      "suite:csr5, suite:irregular, suite:regular: many at once");
  app.set_version_flag("--version", "einkorn-bench " + std::string(version()));
  app.add_flag("--all", settings.all,
               "A table of all formats and kernels, warm and cold, instead of the answer");
  app.add_flag("--explain", settings.explain, "Why, in three sentences a matrix");
  app.add_flag("--peers,!--no-peers", settings.selection.peers,
               "Also Kokkos Kernels, cuSPARSE and Eigen, in the same rounds");
  app.add_flag("--calibrate", settings.calibrate,
               "Measure copy, stream, gather and launch for 20 s and keep them for select(): in the file that\n"
               "EINKORN_PROFILE names, or einkorn/profile in the cache folder");
  app.add_flag("--quiet", settings.quiet, "No progress on stderr");
  app.add_option("--formats", settings.selection.formats,
                 "Our formats to run; those that may pay when left out, with --all all")
      ->delimiter(',')
      ->check(CLI::IsMember(format_names()));
  auto* const algorithms =
      app.add_option("--algorithms", settings.selection.algorithms,
                     "A table of these algorithms of ours; all but half_atomic when left out")
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
  auto* const select = app.add_flag(
      "--select", settings.selection.select,
      "A table, with what select() chooses, by model and by measuring, and the time of structure()");
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
  app.add_option("--repeat", settings.rule.rounds, "Rounds, of which every figure is the median")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  auto* const warm = app.add_flag_callback("--warm", [&] { settings.rule.cold = false; }, "Back to back only");
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
  app.footer(
      "Where other programs use the same cores, set OMP_WAIT_POLICY=passive in the environment.\n"
      "Exit: 0 done, 1 a result is wrong, 2 usage, 3 bad input, 4 no memory or device.");
}

Method method_of(std::string const& solver) {
  for (auto const method : {Method::jacobi_pcg, Method::bicgstab})
    if (solver == name_of(method)) return method;
  return Method::cg;
}

/// Two options that do not go together; empty where there are none.
std::string contradiction(Settings const& settings) {
  if (settings.ordinal == "int64" && settings.scalar != "double")
    return "--ordinal int64 is built for --scalar double, not " + settings.scalar;
  if (settings.columns > 0 && (settings.ordinal == "int64" || settings.scalar == "complex"))
    return "--columns is built for --scalar double and float, --ordinal int32";
  auto const& formats = settings.selection.formats;
  auto const has_no_stages = [](auto const& format) { return format != "csr" && format != "sell"; };
  if (settings.solve.fusions && (settings.solve.method != Method::jacobi_pcg ||
                                 std::any_of(formats.begin(), formats.end(), has_no_stages)))
    return "--fusions is built for --solve jacobi-pcg, --formats csr,sell";
  if (settings.words.empty() && !settings.calibrate) return "MATRIX is missing: a file or gen:...; see --help";
  if (settings.explain && !settings.wants_answer()) return "--explain belongs to the answer, not to a table";
  return "";
}

}  // namespace

bool Settings::wants_answer() const {
  return !all && solver.empty() && product.empty() && columns == 0 && !selection.select && !rule.graph &&
         !rule.gather && selection.algorithms.empty();
}

bool Settings::needs_full_program() const {
  auto const& formats = selection.formats;
  auto const is_left_out = [](auto const& format) { return format == "coo" || format == "hyb"; };
  return !matrices.empty() && (!wants_answer() || selection.peers || scalar != "double" || ordinal != "int32" ||
                               std::any_of(formats.begin(), formats.end(), is_left_out));
}

std::optional<Exit> read_command_line(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Which SpMV is the fastest for a matrix, how close is it to the speed of the memory, and when has a\n"
      "conversion paid? A few lines a matrix; --all prints every row that was measured.",
      "einkorn-bench");
  declare(app, settings);
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? done : usage;
  }
  settings.solve.method = method_of(settings.solver);
  auto wrong = contradiction(settings);
  try {
    settings.matrices = expand_suites(settings.words);
  } catch (InvalidArgument const& error) {
    wrong = error.what();
  }
  if (!wrong.empty()) {
    std::cerr << "einkorn-bench: " << wrong << '\n';
    return usage;
  }
  if (settings.wants_answer() && settings.rule.warm) settings.rule.cold = false;
  settings.rule.screen = settings.wants_answer();
  return {};
}

}  // namespace einkorn::perf
