// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <exception>
#include <string>

namespace einkorn {

/// Throws Error when kernels cannot run: before Kokkos::initialize() or after Kokkos::finalize().
inline void require_kokkos(char const* operation) {
  require<Error>(Kokkos::is_initialized() && !Kokkos::is_finalized(), [&] {
    return std::string(operation) + ": Kokkos is not initialised (call Kokkos::initialize first)";
  });
}

/// A View of the given extent, not initialised, ordered with the other work of exec.
/// Throws OutOfMemory, which says how many bytes were asked for.
template <class View, class Exec>
View allocate(Exec const& exec, std::string const& label, std::size_t extent) {
  try {
    return View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), extent);
  } catch (std::exception const& failure) {  // Kokkos 4 and 5 throw different types
    throw OutOfMemory("no memory for " + label + ": " +
                      std::to_string(extent * sizeof(typename View::value_type)) + " bytes asked for (" +
                      failure.what() + ")");
  }
}

}  // namespace einkorn
