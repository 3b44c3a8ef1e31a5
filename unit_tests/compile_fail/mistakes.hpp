// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::test {

using Exec = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;

/// Memory that no execution space can access, as host memory for kernels of a GPU. Used in types only.
struct RemoteSpace {
  using memory_space = RemoteSpace;
  using execution_space = Exec;
  using device_type = Kokkos::Device<execution_space, memory_space>;
  using size_type = std::size_t;
  static constexpr char const* name() { return "Remote"; }
};
using RemoteDevice = RemoteSpace::device_type;

/// A type with the members of KokkosSparse::CrsMatrix.
struct CrsLike {
  using value_type = double;
  using ordinal_type = int;
  using size_type = int;
  using device_type = Device;
  struct {
    Kokkos::View<int const*, Device> row_map;
    Kokkos::View<int*, Device> entries;
  } graph;
  Kokkos::View<double*, Device> values;
  int numRows() const { return 0; }
  int numCols() const { return 0; }
};

}  // namespace einkorn::test

namespace Kokkos::Impl {

template <class Space>
struct MemorySpaceAccess<Space, einkorn::test::RemoteSpace> {
  enum : bool { assignable = false, accessible = false, deepcopy = false };
};

}  // namespace Kokkos::Impl
