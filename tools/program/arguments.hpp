// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <string_view>
#include <vector>

namespace einkorn::program {

/// A command line in two: the options of Kokkos (--kokkos-...) and the others. Both begin with the name of the program.
struct Arguments {
  std::vector<char*> own, kokkos;

  Arguments(int argc, char** argv) : kokkos(1, argv[0]) {
    for (int i = 0; i < argc; ++i)
      (std::string_view(argv[i]).substr(0, 9) == "--kokkos-" ? kokkos : own).push_back(argv[i]);
  }
  [[nodiscard]] int count() const { return static_cast<int>(own.size()); }
};

/// Kokkos, initialized as long as the result lives.
inline Kokkos::ScopeGuard initialize_kokkos(std::vector<char*> arguments) {
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  return Kokkos::ScopeGuard(count, arguments.data());
}

}  // namespace einkorn::program
