// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/transport_names.hpp"
#include "solve/settings.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace einkorn::tools {
namespace {

Settings parsed(std::vector<std::string> words) {
  Settings settings;
  CLI::App app("test", "einkorn-solve");
  declare_options(app, settings);
  std::reverse(words.begin(), words.end());  // the order that CLI11 expects
  app.parse(words);
  return settings;
}

TEST(Preconditioner, ParsesBlockSize) {
  EXPECT_EQ(preconditioner_of("none")->kind, PreconditionerKind::none);
  EXPECT_EQ(preconditioner_of("jacobi")->kind, PreconditionerKind::jacobi);
  EXPECT_EQ(preconditioner_of("multigrid")->kind, PreconditionerKind::multigrid);
  EXPECT_EQ(preconditioner_of("block-jacobi")->kind, PreconditionerKind::block_jacobi);
  EXPECT_EQ(preconditioner_of("block-jacobi")->block_size, 4);
  EXPECT_EQ(preconditioner_of("block-jacobi:1")->block_size, 1);
  EXPECT_EQ(preconditioner_of("block-jacobi:32")->block_size, 32);
}

TEST(Settings, AutomaticPreconditionerIsTheDefault) {
  EXPECT_EQ(parsed({"A.mtx"}).preconditioner, "");
  EXPECT_EQ(parsed({"A.mtx", "--preconditioner", "auto"}).preconditioner, "");
  EXPECT_EQ(parsed({"A.mtx", "--preconditioner", "none"}).preconditioner, "none");
}

TEST(Preconditioner, RejectsOtherText) {
  for (std::string const text :
       {"", "ilu", "Jacobi", "jacobi:3", "block-jacobi:", "block-jacobi:0", "block-jacobi:33",
        "block-jacobi:4x", "block-jacobi4", "block-jacobi:-1", "block-jacobi:99999999999"})
    EXPECT_FALSE(preconditioner_of(text)) << text;
}

TEST(Settings, ParseEveryOption) {
  auto const s = parsed({"A.mtx",
                         "b.mtx",
                         "--solver",
                         "pcg",
                         "--preconditioner",
                         "block-jacobi:3",
                         "--format",
                         "sell",
                         "--tolerance",
                         "1e-6",
                         "--max-iterations",
                         "17",
                         "--output",
                         "x.mtx",
                         "--history",
                         "h.csv",
                         "--mpi",
                         "off",
                         "--owners",
                         "parts.txt",
                         "--json",
                         "solve.json",
                         "--transport",
                         "mpi",
                         "--measure-exchange"});
  EXPECT_EQ(s.matrix, "A.mtx");
  EXPECT_EQ(s.right_hand_side, "b.mtx");
  EXPECT_EQ(s.solver, SolverKind::pcg);
  EXPECT_EQ(s.preconditioner, "block-jacobi:3");
  EXPECT_EQ(s.format, FormatName::sell);
  EXPECT_EQ(s.tolerance, 1e-6);
  EXPECT_EQ(s.max_iterations, 17);
  EXPECT_EQ(s.output, "x.mtx");
  EXPECT_EQ(s.history, "h.csv");
  EXPECT_EQ(s.mpi, "off");
  EXPECT_EQ(s.owners, "parts.txt");
  EXPECT_EQ(s.json, "solve.json");
  EXPECT_EQ(s.transport, "mpi");
  EXPECT_TRUE(s.measures_exchange);
  EXPECT_EQ(parsed({"A.mtx"}).transport, "automatic");
  EXPECT_EQ(parsed({"A.mtx", "--transport", "automatic"}).transport, "automatic");
  EXPECT_EQ(parsed({"A.mtx", "--transport", "auto"}).transport, "automatic");
}

TEST(Settings, GmresAndItsCycles) {
  EXPECT_EQ(parsed({"A.mtx", "--solver", "gmres"}).solver, SolverKind::gmres);
  auto const s = parsed({"A.mtx", "--method", "fgmres", "--restart", "50"});
  EXPECT_EQ(s.solver, SolverKind::fgmres);
  EXPECT_EQ(s.restart, 50);
  EXPECT_EQ(parsed({"A.mtx"}).restart, 30);
}

TEST(Settings, AutomaticSolverAndFormat) {
  for (auto const& s : {parsed({"A.mtx"}), parsed({"A.mtx", "--solver", "auto", "--format", "auto"})}) {
    EXPECT_EQ(s.solver, SolverKind::automatic);
    EXPECT_FALSE(s.format);
    EXPECT_EQ(s.right_hand_side, "");
  }
}

TEST(Settings, RejectInvalidValues) {
  for (auto const& words : std::vector<std::vector<std::string>>{{},
                                                                 {"A.mtx", "--solver", "qmr"},
                                                                 {"A.mtx", "--preconditioner", "ilu"},
                                                                 {"A.mtx", "--format", "csr6"},
                                                                 {"A.mtx", "--tolerance", "-1"},
                                                                 {"A.mtx", "--tolerance", "nan"},
                                                                 {"A.mtx", "--tolerance", "-nan"},
                                                                 {"A.mtx", "--tolerance", "inf"},
                                                                 {"A.mtx", "--tolerance", "1e999"},
                                                                 {"A.mtx", "--tolerance", "1e-6x"},
                                                                 {"A.mtx", "--max-iterations", "-1"},
                                                                 {"A.mtx", "--restart", "0"},
                                                                 {"A.mtx", "--max-iterations", "many"},
                                                                 {"A.mtx", "--mpi", "perhaps"},
                                                                 {"A.mtx", "--transport", "pigeon"},
                                                                 {"A.mtx", "b.mtx", "c.mtx"}})
    EXPECT_THROW(parsed(words), CLI::ParseError) << (words.empty() ? "" : words.back());
}

TEST(Settings, TransportsOfAProgram) {
  using program::transport_choices, program::transport_error;
  EXPECT_EQ(transport_choices(false, false), "automatic|mpi");
  EXPECT_EQ(transport_choices(true, false), "automatic|mpi|peer");
  EXPECT_EQ(transport_choices(true, true), "automatic|mpi|peer|nccl");
  for (auto const* const name : {"automatic", "auto", "mpi", "peer", "nccl"})
    EXPECT_EQ(transport_error(name, true, true), "");
  EXPECT_EQ(
      transport_error("peer", false, false),
      "peer needs an execution space of CUDA or HIP, which this program does not use; it has automatic|mpi");
  EXPECT_EQ(transport_error("nccl", true, false),
            "nccl needs Einkorn::nccl, without which this program was built; it has automatic|mpi|peer");
  EXPECT_EQ(transport_error("pigeon", false, false),
            "pigeon is not a transport of this program; it has automatic|mpi");
}

TEST(Settings, DetectOptionConflicts) {
  EXPECT_EQ(option_conflict(parsed({"A.mtx", "--solver", "cg"})), "");
  EXPECT_EQ(option_conflict(parsed({"A.mtx", "--solver", "cg", "--preconditioner", "none"})), "");
  EXPECT_EQ(option_conflict(parsed({"A.mtx", "--solver", "bicgstab", "--preconditioner", "jacobi"})), "");
  EXPECT_NE(option_conflict(parsed({"A.mtx", "--solver", "cg", "--preconditioner", "jacobi"})), "");
  EXPECT_NE(option_conflict(parsed({"A.mtx", "--solver", "pcg", "--preconditioner", "none"})), "");
  EXPECT_EQ(option_conflict(parsed({"A.mtx", "--solver", "gmres", "--preconditioner", "none"})), "");
  EXPECT_NE(option_conflict(parsed({"A.mtx", "--solver", "fgmres", "--preconditioner", "none"})), "");
  EXPECT_EQ(option_conflict(parsed({"A.mtx", "--solver", "gmres"}), false), "");
  EXPECT_EQ(option_conflict(parsed({"A.mtx", "--solver", "gmres"}), true), "");
  EXPECT_EQ(option_conflict(parsed({"A.mtx", "--solver", "richardson"}), true), "");
  EXPECT_NE(option_conflict(parsed({"A.mtx", "--solver", "richardson", "--preconditioner", "none"})), "");
  EXPECT_EQ(option_conflict(parsed({"A.mtx", "--preconditioner", "multigrid"}), false), "");
  EXPECT_NE(option_conflict(parsed({"A.mtx", "--preconditioner", "multigrid"}), true), "");
  EXPECT_NE(option_conflict(parsed({"A.mtx", "--quiet", "--progress"})), "");
  EXPECT_NE(option_conflict(parsed({"A.mtx", "--owners", "parts.txt"}), false), "");
  EXPECT_EQ(option_conflict(parsed({"A.mtx", "--owners", "parts.txt"}), true), "");
  EXPECT_NE(option_conflict(parsed({"A.mtx", "--transport", "mpi"}), false), "");
  EXPECT_EQ(option_conflict(parsed({"A.mtx", "--transport", "mpi"}), true), "");
  EXPECT_EQ(option_conflict(parsed({"A.mtx", "--transport", "auto"}), false), "");
  EXPECT_NE(option_conflict(parsed({"A.mtx", "--measure-exchange"}), false), "");
  EXPECT_EQ(option_conflict(parsed({"A.mtx", "--measure-exchange"}), true), "");
}

}  // namespace
}  // namespace einkorn::tools
