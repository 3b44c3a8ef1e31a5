// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <cstddef>
#include <string>

namespace einkorn::perf {

/// Where and with what the figures were taken; goes into every record.
struct Context {
  std::string machine;         // name of the GPU, or of the CPU with its threads
  std::string backend;         // Kokkos' name of the execution space
  std::string kokkos_version;  // 5.2.2
  std::string commit;          // of Einkorn: EINKORN_COMMIT in the environment, else when it was built
  std::size_t last_level_cache_bytes = 0;
  std::size_t memory_bytes = 0;  // of the device
};

Context context_of(Exec const& exec);

/// One line on stderr for each setting that makes figures wrong, such as threads that are not bound.
void warn_of_settings();

}  // namespace einkorn::perf
