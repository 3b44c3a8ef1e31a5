// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <string>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace einkorn {

/// Host: arrays of at least this size use huge pages, smaller ones do not: a page is in the NUMA domain of the thread that
/// writes to it first, so that an array in one huge page is in one domain.
inline constexpr std::size_t large_page_bytes = std::size_t(4) << 20;

/// Throws Error when kernels cannot run: before Kokkos::initialize() or after Kokkos::finalize().
inline void require_kokkos(char const* operation) {
  require<Error>(Kokkos::is_initialized() && !Kokkos::is_finalized(), [&] {
    return detail::joined(operation, ": Kokkos is not initialised (call Kokkos::initialize first)");
  });
}

namespace detail {

/// Memory space that kernels of Exec and the host access: pinned if the device has its own memory.
template <class Exec>
using PinnedSpace = std::conditional_t<
    bool(Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible),
    Kokkos::HostSpace, Kokkos::SharedHostPinnedSpace>;

template <class View, class Make>
View allocate_or_throw(char const* label, std::size_t bytes, Make const& make) {
  if (bytes == std::numeric_limits<std::size_t>::max())  // Kokkos does not check the product of extents
    throw_out_of_memory(label, bytes, "the size overflows 64 bits");
  try {
    return make();
  } catch (std::exception const& failure) {  // the type differs between Kokkos 4 and 5
    throw_out_of_memory(label, bytes, failure.what());
  }
}

/// Writes zeros to `bytes` bytes of host memory, by all threads, so that a page is close to the thread that reads it.
template <class Exec>
void write_zeros(Exec const& exec, char const* label, void* memory, std::size_t bytes) {
  for_each_chunk(label, exec, static_cast<std::int64_t>(bytes),
                 [memory](std::size_t, std::int64_t begin, std::int64_t end) {
                   std::memset(static_cast<char*>(memory) + begin, 0, static_cast<std::size_t>(end - begin));
                 });
}

/// True if write_zeros() initializes a View, without the code that Kokkos compiles per type.
template <class View, class Exec>
inline constexpr bool zeros_are_bytes = !is_gpu<Exec> && std::is_arithmetic_v<typename View::value_type>;

template <class View, class... Extents>
constexpr std::size_t bytes_of_view(Extents... extents) {
  return saturated_product(extents..., sizeof(typename View::value_type));
}

/// Linux: requests transparent huge pages (2 MB) for memory before its first use. The first write to a page of 4 KB takes up
/// to 7 us in a virtual machine: converting 3.5 million entries to DIA took 63 ms, and 5.4 ms with huge pages (EPYC, 2 cores,
/// 2026-11). Without effect where huge pages are disabled, or enabled for all memory.
inline void request_large_pages(void* memory, std::size_t bytes) {
#ifdef __linux__
  if (bytes < large_page_bytes) return;
  auto const page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  auto const begin = reinterpret_cast<std::uintptr_t>(memory);
  std::uintptr_t const shift = (page - begin % page) % page;  // madvise takes the start of a page
  (void)madvise(static_cast<char*>(memory) + shift, bytes - shift, MADV_HUGEPAGE);
#else
  (void)memory, (void)bytes;
#endif
}

/// Memory of Views of other types.
template <class View>
using Bytes = Kokkos::View<unsigned char*, typename View::device_type>;

template <class View>
concept SharesBytes = requires(Bytes<View> const& bytes, std::size_t n) {
  View(typename View::data_handle_type(bytes.data_handle().tracker(),
                                       static_cast<typename View::pointer_type>(nullptr)),
       typename View::mapping_type(typename View::extents_type(n)));
};

/// True if Kokkos allows view_of_bytes() (not 4.x): it then compiles its allocation once per memory space, and not once
/// per value type, a quarter of a second each with g++ 12.
template <class View, class Exec>
inline constexpr bool can_share_bytes = [] {
  if constexpr (is_gpu<Exec> || View::rank() != 1)
    return false;
  else
    return SharesBytes<View>;
}();

/// A View of n entries in the memory of `bytes`, which it keeps alive.
template <class View>
View view_of_bytes(Bytes<View> const& bytes, std::size_t n) {
  static_assert(std::is_trivially_destructible_v<typename View::value_type>);
  auto* const begin = reinterpret_cast<typename View::pointer_type>(bytes.data());
  return View(typename View::data_handle_type(bytes.data_handle().tracker(), begin),
              typename View::mapping_type(typename View::extents_type(n)));
}

template <class Memory, class Exec>
Memory allocate_bytes(Exec const& exec, char const* label, std::size_t bytes) {
  return allocate_or_throw<Memory>(label, bytes, [&] {
    Memory const memory(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)), bytes);
    request_large_pages(memory.data(), bytes);
    return memory;
  });
}

}  // namespace detail

