// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn::detail {

/// The View type of a kernel argument: unmanaged, with dynamic extents and no other memory traits; rank 1 with
/// stride 1 in LayoutRight. Kernels are compiled once per scalar type and layout, not once per View type.
template <class V, class Scalar>
using KernelView = Kokkos::View<
    std::conditional_t<V::rank() == 1, Scalar*, Scalar**>,
    std::conditional_t<V::rank() == 1 && !std::is_same_v<typename V::array_layout, Kokkos::LayoutStride>,
                       Kokkos::LayoutRight, typename V::array_layout>,
    typename V::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// v as a KernelView. The caller keeps the memory of v alive.
template <class V, class Scalar>
KernelView<V, Scalar> kernel_view(V const& v) {
  if constexpr (V::rank() == 1 && !std::is_same_v<typename V::array_layout, Kokkos::LayoutStride>)
    return KernelView<V, Scalar>(v.data(), v.extent(0));
  else
    return KernelView<V, Scalar>(v);
}

/// x as a read-only kernel argument.
template <class X>
auto as_input(X const& x) {
  return kernel_view<X, typename X::const_value_type>(x);
}

/// y as a writable kernel argument.
template <class Y>
auto as_output(Y const& y) {
  return kernel_view<Y, typename Y::value_type>(y);
}

/// Calls body(x, y) for vectors, and body(x_j, y_j) for each column j of multivectors. All are kernel views.
template <class X, class Y, class Body>
void for_each_column(X const& x, Y const& y, Body const& body) {
  if constexpr (Y::rank() == 1) {
    body(x, y);
  } else {
    for (std::size_t j = 0; j < y.extent(1); ++j)
      body(as_input(Kokkos::subview(x, Kokkos::ALL, j)), as_output(Kokkos::subview(y, Kokkos::ALL, j)));
  }
}

}  // namespace einkorn::detail
