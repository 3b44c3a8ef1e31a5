// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <exception>
#include <limits>
#include <string>

namespace einkorn {

/// Throws Error when kernels cannot run: before Kokkos::initialize() or after Kokkos::finalize().
inline void require_kokkos(char const* operation) {
  require<Error>(Kokkos::is_initialized() && !Kokkos::is_finalized(), [&] {
    return std::string(operation) + ": Kokkos is not initialised (call Kokkos::initialize first)";
  });
}

namespace detail {

template <class View, class Make>
View allocate_or_throw(std::string const& label, std::size_t bytes, Make const& make) {
  if (bytes == std::numeric_limits<std::size_t>::max())  // Kokkos multiplies extents without looking
    throw_out_of_memory(label, bytes, "more than 64 bits hold");
  try {
    return make();
  } catch (std::exception const& failure) {  // Kokkos 4 and 5 throw different types
    throw_out_of_memory(label, bytes, failure.what());
  }
}

template <class View, class... Extents>
constexpr std::size_t bytes_of_view(Extents... extents) {
  return saturated_product(extents..., sizeof(typename View::value_type));
}

}  // namespace detail

/// A View of the given extents, not initialised, ordered with the other work of exec.
/// Throws OutOfMemory, which says how many bytes were asked for.
template <class View, class Exec, class... Extents>
View allocate(Exec const& exec, std::string const& label, Extents... extents) {
  return detail::allocate_or_throw<View>(label, detail::bytes_of_view<View>(extents...), [&] {
    return View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label),
                static_cast<std::size_t>(extents)...);
  });
}

/// The same, all zero, written on exec.
template <class View, class Exec, class... Extents>
requires(Kokkos::is_execution_space<Exec>::value)
View allocate_zeros(Exec const& exec, std::string const& label, Extents... extents) {
  return detail::allocate_or_throw<View>(label, detail::bytes_of_view<View>(extents...), [&] {
    return View(Kokkos::view_alloc(exec, label), static_cast<std::size_t>(extents)...);
  });
}

/// The same, all zero, in no order with work on any instance: fences. For a View that is made before the
/// instance that it is used on is known.
template <class View, class... Extents>
View allocate_zeros(std::string const& label, Extents... extents) {
  return detail::allocate_or_throw<View>(label, detail::bytes_of_view<View>(extents...),
                                         [&] { return View(label, static_cast<std::size_t>(extents)...); });
}

/// An array in host memory as large as `view`, not initialised.
template <class View>
auto allocate_on_host(std::string const& label, View const& view) {
  using Host = decltype(Kokkos::create_mirror(Kokkos::HostSpace(), view));
  return detail::allocate_or_throw<Host>(label, detail::bytes_of_view<View>(view.size()), [&] {
    return Kokkos::create_mirror(Kokkos::WithoutInitializing, Kokkos::HostSpace(), view);
  });
}

/// The entries of `view` in host memory: itself where it lies there, a copy elsewhere. Fences.
template <class View>
auto read_on_host(std::string const& label, View const& view) {
  using Host = decltype(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view));
  return detail::allocate_or_throw<Host>(label, detail::bytes_of_view<View>(view.size()), [&] {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  });
}

}  // namespace einkorn
