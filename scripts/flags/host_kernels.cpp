// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// host_kernels N: prints the CPU time in ms, minimum of 40 runs, of y <- A x for a 27-point stencil of N^3 rows:
// CSR with one vector and with 8. scripts/check_flags.sh compiles it with several compilers and options, as a
// program of a user.
#include <einkorn/formats/csr/spmv.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

using Space = Kokkos::DefaultHostExecutionSpace;
using Matrix = einkorn::Csr<double, int, int, Space::device_type>;

template <class T>
Kokkos::View<T*, Space> view_of(std::vector<T> const& from) {
  Kokkos::View<T*, Space> const view("view", from.size());
  std::copy(from.begin(), from.end(), view.data());
  return view;
}

Matrix stencil(int n) {
  std::vector<int> offsets = {0}, columns;
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        for (int c = std::max(0, z - 1); c <= std::min(n - 1, z + 1); ++c)
          for (int b = std::max(0, y - 1); b <= std::min(n - 1, y + 1); ++b)
            for (int a = std::max(0, x - 1); a <= std::min(n - 1, x + 1); ++a)
              columns.push_back((c * n + b) * n + a);
        offsets.push_back(static_cast<int>(columns.size()));
      }
  std::vector<double> const values(columns.size(), 0.5);
  return {n * n * n, n * n * n, view_of(offsets), view_of(columns), view_of(values)};
}

template <class X, class Y>
double milliseconds(Matrix const& A, X const& x, Y const& y) {
  Space const exec;
  double least = 1e9;
  for (int run = 0; run < 40; ++run) {
    std::clock_t const start = std::clock();
    einkorn::spmv(exec, 1.0, A, x, 0.0, y);
    exec.fence();
    least = std::min(least, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Matrix const A = stencil(argc > 1 ? std::atoi(argv[1]) : 24);
  Kokkos::View<double*, Space> const x("x", A.num_cols), y("y", A.num_rows);
  Kokkos::View<double**, Kokkos::LayoutRight, Space> const X("X", A.num_cols, 8), Y("Y", A.num_rows, 8);
  Kokkos::deep_copy(x, 1.0);
  Kokkos::deep_copy(X, 1.0);
  double const one = milliseconds(A, x, y), eight = milliseconds(A, X, Y);
  int const middle = A.num_rows / 2 + 1;
  bool const right = y(0) == 4.0 && Y(0, 7) == 4.0 && y(middle) == Y(middle, 3);
  std::printf("%.3f %.3f\n", one, eight);
  return right ? 0 : 1;
}
