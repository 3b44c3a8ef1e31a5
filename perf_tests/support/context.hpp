// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <cstddef>
#include <string>

namespace einkorn::perf {

/// Machine and build of a measurement; part of every record.
struct Context {
  std::string machine;         // name of the GPU, or of the CPU with its threads
  std::string backend;         // Kokkos' name of the execution space
  std::string kokkos_version;  // 5.2.2
  std::string commit;          // EINKORN_COMMIT in the environment, else of the build
  std::size_t last_level_cache_bytes = 0;
  std::size_t memory_bytes = 0;  // of the device
};

Context context_of(Exec const& exec);

/// Prints a line on stderr for each setting that distorts times, such as unbound threads.
void warn_about_environment();

}  // namespace einkorn::perf
