// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/counts.hpp"
#include "support/spmm.hpp"

#ifdef EINKORN_WITH_KOKKOS_KERNELS
#include <einkorn/formats/interop/kokkos_kernels.hpp>

#include <KokkosSparse_spmv.hpp>
#endif

#include <memory>
#include <stdexcept>

#ifdef EINKORN_WITH_KOKKOS_KERNELS

/// The dispatch of KokkosSparse::spmv for multivectors with the one kernel that the bench runs: Y <- A X. The
/// dispatch of the library compiles 48 kernels per scalar and layout: 4 operations on A, 3 values of alpha, 4 of
/// beta. CPU time to compile this file with g++ 12 at -O3: 36 s instead of 360 s.
template <class Scalar, class Layout, class Handle>
struct KokkosSparse::Impl::SPMV_MV<
    einkorn::perf::Exec, Handle,
    KokkosSparse::CrsMatrix<Scalar const, int const, einkorn::perf::Device,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>, int const>,
    Kokkos::View<Scalar const**, Layout, einkorn::perf::Device,
                 Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::RandomAccess>>,
    Kokkos::View<Scalar**, Layout, einkorn::perf::Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>, false,
    false, false> {
  template <class Exec, class Matrix, class X, class Y>
  static void spmv_mv(Exec const& exec, Handle*, char const mode[], Scalar const& alpha, Matrix const& A,
                      X const& x, Scalar const& beta, Y const& y) {
    if (mode[0] != NoTranspose[0] || alpha != Scalar(1) || beta != Scalar(0))
      throw std::logic_error("KokkosSparse::spmv with multivectors: only Y = A X is compiled");
    spmv_alpha_beta_mv_no_transpose<Exec, Matrix, X, Y, 1, 0, false>(exec, alpha, A, x, beta, y);
  }
};

#endif

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
