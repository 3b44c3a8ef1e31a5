// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/arguments.hpp"
#include "program/execute.hpp"
#include "program/launcher.hpp"
#include "program/run_program.hpp"
#include "support/advice.hpp"
#include "support/calibrate.hpp"
#include "support/program.hpp"
#include "support/progress.hpp"
#include "support/table.hpp"
#include "support/text.hpp"
#include "support/timing.hpp"

#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <new>
#include <system_error>

namespace einkorn::perf {

namespace {

/// Prints an error on stderr, prefixed by the matrix unless the message contains it.
void report_error(std::string const& matrix, std::string const& what) {
  bool const named = what.find(matrix) != std::string::npos;
  progress::finish();
  std::cerr << "einkorn-bench: " << (named ? "" : matrix + ": ") << with_program_options(what) << '\n';
}

void print_total(std::ostream& out, Run const& run, double seconds) {
  out << text("\n%zu %s in %.1f s", run.settings.matrices.size(),
              run.settings.matrices.size() == 1 ? "matrix" : "matrices", seconds);
  char const* separator = ": ";
  for (auto const& [stage, seconds_of_stage] : progress::seconds()) {
    if (seconds_of_stage < 0.05) continue;
    out << separator << stage << text(" %.1f s", seconds_of_stage);
    separator = ", ";
  }
  out << "\n--all prints every row, --explain gives the reasons"
      << (run.settings.selection.peers ? "" : ", --peers also measures Kokkos Kernels, cuSPARSE and Eigen")
      << '\n';
}

/// --calibrate: measures the machine and writes the profile that select() reads, in this run too.
void calibrate_and_write(Run const& run, std::string const& path) {
  require<InvalidArgument>(!path.empty(),
                           "--calibrate: no file for the profile: set EINKORN_PROFILE to a path, or HOME");
  (void)read_profile(path);  // fails before the measurement if the file is invalid
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  require_writable("--calibrate", path);
  auto const seconds = run.settings.measuring.rounds < 3 ? 0.0 : 20.0;
  auto const machine = calibrate(run.exec, run.bandwidth, seconds);
  write_profile(path, machine);
  program::print_to_stdout([&](std::ostream& out) {
    out << path << ": " << machine.machine
        << text("\n  copy %.1f GB/s, stream %.1f GB/s, gather %.3g G/s, launch %s\n",
                1e-9 * machine.copy_bytes_per_second, 1e-9 * machine.stream_bytes_per_second,
                1e-9 * machine.gather_per_second, time_text(machine.launch_seconds).c_str());
  });
}

int run_all(Settings const& settings, Bench const& bench) {
  Kokkos::Timer const timer;
  keep_freed_memory();
  Exec const exec;
  auto const context = context_of(exec);
  warn_about_environment();
  Bandwidth const bandwidth(exec, context);
  Run run{exec, context, bandwidth, settings, nlohmann::ordered_json::array(), {}};
  program::print_to_stdout([&](std::ostream& out) { print_heading(out, context); });
  if (settings.calibrate) calibrate_and_write(run, profile_path());
  int worst = done;
  for (auto const& matrix : settings.matrices) {
    try {
      if (bench(run, matrix)) worst = std::max<int>(worst, wrong_result);
    } catch (OutOfMemory const& error) {
      report_error(matrix.name, error.what());
      worst = no_memory_or_device;
    } catch (Error const& error) {
      report_error(matrix.name, error.what());
      worst = std::max<int>(worst, bad_input);
    } catch (std::bad_alloc const& error) {
      report_error(matrix.name, "no memory for the measurement (" + std::string(error.what()) + ")");
      worst = no_memory_or_device;
    }
    if (!settings.json.empty()) write_json(settings.json, run.records);
  }
  program::print_to_stdout([&](std::ostream& out) {
    if (run.lines.size() > 1) print_summary_table(out, run.lines);
    if (!run.lines.empty()) print_total(out, run, timer.seconds());
  });
  return worst;
}

/// --solve on the ranks of MPI.
int run_on_ranks(Settings const& settings, program::Arguments const& arguments) {
  std::vector<std::string> words;
  try {
    words = ranks_command_line(settings);
  } catch (InvalidArgument const& error) {
    if (program::rank_by_launcher() > 0) return done;
    std::cerr << "einkorn-bench: " << error.what() << '\n';
    return usage;
  }
  words.insert(words.end(), arguments.kokkos.begin() + 1, arguments.kokkos.end());
  return program::execute("einkorn-bench", arguments.kokkos[0], "einkorn-bench-ranks", words,
                          "--solve on several ranks needs it, with MPI");
}

int bench_all(int argc, char** argv, Bench const& bench, bool delegates_to_full) {
  Settings settings;
  program::Arguments arguments(argc, argv);
  bool const has_ranks = program::is_one_of_several();
  bool const prints = !has_ranks || program::rank_by_launcher() == 0;
  // All processes find the same error. The exit code is that of rank 0: a launcher ends the others, before they have
  // written, as soon as one has another code than 0.
  if (auto const exit = read_command_line(arguments.count(), arguments.own.data(), settings, prints))
    return prints ? *exit : done;
  if (has_ranks) return run_on_ranks(settings, arguments);
  if (!settings.transport.empty()) {
    std::cerr << "einkorn-bench: --transport is for several ranks: mpirun -n P einkorn-bench ...\n";
    return usage;
  }
  if (delegates_to_full && settings.needs_full_program())
    return program::execute(
        "einkorn-bench", argv[0], "einkorn-bench-full", {argv + 1, argv + argc},
        "--all, --peers, --solve, --spgemm, --columns, other scalars and ordinals, and tables need it");
  progress::choose(settings.quiet);
  if (!settings.json.empty()) require_writable("--json", settings.json);
  auto const kokkos = program::initialize_kokkos(arguments.kokkos);
  return run_all(settings, bench);
}

}  // namespace

bool print_and_record(Run& run, MatrixReport report, NamedMatrix const& matrix) {
  report.suite = matrix.suite;
  SummaryStyle const style{run.settings.selection.peers, run.settings.explain};
  program::print_to_stdout([&](std::ostream& out) { print_summary(out, report, style); });
  run.lines.push_back(summary_line(report));
  return record(run, report);
}

int run_bench(int argc, char** argv, Bench const& bench, bool delegates_to_full) {
  return program::run_program("einkorn-bench", [&] { return bench_all(argc, argv, bench, delegates_to_full); });
}

}  // namespace einkorn::perf