/// An uninitialized View of the given extents, allocated in order with the work on exec. On the host, huge
/// pages are requested for arrays of at least large_page_bytes.
/// @throws OutOfMemory with the requested bytes
template <class View, class Exec, class... Extents>
View allocate(Exec const& exec, char const* label, Extents... extents) {
  auto const bytes = detail::bytes_of_view<View>(extents...);
  if constexpr (detail::can_share_bytes<View, Exec>) {
    auto const memory = detail::allocate_bytes<detail::Bytes<View>>(exec, label, bytes);
    return detail::view_of_bytes<View>(memory, static_cast<std::size_t>(extents)...);
  } else {
    return detail::allocate_or_throw<View>(label, bytes, [&] {
      View const view(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)),
                      static_cast<std::size_t>(extents)...);
      if constexpr (!is_gpu<Exec>)
        detail::request_large_pages(view.data(), view.span() * sizeof(typename View::value_type));
      return view;
    });
  }
}

/// As allocate(), filled with zeros on exec.
template <class View, class Exec, class... Extents>
requires(Kokkos::is_execution_space<Exec>::value)
View allocate_zeros(Exec const& exec, char const* label, Extents... extents) {
  if constexpr (detail::zeros_are_bytes<View, Exec>) {
    View const view = allocate<View>(exec, label, extents...);
    detail::write_zeros(exec, label, view.data(), view.span() * sizeof(typename View::value_type));
    return view;
  } else {
    return detail::allocate_or_throw<View>(label, detail::bytes_of_view<View>(extents...), [&] {
      return View(Kokkos::view_alloc(exec, std::string(label)), static_cast<std::size_t>(extents)...);
    });
  }
}

/// As allocate(), filled with zeros before it returns. Fences. For Views whose execution space instance is not
/// known yet.
template <class View, class... Extents>
View allocate_zeros(char const* label, Extents... extents) {
  using Exec = typename View::execution_space;
  if constexpr (detail::zeros_are_bytes<View, Exec>)
    return allocate_zeros<View>(Exec(), label, extents...);
  else
    return detail::allocate_or_throw<View>(label, detail::bytes_of_view<View>(extents...), [&] {
      return View(std::string(label), static_cast<std::size_t>(extents)...);
    });
}

/// An uninitialized host mirror of `view`, also if `view` is in host memory.
/// @throws OutOfMemory with the requested bytes
template <class View>
auto allocate_on_host(char const* label, View const& view) {
  using Host = decltype(Kokkos::create_mirror(Kokkos::HostSpace(), view));
  if constexpr (detail::can_share_bytes<Host, Kokkos::DefaultHostExecutionSpace>)
    return allocate<Host>(Kokkos::DefaultHostExecutionSpace(), label, view.extent(0));
  else
    return detail::allocate_or_throw<Host>(label, detail::bytes_of_view<View>(view.size()), [&] {
      return Kokkos::create_mirror(Kokkos::WithoutInitializing, Kokkos::HostSpace(), view);
    });
}

/// `view` itself if it is in host memory, otherwise a copy there. Fences.
/// @throws OutOfMemory with the requested bytes
template <class View>
auto read_on_host(char const* label, View const& view) {
  if constexpr (std::is_same_v<typename View::memory_space, Kokkos::HostSpace>) {
    Kokkos::fence(label);
    return view;
  } else {
    using Host = decltype(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view));
    return detail::allocate_or_throw<Host>(label, detail::bytes_of_view<View>(view.size()), [&] {
      return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    });
  }
}

}  // namespace einkorn
