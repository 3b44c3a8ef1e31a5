// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/launcher.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

namespace einkorn::program {

namespace {

std::string environment_variable(char const* name) {
  char const* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

UseMpi mpi_option(int argc, char const* const* argv) {
  auto result = UseMpi::automatic;
  for (int i = 1; i < argc; ++i) {
    std::string_view const word = argv[i];
    std::string_view value;
    if (word == "--mpi" && i + 1 < argc)
      value = argv[i + 1];
    else if (word.substr(0, 6) == "--mpi=")
      value = word.substr(6);
    else
      continue;
    result = value == "on" ? UseMpi::on : value == "off" ? UseMpi::off : UseMpi::automatic;
  }
  return result;
}

bool is_one_of_several(std::function<std::string(char const*)> const& variable) {
  for (char const* const size : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"})
    if (auto const text = variable(size); !text.empty()) return std::atoi(text.c_str()) > 1;
  if (variable("PMIX_RANK").empty()) return false;
  auto const tasks = variable("SLURM_STEP_NUM_TASKS");
  return tasks.empty() || std::atoi(tasks.c_str()) > 1;
}

int rank_by_launcher(std::function<std::string(char const*)> const& variable) {
  for (char const* const rank : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK"})
    if (auto const text = variable(rank); !text.empty()) return std::atoi(text.c_str());
  return 0;
}

bool is_one_of_several() {
  return is_one_of_several(environment_variable);
}

int rank_by_launcher() {
  return rank_by_launcher(environment_variable);
}

}  // namespace einkorn::program
