// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/settings.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/core/version.hpp>
#include <einkorn/formats/format_name.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace einkorn::perf {

namespace {

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (auto const format : all_formats) names.emplace_back(name_of(format));
  names.emplace_back("column_blocks");  // not in AnyMatrix
  return names;
}

void declare_options(CLI::App& app, Settings& settings) {
  app.add_option(
      "MATRIX", settings.matrix_arguments,
      "Matrix Market file (.mtx, .mtx.gz) or generator: gen:stencil7:100, gen:stencil27:160,\n"
      "gen:band:1000000:101, gen:rmat:21[:16], gen:powerlaw:N:MEAN, gen:circuit:N, gen:surrogate:cant, ...\n"
      "suite:csr5, suite:irregular, suite:regular: many at once");
  app.set_version_flag("--version", "einkorn-bench " + std::string(version()));
  app.add_flag("--all", settings.all,
               "A table of all formats and algorithms, warm and cold, instead of a summary");
  app.add_flag("--explain", settings.explain, "Explain the result in three sentences per matrix");
  app.add_flag("--peers,!--no-peers", settings.selection.peers,
               "Also Kokkos Kernels, cuSPARSE and Eigen, in the same rounds");
  app.add_flag("--calibrate", settings.calibrate,
               "Measure copy, stream, gather and launch for 20 s and write the profile that select() reads:\n"
               "the file in EINKORN_PROFILE, or einkorn/profile in the cache folder");
  app.add_flag("--quiet", settings.quiet, "No progress on stderr");
  app.add_option("--formats", settings.selection.formats,
                 "Einkorn formats to run. Default: those that may be fastest; with --all all")
      ->delimiter(',')
      ->check(CLI::IsMember(format_names()));
  auto* const algorithms = app.add_option("--algorithms", settings.selection.algorithms,
                                          "A table of these Einkorn algorithms. Default: all but half_atomic")
                               ->delimiter(',')
                               ->check(CLI::IsMember({"row_thread",
                                                      "row_team",
                                                      "sorted_rows",
                                                      "row_bins",
                                                      "segmented_sum",
                                                      "nonzero_split",
                                                      "automatic",
                                                      "half_atomic",
                                                      "tiles",
                                                      "ell_and_coo",
                                                      "two_passes",
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
      app.add_option("--ordinal", settings.ordinal, "int64 (offsets size_t) is available for double only")
          ->check(CLI::IsMember({"int32", "int64"}))
          ->capture_default_str();
  app.add_option("--sigma", settings.selection.sigma, "csr5: entries per lane. Default: by table")
      ->check(CLI::Range(1, 32));
  app.add_option("--lanes", settings.selection.lanes, "csr row_team: lanes per row on a GPU. Default: by table")
      ->check(CLI::IsMember({2, 4, 8, 16, 32, 64}));
  auto* const select = app.add_flag(
      "--select", settings.selection.select,
      "A table with the choices of select() by model and by measuring, and the time of structure()");
  app.add_option("--effort", settings.selection.effort,
                 "Formats and algorithms that --select measures: a short list, or all")
      ->check(CLI::IsMember({"measure", "exhaustive"}))
      ->needs(select)
      ->capture_default_str();
  app.add_option("--max-seconds", settings.selection.max_seconds,
                 "Limit of the measurement of each choice of --select")
      ->check(CLI::NonNegativeNumber)
      ->needs(select)
      ->capture_default_str();
  app.add_option("--wisdom", settings.selection.wisdom,
                 "File of measured times that --select reads, if it exists, and extends")
      ->needs(select);
  auto* const columns =
      app.add_option("--columns", settings.columns,
                     "SpMM with this many vectors: CSR, BRCV and SELL beside SpMM of cuSPARSE")
          ->check(CLI::Range(1, 4096));
  app.add_option("--layout", settings.layout, "Layout of the multivectors")
      ->check(CLI::IsMember({"left", "right"}))
      ->needs(columns)
      ->capture_default_str();
  auto* const solve =
      app.add_option(
             "--solve", settings.solver,
             "Iterations of a solver instead of SpMVs: Einkorn beside cuSPARSE with cuBLAS, Kokkos Kernels "
             "and Eigen. Under mpirun -n P: the solver on P ranks and on one process")
          ->check(CLI::IsMember({"cg", "jacobi-pcg", "bicgstab"}))
          ->excludes(algorithms)
          ->excludes(scalar)
          ->excludes(ordinal)
          ->excludes(select)
          ->excludes(columns);
  app.add_option("--spgemm", settings.product,
                 "C = A A or C = A A^T instead of SpMVs: Einkorn beside cuSPARSE, Kokkos Kernels and Eigen")
      ->check(CLI::IsMember({"AA", "AAT"}))
      ->excludes(scalar)
      ->excludes(ordinal)
      ->excludes(select)
      ->excludes(columns)
      ->excludes(solve);
  app.add_option("--iterations", settings.solve.iterations,
                 "Iterations per measured solve. Default: as many as take 20 ms")
      ->check(CLI::Range(1, 1000000))
      ->needs(solve);
  app.add_flag(
         "--fusions", settings.solve.fusions,
         "Einkorn's jacobi-pcg (csr, sell) with one fusion after the other enabled, instead of all solvers")
      ->needs(solve);
  app.add_option(
         "--transport", settings.transport,
         "Of several processes that mpirun starts: how they exchange data; see einkorn-bench-ranks --help")
      ->needs(solve);
  app.add_option("--history", settings.solve.history,
                 "Also solve to 1e-12 or for this many iterations; the residual after each is in the JSON")
      ->check(CLI::Range(1, 10000))
      ->needs(solve);
  app.add_option("--repeat", settings.measuring.rounds, "Rounds. Every time is the median over them")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  auto* const warm =
      app.add_flag_callback("--warm", [&] { settings.measuring.cold = false; }, "Back to back only");
  app.add_flag_callback(
         "--cold", [&] { settings.measuring.warm = false; }, "After a flush of the caches only")
      ->excludes(warm)
      ->excludes(solve);
  app.add_flag("--graph", settings.measuring.graph,
               "Also measure SpMVs captured back to back in a CUDA graph and replayed; CUDA only")
      ->excludes(columns)
      ->excludes(solve);
  app.add_flag("--gather", settings.measuring.gather,
               "Also measure the rate of random reads of x and the lower bound of the time that it implies")
      ->excludes(columns)
      ->excludes(solve);
  app.add_flag("--verify,!--no-verify", settings.verify, "Compare every row with a reference; on by default");
  app.add_option("--json", settings.json, "Also write all records to this file");
  app.footer(
      "If other programs use the same cores, set OMP_WAIT_POLICY=passive in the environment.\n"
      "Exit: 0 done, 1 a result is wrong, 2 usage, 3 bad input, 4 no memory or device.");
}

Method method_of(std::string const& solver) {
  for (auto const method : {Method::jacobi_pcg, Method::bicgstab})
    if (solver == name_of(method)) return method;
  return Method::cg;
}

/// The message for options that exclude each other; empty if there are none.
std::string option_conflict(Settings const& settings) {
  if (settings.ordinal == "int64" && settings.scalar != "double")
    return "--ordinal int64 is available for --scalar double only, not " + settings.scalar;
  if (settings.columns > 0 && (settings.ordinal == "int64" || settings.scalar == "complex"))
    return "--columns is available for --scalar double and float with --ordinal int32 only";
  auto const& formats = settings.selection.formats;
  auto const lacks_fusion_stages = [](auto const& format) { return format != "csr" && format != "sell"; };
  if (settings.solve.fusions && (settings.solve.method != Method::jacobi_pcg ||
                                 std::any_of(formats.begin(), formats.end(), lacks_fusion_stages)))
    return "--fusions is available for --solve jacobi-pcg with --formats csr,sell only";
  if (settings.matrix_arguments.empty() && !settings.calibrate)
    return "MATRIX is missing: a file or gen:...; see --help";
  if (settings.explain && !settings.wants_summary()) return "--explain applies to the summary, not to a table";
  return "";
}

}  // namespace

bool Settings::wants_summary() const {
  return !all && solver.empty() && product.empty() && columns == 0 && !selection.select && !measuring.graph &&
         !measuring.gather && selection.algorithms.empty();
}

bool Settings::needs_full_program() const {
  auto const& formats = selection.formats;
  auto const is_in_full_program = [](auto const& format) {
    return format == "coo" || format == "hyb" || format == "column_blocks";
  };
  return !matrices.empty() &&
         (!wants_summary() || selection.peers || scalar != "double" || ordinal != "int32" ||
          std::any_of(formats.begin(), formats.end(), is_in_full_program));
}

std::optional<Exit> read_command_line(int argc, char** argv, Settings& settings, bool prints) {
  std::ostringstream unseen;
  auto& out = prints ? std::cout : unseen;
  auto& errors = prints ? std::cerr : unseen;
  CLI::App app(
      "Measures which SpMV is the fastest for a matrix, what fraction of the memory bandwidth it reaches, and "
      "after\n"
      "how many products a conversion pays. Prints a few lines per matrix; --all prints every measured row.",
      "einkorn-bench");
  declare_options(app, settings);
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    return app.exit(error, out, errors) == 0 ? done : usage;
  }
  settings.solve.method = method_of(settings.solver);
  auto error_text = option_conflict(settings);
  try {
    settings.matrices = expand_suites(settings.matrix_arguments);
  } catch (InvalidArgument const& error) {
    error_text = error.what();
  }
  if (!error_text.empty()) {
    errors << "einkorn-bench: " << error_text << '\n';
    return usage;
  }
  if (settings.wants_summary() && settings.measuring.warm) settings.measuring.cold = false;
  settings.measuring.screen = settings.wants_summary();
  return {};
}

std::vector<std::string> ranks_command_line(Settings const& settings) {
  require<InvalidArgument>(
      !settings.solver.empty() && !settings.calibrate,
      "one of several processes of an MPI launcher: only --solve measures ranks; start one "
      "process for everything else");
  require<InvalidArgument>(!settings.solve.fusions && settings.solve.history == 0,
                           "--fusions and --history are not available on several ranks");
  std::vector<std::string> words;
  for (auto const& matrix : settings.matrices) words.push_back(matrix.name);
  auto const add = [&](char const* option, std::string const& value) {
    words.insert(words.end(), {option, value});
  };
  add("--solvers", settings.solver == "jacobi-pcg" ? "jacobi-scaled-cg,jacobi-pcg" : settings.solver);
  add("--repeat", std::to_string(settings.measuring.rounds));
  std::string formats;
  for (auto const& format : settings.selection.formats) formats += (formats.empty() ? "" : ",") + format;
  add("--formats", formats.empty() ? "all" : formats);
  if (settings.solve.iterations > 0) add("--iterations", std::to_string(settings.solve.iterations));
  if (!settings.transport.empty()) add("--transport", settings.transport);
  if (!settings.json.empty()) add("--json", settings.json);
  return words;
}

}  // namespace einkorn::perf
