// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/context.hpp"

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/analysis/machine_profile.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <type_traits>
#include <unistd.h>

namespace einkorn::perf {

namespace {

[[maybe_unused]] std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(std::min(line.find(':') + 2, line.size()));
  return "unknown CPU";
}

}  // namespace

Context context_of(Exec const& exec) {
  Context context;
  context.backend = Exec::name();
  context.kokkos_version = std::to_string(KOKKOS_VERSION / 10000) + "." +
                           std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                           std::to_string(KOKKOS_VERSION % 100);
  context.commit = "unknown";
#ifdef EINKORN_COMMIT
  context.commit = EINKORN_COMMIT;
#endif
  if (char const* const commit = std::getenv("EINKORN_COMMIT")) context.commit = commit;
#if defined(KOKKOS_ENABLE_CUDA)
  auto const& properties = exec.cuda_device_prop();
  context.machine = properties.name;
  context.last_level_cache_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  context.memory_bytes = properties.totalGlobalMem;
#elif defined(KOKKOS_ENABLE_HIP)
  auto const& properties = exec.hip_device_prop();
  context.machine = properties.name;
  context.last_level_cache_bytes = std::size_t(256) << 20;  // memory-side cache included
  context.memory_bytes = properties.totalGlobalMem;
#else
  context.machine = cpu_name() + ", " + std::to_string(exec.concurrency()) + " threads";
  context.last_level_cache_bytes = static_cast<std::size_t>(detail::host_cache_bytes());
  context.memory_bytes =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
#endif
  return context;
}

void warn_about_environment() {
#ifdef KOKKOS_ENABLE_OPENMP
  if (std::is_same_v<Exec, Kokkos::OpenMP> && std::getenv("OMP_PROC_BIND") == nullptr)
    std::cerr
        << "einkorn-bench: OMP_PROC_BIND is not set: threads may move between cores during measurements; set "
           "OMP_PROC_BIND=spread OMP_PLACES=threads\n";
#endif
}

}  // namespace einkorn::perf
