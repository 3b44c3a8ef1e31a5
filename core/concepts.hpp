// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <concepts>
#include <type_traits>

namespace einkorn {

template <class T>
concept ExecutionSpace = bool(Kokkos::is_execution_space<T>::value);

/// A Kokkos View of rank 1 (one vector) or rank 2 (one vector per column), of any layout.
template <class T>
concept Vector = bool(Kokkos::is_view<T>::value) && (T::rank() == 1 || T::rank() == 2);

template <class T>
concept WritableVector = Vector<T> && !std::is_const_v<typename T::value_type>;

/// Kernels on Exec can access the memory of V, a View or memory space.
template <class V, class Exec>
concept AccessibleFrom = bool(Kokkos::SpaceAccessibility<Exec, typename V::memory_space>::accessible);

/// A type with the members of KokkosSparse::CrsMatrix.
template <class T>
concept CrsMatrixLike = requires(T const& matrix) {
  typename T::value_type;
  typename T::ordinal_type;
  typename T::size_type;
  typename T::device_type;
  matrix.graph.row_map;
  matrix.graph.entries;
  matrix.values;
  { matrix.numRows() } -> std::convertible_to<long long>;
  { matrix.numCols() } -> std::convertible_to<long long>;
};

}  // namespace einkorn
