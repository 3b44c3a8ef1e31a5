// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "distributed_solve/problem.hpp"
#include "distributed_solve/settings.hpp"
#include "program/transport_names.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

namespace einkorn::perf::distributed {

namespace {

/// The error of a text that is neither N nor NxMxK.
std::string grid_error(std::string const& text) {
  int numbers = 1, digits = 0;
  bool is_valid = !text.empty() && text[0] != '0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool const is_separator = text[i] == 'x';
    is_valid = is_valid && (is_separator ? digits > 0 : '0' <= text[i] && text[i] <= '9' && digits < 5);
    digits = is_separator ? 0 : digits + 1;
    numbers += is_separator ? 1 : 0;
    is_valid = is_valid && !(is_separator && i + 1 < text.size() && text[i + 1] == '0');
  }
  is_valid = is_valid && digits > 0 && (numbers == 1 || numbers == 3);
  return is_valid ? std::string() : text + " is not N or NxMxK, points per direction";
}

}  // namespace

bool Settings::wants(std::string const& solver) const {
  return solvers.empty() || std::find(solvers.begin(), solvers.end(), solver) != solvers.end();
}

std::vector<Settings> Settings::measurements() const {
  auto names = formats;
  if (std::find(names.begin(), names.end(), "all") != names.end()) {
    names.clear();
    for (auto const format_of_all : Formats::formats()) names.emplace_back(name_of(format_of_all));
  }
  std::vector<Settings> all;
  for (auto const& matrix_of_one : matrices.empty() ? std::vector<std::string>{""} : matrices)
    for (auto const& format_of_one : names) {
      all.push_back(*this);
      all.back().matrix = matrix_of_one;
      all.back().format = format_of_one;
    }
  return all;
}

void declare_options(CLI::App& app, Settings& settings) {
  auto* const matrix =
      app.add_option("MATRIX", settings.matrices,
                     "Matrix Market files or gen:...; rank 0 reads them and sends blocks of rows "
                     "with about equal numbers of entries");
  app.add_option("--grid", settings.grid,
                 "Without MATRIX: points per direction of a 7-point stencil, whose rows every rank computes")
      ->check(grid_error)
      ->excludes(matrix)
      ->option_text("N|NxMxK [64]");
  app.add_option(
         "--formats", settings.formats,
         "Formats of the local parts of the matrix, separated by commas; all: every one. A format whose fill "
         "is too large is refused")
      ->delimiter(',')
      ->check([](std::string const& name) {
        return Formats::format_of(name) || name == "all" ? std::string()
                                                         : name + " is none of " + Formats::names("|") + "|all";
      })
      ->option_text(Formats::names("|") + "|all [csr]");
  app.add_option("--transport", settings.transport, "How ranks exchange data")
      ->check(static_cast<std::string (*)(std::string const&)>(program::transport_error))
      ->transform(program::transport_name_of)
      ->option_text(program::transport_choices() + " [automatic]");
  app.add_option(
         "--solvers", settings.solvers,
         "Names separated by commas; all without this option. jacobi-scaled-cg: CG of the matrix scaled "
         "by its diagonal")
      ->delimiter(',')
      ->check(CLI::IsMember({"cg", "jacobi-scaled-cg", "jacobi-pcg", "bicgstab"}))
      ->option_text("cg,jacobi-scaled-cg,jacobi-pcg,bicgstab");
  app.add_option("--iterations", settings.iterations, "Iterations of a measured solve; its tolerance is 0")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--replace-every", settings.replace_every,
                 "Iterations between replacements of the residual; 0: never")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  std::map<std::string, Execution> const executions{{"auto", Execution::automatic},
                                                    {"launches", Execution::launches},
                                                    {"graph", Execution::graph},
                                                    {"persistent", Execution::persistent}};
  app.add_option("--execution", settings.execution, "Of the solves on the ranks")
      ->transform(CLI::CheckedTransformer(executions))
      ->option_text("auto|launches|graph|persistent [auto]");
  app.add_option("--repeat", settings.rounds, "Rounds")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_flag("!--no-check", settings.checks, "Do not solve to 1e-8 before the measurement");
  app.add_flag("!--no-alone", settings.alone, "Do not measure the solver without MPI on rank 0");
  app.add_option("--json", settings.json, "Write one record per row to this file");
}

}  // namespace einkorn::perf::distributed
