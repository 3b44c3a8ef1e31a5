// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::tools {

using Exec = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;

/// Matrices of einkorn-solve: double or complex<double>, up to 2^31 - 1 rows and entries.
template <class Scalar>
using Matrix = Csr<Scalar, int, int, Device>;
template <class Scalar>
using DenseVector = Kokkos::View<Scalar*, Device>;

}  // namespace einkorn::tools
