// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/counts.hpp"
#include "support/spmm.hpp"

#ifdef EINKORN_WITH_KOKKOS_KERNELS
#include <einkorn/formats/interop/kokkos_kernels.hpp>

#include <KokkosSparse_spmv.hpp>
#endif

#include <memory>

namespace einkorn::perf {

#ifdef EINKORN_WITH_KOKKOS_KERNELS

template <class Scalar, class Layout>
void add_kokkos_kernels_spmm(SpmmProblem<Scalar, Layout> const& problem, Candidates& rows) {
  using Matrix = CrsMatrixOf<Scalar, int, int, Device>;
  using Handle = KokkosSparse::SPMVHandle<Exec, Matrix, Kokkos::View<Scalar const**, Layout, Device>,
                                          Kokkos::View<Scalar**, Layout, Device>>;
  Matrix const matrix = to_crs_matrix(problem.A);
  auto const counts = counts_of(problem.A);
  Candidate row;
  row.library = "kokkos-kernels";
  row.format = "csr";
  row.algorithm = "native";
  row.bytes = csr_bytes(counts) + (problem.y.extent(1) - 1) * vector_bytes(counts);
  rows.push_back(build_row(row, [&](Candidate& built) {
    auto const handle = std::make_shared<Handle>(KokkosSparse::SPMV_NATIVE);
    built.run = [handle, matrix, problem] {
      KokkosSparse::spmv(problem.exec, handle.get(), KokkosSparse::NoTranspose, Scalar(1), matrix, problem.x,
                         Scalar(0), problem.y);
    };
  }));
}

#else

template <class Scalar, class Layout>
void add_kokkos_kernels_spmm(SpmmProblem<Scalar, Layout> const&, Candidates&) {}

#endif

template void add_kokkos_kernels_spmm(SpmmProblem<double, Kokkos::LayoutLeft> const&, Candidates&);
template void add_kokkos_kernels_spmm(SpmmProblem<double, Kokkos::LayoutRight> const&, Candidates&);
template void add_kokkos_kernels_spmm(SpmmProblem<float, Kokkos::LayoutLeft> const&, Candidates&);
template void add_kokkos_kernels_spmm(SpmmProblem<float, Kokkos::LayoutRight> const&, Candidates&);

}  // namespace einkorn::perf
