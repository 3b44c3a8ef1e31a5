// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/context.hpp"

#include <einkorn/core/arch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <thread>
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

/// The sum of all last-level caches, which belong to sockets or to core complexes. Each is counted once.
[[maybe_unused]] std::size_t host_cache_bytes() {
  std::set<std::string> seen;
  std::size_t bytes = 0;
  for (unsigned cpu = 0; cpu < std::thread::hardware_concurrency(); ++cpu) {
    std::filesystem::path const cache = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index3";
    std::string sharers, size;
    std::getline(std::ifstream(cache / "shared_cpu_list"), sharers);
    if (!(std::ifstream(cache / "size") >> size) || !seen.insert(sharers).second) continue;
    bytes += std::strtoull(size.c_str(), nullptr, 10) * (size.back() == 'M' ? 1u << 20 : 1u << 10);
  }
  return bytes > 0 ? bytes : std::size_t(32) << 20;
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
  context.last_level_cache_bytes = host_cache_bytes();
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
