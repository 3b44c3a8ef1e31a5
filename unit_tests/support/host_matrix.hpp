// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "types.hpp"

#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace einkorn::test {

/// Whether the tests read and write the View directly: the copies of Kokkos cost compile time.
template <class View>
inline constexpr bool is_in_host_memory = std::is_same_v<typename View::memory_space, Kokkos::HostSpace>;

/// The View itself if it is in host memory, otherwise a copy there. Fences.
template <class View>
auto on_host(View const& view) {
  if constexpr (is_in_host_memory<View>) {
    Kokkos::fence();
    return view;
  } else {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  }
}

/// A copy of a host array on the device.
template <class D = Device, class T>
Kokkos::View<T*, D> to_device(std::vector<T> const& from, std::string const& label = "einkorn::test") {
  Kokkos::View<T*, D> const to(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), from.size());
  if constexpr (is_in_host_memory<Kokkos::View<T*, D>>)
    std::copy(from.begin(), from.end(), to.data());
  else
    Kokkos::deep_copy(
        to, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(from.data(), from.size()));
  return to;
}

/// A copy of a contiguous View of rank 1 on the host.
template <class View>
std::vector<typename View::non_const_value_type> to_host(View const& from) {
  std::vector<typename View::non_const_value_type> to(from.extent(0));
  auto const mirror = on_host(from);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = mirror(i);
  return to;
}

/// A copy of the View with view(i) = value.
template <class View>
void set(View& view, std::size_t i, typename View::value_type value) {
  auto entries = to_host(view);
  entries[i] = value;
  view = to_device(entries);
}

/// A CSR matrix on the host, in plain vectors.
template <class S, class O = int, class F = int>
struct HostMatrix {
  using Scalar = S;
  using Ordinal = O;
  using Offset = F;

  O num_rows = 0, num_cols = 0;
  std::vector<F> offsets{F(0)};
  std::vector<O> columns;
  std::vector<S> values;

  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(num_rows); }
  [[nodiscard]] std::size_t cols() const { return static_cast<std::size_t>(num_cols); }
  [[nodiscard]] std::size_t nnz() const { return values.size(); }
  [[nodiscard]] std::size_t begin(std::size_t row) const { return static_cast<std::size_t>(offsets[row]); }
  [[nodiscard]] std::size_t end(std::size_t row) const { return static_cast<std::size_t>(offsets[row + 1]); }
  [[nodiscard]] std::size_t column(std::size_t k) const { return static_cast<std::size_t>(columns[k]); }

  template <class D = Device>
  [[nodiscard]] Csr<S, O, F, D> on_device() const {
    return {num_rows, num_cols, to_device<D>(offsets), to_device<D>(columns), to_device<D>(values)};
  }
};

template <class S, class O, class F, class D>
HostMatrix<std::remove_const_t<S>, O, F> to_host(Csr<S, O, F, D> const& A) {
  return {A.num_rows, A.num_cols, to_host(A.row_offsets), to_host(A.columns), to_host(A.values)};
}

/// The transpose; the entries of a column keep their order.
template <class S, class O, class F>
HostMatrix<S, O, F> transposed(HostMatrix<S, O, F> const& A) {
  HostMatrix<S, O, F> T{A.num_cols, A.num_rows, std::vector<F>(A.cols() + 1, F(0)), {}, {}};
  T.columns.resize(A.columns.size());
  T.values.resize(A.values.size());
  for (O const column : A.columns) ++T.offsets[static_cast<std::size_t>(column) + 1];
  for (std::size_t j = 0; j < A.cols(); ++j) T.offsets[j + 1] += T.offsets[j];
  auto next = T.offsets;
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i); k < A.end(i); ++k) {
      auto const at = static_cast<std::size_t>(next[A.column(k)]++);
      T.columns[at] = static_cast<O>(i);
      T.values[at] = A.values[k];
    }
  return T;
}

/// A small matrix from its dense rows, without zeros.
template <class S, class O = int, class F = int>
HostMatrix<S, O, F> from_dense(std::vector<std::vector<S>> const& dense, std::size_t num_cols) {
  HostMatrix<S, O, F> A{static_cast<O>(dense.size()), static_cast<O>(num_cols), {F(0)}, {}, {}};
  for (auto const& row : dense) {
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] != S(0)) {
        A.columns.push_back(static_cast<O>(j));
        A.values.push_back(row[j]);
      }
    A.offsets.push_back(static_cast<F>(A.values.size()));
  }
  return A;
}

}  // namespace einkorn::test
