// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
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
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <new>
#include <system_error>
#include <unistd.h>

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

/// Replaces this program by einkorn-bench-full. Returns only if it cannot be started.
int run_full_program(char** argv) {
  std::error_code none;
  auto const self = std::filesystem::read_symlink("/proc/self/exe", none);
  auto const full = (none ? std::filesystem::path(argv[0]) : self).parent_path() / "einkorn-bench-full";
  execv(full.c_str(), argv);
  std::cerr << "einkorn-bench: " << full.string() << ": " << std::strerror(errno)
            << "; --all, --peers, --solve, --spgemm, --columns, other scalars and ordinals, and tables "
               "need it: build the target einkorn-bench-full\n";
  return usage;
}

int bench_all(int argc, char** argv, Bench const& bench, bool delegates_to_full) {
  Settings settings;
  std::vector<char*> arguments, kokkos_arguments{argv[0]};
  for (int i = 0; i < argc; ++i)
    (std::string(argv[i]).rfind("--kokkos-", 0) == 0 ? kokkos_arguments : arguments).push_back(argv[i]);
  if (auto const exit = read_command_line(static_cast<int>(arguments.size()), arguments.data(), settings))
    return *exit;
  if (delegates_to_full && settings.needs_full_program()) return run_full_program(argv);
  progress::choose(settings.quiet);
  if (!settings.json.empty()) require_writable("--json", settings.json);
  int count = static_cast<int>(kokkos_arguments.size());
  kokkos_arguments.push_back(nullptr);
  Kokkos::ScopeGuard const kokkos(count, kokkos_arguments.data());
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
