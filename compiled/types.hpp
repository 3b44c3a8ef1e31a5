// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/format_list.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn {

template <class Formats, class Scalar, class Ordinal, class Offset, class Device, class VectorScalar>
class BasicAnyMatrix;
template <class Matrix, class VectorScalar>
class SpmvPlan;
template <class Scalar, class Device>
class Jacobi;

namespace detail {

/// The argument types of the functions in Einkorn::compiled, for one choice of scalar and index types, on the
/// default execution space.
template <class Scalar, class Ordinal, class Offset>
struct CompiledTypes {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Device = Exec::device_type;
  using Matrix = Csr<Scalar, Ordinal, Offset, Device>;
  using ConstMatrix = Csr<Scalar const, Ordinal, Offset, Device>;
  using Plan = SpmvPlan<Matrix, Scalar>;
  using Any = BasicAnyMatrix<BuiltInFormats, Scalar, Ordinal, Offset, Device, Scalar>;

  template <class Data, class Layout>
  using View = Kokkos::View<Data, Layout, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using X = View<Scalar const*, Kokkos::LayoutRight>;
  using Y = View<Scalar*, Kokkos::LayoutRight>;
  using RowMajorX = View<Scalar const**, Kokkos::LayoutRight>;
  using RowMajorY = View<Scalar**, Kokkos::LayoutRight>;
  using ColumnMajorX = View<Scalar const**, Kokkos::LayoutLeft>;
  using ColumnMajorY = View<Scalar**, Kokkos::LayoutLeft>;
};

}  // namespace detail

}  // namespace einkorn
