// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/high_water.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace einkorn::perf {

namespace {

std::int64_t current_bytes = 0, peak_bytes = 0;

void on_allocation(Kokkos_Profiling_SpaceHandle, char const*, void const*, std::uint64_t bytes) {
  current_bytes += static_cast<std::int64_t>(bytes);
  peak_bytes = std::max(peak_bytes, current_bytes);
}
void on_deallocation(Kokkos_Profiling_SpaceHandle, char const*, void const*, std::uint64_t bytes) {
  current_bytes -= static_cast<std::int64_t>(bytes);
}

}  // namespace

std::size_t high_water_of(std::function<void()> const& work) {
  namespace Tools = Kokkos::Tools::Experimental;
  auto const before = Tools::get_callbacks();
  current_bytes = peak_bytes = 0;
  Tools::set_allocate_data_callback(on_allocation);
  Tools::set_deallocate_data_callback(on_deallocation);
  work();
  Kokkos::fence("einkorn::perf::high_water_of");
  Tools::set_callbacks(before);
  return static_cast<std::size_t>(peak_bytes);
}

}  // namespace einkorn::perf
