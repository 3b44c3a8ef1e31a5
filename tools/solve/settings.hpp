// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/format_name.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace einkorn::tools {

enum class SolverKind { automatic, cg, pcg, bicgstab, gmres, fgmres, richardson };
enum class PreconditionerKind { none, jacobi, block_jacobi, multigrid };

struct PreconditionerChoice {
  PreconditionerKind kind = PreconditionerKind::none;
  int block_size = 4;
  bool is_automatic = false;  // multigrid by multigrid_rule(); jacobi if it cannot be set up
};

/// The command line of einkorn-solve.
struct Settings {
  std::string matrix, right_hand_side;  // no right-hand side: b = A times ones
  SolverKind solver = SolverKind::automatic;
  std::string preconditioner;        // empty: auto, see method_for()
  std::optional<FormatName> format;  // empty: select()
  double tolerance = 1e-8;
  std::int64_t max_iterations = 10000;
  int restart = 30;  // of gmres and fgmres
  std::string output, history, json;
  std::string mpi = "auto", owners;  // owners: a file
  std::string transport = "automatic";
  bool measures_exchange = false;
  bool quiet = false, progress = false;
};

/// Parses "none", "jacobi", "multigrid", "block-jacobi" or "block-jacobi:8". Empty for any other text or a size outside of
/// 1 .. 32.
std::optional<PreconditionerChoice> preconditioner_of(std::string const& text);

/// The message for options that exclude each other; empty if there are none.
/// @param with_mpi whether this run uses MPI
std::string option_conflict(Settings const& settings, bool with_mpi = false);

char const* name_of(SolverKind solver);

void declare_options(CLI::App& app, Settings& settings);

}  // namespace einkorn::tools
