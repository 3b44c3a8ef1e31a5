// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/execute.hpp"
#include "program/exit_code.hpp"
#include "program/launcher.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <unistd.h>

namespace einkorn::program {

int execute(char const* caller, char const* own_path, char const* name,
            std::vector<std::string> const& arguments, std::string const& needed_for) {
  std::error_code none;
  auto const self = std::filesystem::read_symlink("/proc/self/exe", none);
  auto const path = (none ? std::filesystem::path(own_path) : self).parent_path() / name;
  std::vector<std::string> words{path.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(path.c_str(), argv.data());
  int const error = errno;
  if (rank_by_launcher() == 0)
    std::cerr << caller << ": " << path.string() << ": " << std::strerror(error) << "; " << needed_for
              << ": build the target " << name << '\n';
  return usage;
}

}  // namespace einkorn::program
