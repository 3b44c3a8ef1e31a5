// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include <einkorn/core/io/matrix_market.hpp>
#include <einkorn/core/version.hpp>
#include <einkorn/formats/csr/spmv.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdio>

static_assert(EINKORN_VERSION >= 100);

template <class T, std::size_t count>
Kokkos::View<T*> device_copy(T const (&values)[count]) {
  Kokkos::View<T*> const copy("copy", count);
  Kokkos::deep_copy(copy, Kokkos::View<T const*, Kokkos::HostSpace>(values, count));
  return copy;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);

  // 4 1 0
  // 1 4 1
  // 0 1 4
  int const offsets[] = {0, 2, 5, 7}, columns[] = {0, 1, 0, 1, 2, 1, 2};
  double const values[] = {4, 1, 1, 4, 1, 1, 4}, ones[] = {1, 1, 1};
  using Device = Kokkos::DefaultExecutionSpace::device_type;
  einkorn::Csr<double, int, int, Device> const A{3, 3, device_copy(offsets), device_copy(columns),
                                                 device_copy(values)};
  auto const x = device_copy(ones);
  Kokkos::View<double*> const y("y", 3);

  einkorn::spmv(Kokkos::DefaultExecutionSpace(), 1.0, A, x, 0.0, y);

  auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  bool const right = result(0) == 5 && result(1) == 6 && result(2) == 5;
  std::printf("Einkorn %s: %s\n", einkorn::version().data(), right ? "right" : "wrong");
  return right ? 0 : 1;
}
