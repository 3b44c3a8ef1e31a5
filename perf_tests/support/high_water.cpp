// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/high_water.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace einkorn::perf {

namespace {

std::int64_t held = 0, most = 0;

void on_allocation(Kokkos_Profiling_SpaceHandle, char const*, void const*, std::uint64_t bytes) {
  held += static_cast<std::int64_t>(bytes);
  most = std::max(most, held);
}
void on_deallocation(Kokkos_Profiling_SpaceHandle, char const*, void const*, std::uint64_t bytes) {
  held -= static_cast<std::int64_t>(bytes);
}

}  // namespace

std::size_t high_water_of(std::function<void()> const& work) {
  namespace Tools = Kokkos::Tools::Experimental;
  auto const before = Tools::get_callbacks();
  held = most = 0;
  Tools::set_allocate_data_callback(on_allocation);
  Tools::set_deallocate_data_callback(on_deallocation);
  work();
  Kokkos::fence("einkorn::perf: all of the work is done");
  Tools::set_callbacks(before);
  return static_cast<std::size_t>(most);
}

}  // namespace einkorn::perf
