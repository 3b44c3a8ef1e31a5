// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/transport_names.hpp"
#include "solve/settings.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

namespace einkorn::tools {

namespace {

/// The error of a tolerance; empty if it is valid, or if it is not a number, which CLI11 reports.
std::string tolerance_error(std::string const& text) {
  char* end = nullptr;
  double const value = std::strtod(text.c_str(), &end);
  bool const is_number = end != text.c_str() && *end == '\0';
  if (!is_number || (std::isfinite(value) && value >= 0)) return {};
  return text + " is not a tolerance; expected a finite number, 0 or more";
}

}  // namespace

std::optional<PreconditionerChoice> preconditioner_of(std::string const& text) {
  if (text == "none") return PreconditionerChoice{};
  if (text == "jacobi") return PreconditionerChoice{PreconditionerKind::jacobi};
  if (text == "multigrid") return PreconditionerChoice{PreconditionerKind::multigrid};
  std::string const block = "block-jacobi";
  if (text.rfind(block, 0) != 0) return std::nullopt;
  PreconditionerChoice choice{PreconditionerKind::block_jacobi};
  if (text.size() == block.size()) return choice;
  char const *const first = text.data() + block.size() + 1, *const last = text.data() + text.size();
  auto const [end, error] = std::from_chars(first, last, choice.block_size);
  bool const is_number = text[block.size()] == ':' && error == std::errc() && end == last;
  if (!is_number || choice.block_size < 1 || choice.block_size > 32) return std::nullopt;
  return choice;
}

std::string option_conflict(Settings const& settings, bool with_mpi) {
  if (settings.solver == SolverKind::cg && !settings.preconditioner.empty() &&
      settings.preconditioner != "none")
    return "--solver cg has no preconditioner; use --solver pcg";
  if (settings.solver == SolverKind::pcg && settings.preconditioner == "none")
    return "--solver pcg requires a preconditioner; use --solver cg";
  if (settings.solver == SolverKind::fgmres && settings.preconditioner == "none")
    return "--solver fgmres requires a preconditioner; use --solver gmres";
  if (settings.solver == SolverKind::richardson && settings.preconditioner == "none")
    return "--solver richardson requires a preconditioner; use --solver gmres";
  if (with_mpi && settings.preconditioner == "multigrid")
    return "--preconditioner multigrid is not available with MPI; use jacobi or block-jacobi, or --mpi off";
  if (settings.quiet && settings.progress) return "--quiet and --progress exclude each other";
  if (!settings.owners.empty() && !with_mpi)
    return "--owners distributes rows over ranks; start several processes with mpirun, or use --mpi on";
  if (settings.transport != "automatic" && !with_mpi)
    return "--transport is for ranks; start several processes with mpirun, or use --mpi on";
  if (settings.measures_exchange && !with_mpi)
    return "--measure-exchange is for ranks; start several processes with mpirun, or use --mpi on";
  return {};
}

char const* name_of(SolverKind solver) {
  switch (solver) {
    case SolverKind::cg:
      return "cg";
    case SolverKind::pcg:
      return "pcg";
    case SolverKind::bicgstab:
      return "bicgstab";
    case SolverKind::gmres:
      return "gmres";
    case SolverKind::fgmres:
      return "fgmres";
    case SolverKind::richardson:
      return "richardson";
    default:
      return "auto";
  }
}

void declare_options(CLI::App& app, Settings& settings) {
  app.add_option(
         "A", settings.matrix,
         "Matrix Market file (.mtx, .mtx.gz; a symmetric one is expanded) or generator: gen:stencil7:100,\n"
         "gen:elasticity:20, gen:band:100000:101, ...")
      ->required();
  app.add_option(
      "b", settings.right_hand_side,
      "Right-hand side: Matrix Market, one column. Default: b = A times ones; the error of x is then shown");
  std::map<std::string, SolverKind> solvers;
  for (auto const solver : {SolverKind::automatic, SolverKind::cg, SolverKind::pcg, SolverKind::bicgstab,
                            SolverKind::gmres, SolverKind::fgmres, SolverKind::richardson})
    solvers[name_of(solver)] = solver;
  app.add_option("--solver,--method", settings.solver,
                 "auto: cg (pcg with a preconditioner) for a Hermitian matrix with a positive diagonal, else "
                 "bicgstab. gmres and fgmres: any square matrix. richardson: x + M^-1 (b - A x)")
      ->transform(CLI::CheckedTransformer(solvers, CLI::ignore_case)
                      .description("{auto,cg,pcg,bicgstab,gmres,fgmres,richardson}"))
      ->option_text("auto|cg|pcg|bicgstab|gmres|fgmres|richardson [auto]");
  app.add_option_function<std::string>(
         "--preconditioner",
         [&settings](std::string const& text) { settings.preconditioner = text == "auto" ? "" : text; },
         "N: rows per block, 1 to 32, default 4. auto: jacobi for pcg, fgmres and richardson. With --solver "
         "auto: "
         "multigrid\n"
         "on one process for a real symmetric A with a positive diagonal, 10000 rows or more, at most 64\n"
         "entries per row, row sums of at most 1 % and positive entries beside the diagonal of at most 10 % "
         "of\n"
         "the diagonal on average. Else none")
      ->check([](std::string const& text) {
        return text == "auto" || preconditioner_of(text)
                   ? std::string()
                   : text + " is not auto, none, jacobi, multigrid or block-jacobi[:N], N = 1 .. 32";
      })
      ->option_text("auto|none|jacobi|multigrid|block-jacobi[:N] [auto]");
  app.add_option_function<std::string>(
         "--format", [&settings](std::string const& text) { settings.format = format_of(text); },
         "Format of the matrix. auto: by select(). A complex matrix is in csr")
      ->check([](std::string const& text) {
        return text == "auto" || format_of(text) ? std::string() : text + " is not a format";
      })
      ->option_text("auto|" + BuiltInFormats::names("|") + " [auto]");
  app.add_option("--tolerance", settings.tolerance, "Limit of |b - A x| / |b|: finite, 0 or more")
      ->check(tolerance_error)
      ->capture_default_str();
  app.add_option("--max-iterations", settings.max_iterations)
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--restart", settings.restart,
                 "Steps per cycle of gmres and fgmres; each stores a vector, fgmres two")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()).description("POSITIVE"))
      ->capture_default_str();
  app.add_option("--output", settings.output, "Write x to this Matrix Market file (gzip if it ends in .gz)");
  app.add_option("--history", settings.history, "Write the residual after every iteration to this file (csv)");
  app.add_option("--json", settings.json,
                 "Write the table and more numbers to this file: per rank, per iteration");
  app.add_flag("--quiet", settings.quiet, "No table and no progress, only the exit code");
  app.add_flag(
      "--progress", settings.progress,
      "One line per second on stderr, as on a terminal. Disables persistent execution, so small systems\n"
      "run slower");
  app.add_option(
         "--mpi", settings.mpi,
         "auto: solve one system with all processes that mpirun or srun starts, if there are several; each\n"
         "owns some of the rows, and rank 0 reads and writes the files. on: also one process. off: every\n"
         "process runs alone")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->option_text("auto|on|off [auto]");
  app.add_option("--owners", settings.owners,
                 "With MPI: file with the rank of each row, one integer per line, as gpmetis writes it, or a\n"
                 "map of Scotch: the number of rows, then the row and its rank in each line. Default:\n"
                 "consecutive rows with about equal numbers of entries");
  app.add_option("--transport", settings.transport,
                 "With MPI: how ranks exchange data. automatic: the fastest of a short measurement")
      ->check(static_cast<std::string (*)(std::string const&)>(program::transport_error))
      ->transform(program::transport_name_of)
      ->option_text(program::transport_choices() + " [automatic]");
  app.add_flag(
      "--measure-exchange", settings.measures_exchange,
      "With MPI: after the solve, measure which fraction of the exchange of x overlaps with the product");
  app.footer(
      "If other programs use the same cores, set OMP_WAIT_POLICY=passive in the environment.\n"
      "Exit: 0 done, 1 not converged, 2 usage, 3 bad input, 4 no memory or device.");
}

}  // namespace einkorn::tools
