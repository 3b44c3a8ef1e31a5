// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/launcher.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace einkorn::program {
namespace {

using Environment = std::map<std::string, std::string>;

auto reader_of(Environment const& environment) {
  return [&](char const* name) {
    auto const at = environment.find(name);
    return at == environment.end() ? std::string() : at->second;
  };
}

bool several(Environment const& environment) {
  return is_one_of_several(reader_of(environment));
}

int rank_in(Environment const& environment) {
  return rank_by_launcher(reader_of(environment));
}

UseMpi option_of(std::vector<char const*> words) {
  words.insert(words.begin(), "einkorn-solve");
  return mpi_option(static_cast<int>(words.size()), words.data());
}

TEST(Launcher, DetectsSeveralProcesses) {
  EXPECT_FALSE(several({}));
  EXPECT_TRUE(several({{"OMPI_COMM_WORLD_SIZE", "2"}, {"PMIX_RANK", "0"}}));
  EXPECT_FALSE(several({{"OMPI_COMM_WORLD_SIZE", "1"}, {"PMIX_RANK", "0"}}));
  EXPECT_TRUE(several({{"PMI_SIZE", "4"}}));
  EXPECT_FALSE(several({{"PMI_SIZE", "1"}}));
  EXPECT_TRUE(several({{"MV2_COMM_WORLD_SIZE", "3"}}));
  EXPECT_TRUE(several({{"PMIX_RANK", "1"}}));
  EXPECT_TRUE(several({{"PMIX_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}));
  EXPECT_FALSE(several({{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}));
  EXPECT_FALSE(several({{"SLURM_STEP_NUM_TASKS", "2"}})) << "a batch script, not srun with PMIx";
}

TEST(Launcher, FindsTheRank) {
  EXPECT_EQ(rank_in({}), 0);
  EXPECT_EQ(rank_in({{"OMPI_COMM_WORLD_RANK", "3"}, {"PMIX_RANK", "3"}}), 3);
  EXPECT_EQ(rank_in({{"PMI_RANK", "12"}}), 12);
  EXPECT_EQ(rank_in({{"MV2_COMM_WORLD_RANK", "1"}}), 1);
  EXPECT_EQ(rank_in({{"PMIX_RANK", "7"}}), 7);
}

TEST(Launcher, ReadsTheOptionBeforeTheCommandLineIsParsed) {
  EXPECT_EQ(option_of({"A.mtx"}), UseMpi::automatic);
  EXPECT_EQ(option_of({"A.mtx", "--mpi", "on"}), UseMpi::on);
  EXPECT_EQ(option_of({"--mpi=off", "A.mtx"}), UseMpi::off);
  EXPECT_EQ(option_of({"--mpi", "auto"}), UseMpi::automatic);
  EXPECT_EQ(option_of({"A.mtx", "--mpi"}), UseMpi::automatic);
  EXPECT_EQ(option_of({"--mpi=perhaps"}), UseMpi::automatic) << "refused by the parser";
}

}  // namespace
}  // namespace einkorn::program
