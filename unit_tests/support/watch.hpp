// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::test {

/// Records fences, launches, copies and allocations of Kokkos during the lifetime of the object, by the
/// callbacks of Kokkos Tools. Only one object at a time.
class Watch {
 public:
  struct Copy {
    std::string to_space, from_space, label;
    std::size_t bytes = 0;
  };
  struct Allocation {
    std::string space, label;
    std::size_t bytes = 0;
  };
  struct Record {
    std::vector<std::string> fences, launches;
    std::vector<Copy> copies;
    std::vector<Allocation> allocations;
    std::size_t deallocated_bytes = 0;
    /// All of these and the regions in order: "launch einkorn::scale", "fence ...", "copy to ...",
    /// "allocation of ...", "region einkorn::cg".
    std::vector<std::string> events;
  };

  Watch() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    namespace Tools = Kokkos::Tools::Experimental;
    record() = {};
    Tools::set_begin_fence_callback(on_fence);
    Tools::set_begin_parallel_for_callback(on_launch);
    Tools::set_begin_parallel_reduce_callback(on_launch);
    Tools::set_begin_parallel_scan_callback(on_launch);
    Tools::set_allocate_data_callback(on_allocation);
    Tools::set_deallocate_data_callback(on_deallocation);
    Tools::set_begin_deep_copy_callback(on_copy);
    Tools::set_push_region_callback(on_region);
  }
  Watch(Watch const&) = delete;
  Watch& operator=(Watch const&) = delete;
  ~Watch() { Kokkos::Tools::Experimental::set_callbacks(before_); }

  [[nodiscard]] Record const& seen() const { return record(); }
  [[nodiscard]] std::size_t copied_bytes() const {
    std::size_t bytes = 0;
    for (auto const& copy : record().copies) bytes += copy.bytes;
    return bytes;
  }
  /// Bytes allocated in spaces whose name contains `space`.
  [[nodiscard]] std::size_t allocated_bytes(std::string const& space) const {
    std::size_t bytes = 0;
    for (auto const& allocation : record().allocations)
      if (allocation.space.find(space) != std::string::npos) bytes += allocation.bytes;
    return bytes;
  }
  /// Bytes allocated minus bytes freed, in all spaces.
  [[nodiscard]] std::int64_t live_bytes() const {
    return static_cast<std::int64_t>(allocated_bytes("")) -
           static_cast<std::int64_t>(record().deallocated_bytes);
  }

 private:
  using Space = Kokkos_Profiling_SpaceHandle;

  static Record& record() {
    static Record all;
    return all;
  }
  static void on_fence(char const* name, std::uint32_t, std::uint64_t* id) {
    *id = 0;
    std::string const text(
        name);  // with launch callbacks Kokkos fences around launches: not a fence of the library
    if (text.find("Kokkos Profile Tool Fence") == std::string::npos) {
      record().fences.push_back(text);
      record().events.push_back("fence " + text);
    }
  }
  static void on_launch(char const* name, std::uint32_t, std::uint64_t* id) {
    *id = 0;
    record().launches.emplace_back(name);
    record().events.push_back("launch " + record().launches.back());
  }
  static void on_allocation(Space space, char const* label, void const*, std::uint64_t bytes) {
    if (bytes == 0) return;  // Kokkos 4 on CUDA reports 0 bytes for a team policy without level-1 scratch
    record().allocations.push_back({space.name, label, static_cast<std::size_t>(bytes)});
    record().events.push_back("allocation of " + record().allocations.back().label);
  }
  static void on_deallocation(Space, char const*, void const*, std::uint64_t bytes) {
    record().deallocated_bytes += static_cast<std::size_t>(bytes);
  }
  static void on_copy(Space to, char const* label, void const*, Space from, char const*, void const*,
                      std::uint64_t bytes) {
    record().copies.push_back({to.name, from.name, label, static_cast<std::size_t>(bytes)});
    record().events.push_back("copy to " + record().copies.back().label);
  }
  static void on_region(char const* name) { record().events.push_back("region " + std::string(name)); }

  Kokkos::Tools::Experimental::EventSet before_;
};

}  // namespace einkorn::test
