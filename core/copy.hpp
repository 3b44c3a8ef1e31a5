// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/kernel_view.hpp>
#include <einkorn/core/range_launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

/// Kokkos::deep_copy of Views of rank 0 and 1 in order with the work on exec. On a GPU these functions call
/// Kokkos; on the host they compile to one loop instead of the cases that Kokkos distinguishes.
namespace einkorn {

namespace detail {

/// Host loops of at most this many entries are not divided among threads.
inline constexpr std::size_t max_serial_entries = 1024;

template <class To, class From>
struct AssignEntry {
  To to;
  From from;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    to(i) = static_cast<typename To::non_const_value_type>(from(i));
  }
};

template <class To>
struct AssignValue {
  To to;
  typename To::non_const_value_type value;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { to(i) = value; }
};

template <class Exec, class Functor>
void run_on_entries(char const* label, Exec const& exec, std::size_t count, Functor const& functor) {
  if (count <= max_serial_entries)
    for (std::size_t i = 0; i < count; ++i) functor(i);
  else
    range_for<std::size_t>(label, exec, count, functor);
}

template <class Exec, class To, class From>
void assign_entries(Exec const& exec, To const& to, From const& from) {
  run_on_entries("einkorn::copy_vector", exec, to.extent(0), AssignEntry<To, From>{to, from});
}
template <class Exec, class To>
void assign_value(Exec const& exec, To const& to, typename To::non_const_value_type const& value) {
  run_on_entries("einkorn::fill_vector", exec, to.extent(0), AssignValue<To>{to, value});
}

}  // namespace detail

/// to <- from. On a GPU asynchronous if both are in memory of the GPU; fences exec if one is on the host.
/// @pre to and from do not overlap
/// @throws DimensionMismatch on the host, std::runtime_error of Kokkos on a GPU, if the extents differ
template <class Exec, class To, class From>
requires(To::rank() <= 1 && From::rank() == To::rank())
void copy_vector(Exec const& exec, To const& to, From const& from) {
  if constexpr (is_gpu<Exec>) {
    Kokkos::deep_copy(exec, to, from);
  } else if constexpr (To::rank() == 0) {
    to() = from();
  } else {
    require<DimensionMismatch>(to.extent(0) == from.extent(0), [&] {
      return detail::joined("copy_vector: ", from.extent(0), " entries to a vector of ", to.extent(0));
    });
    detail::assign_entries(exec, detail::as_output(to), detail::as_input(from));
  }
}

/// Every entry of `to` <- value. Asynchronous on a GPU.
template <class Exec, class To>
requires(To::rank() == 1)
void fill_vector(Exec const& exec, To const& to, typename To::non_const_value_type const& value) {
  if constexpr (is_gpu<Exec>)
    Kokkos::deep_copy(exec, to, value);
  else
    detail::assign_value(exec, detail::as_output(to), value);
}

}  // namespace einkorn
