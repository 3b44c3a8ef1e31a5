// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/counts.hpp"
#include "support/solve.hpp"

#ifdef EINKORN_WITH_KOKKOS_KERNELS
#include "support/fastest.hpp"
#include "support/textbook.hpp"

#include <einkorn/formats/interop/kokkos_kernels.hpp>

#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_mult.hpp>
#include <KokkosSparse_spmv.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace einkorn::perf {

#ifdef EINKORN_WITH_KOKKOS_KERNELS

namespace {

using Vector = DenseVector<double>;
using ConstVector = DenseVector<double const>;

/// The calls of the CG performance test of Kokkos Kernels: spmv, dot, axpby; mult for Jacobi.
class KokkosKernelsSpmv {
 public:
  static constexpr std::size_t xpay_vectors = 3;

  KokkosKernelsSpmv(SolveBench const& bench, KokkosSparse::SPMVAlgorithm algorithm)
      : exec_(bench.exec),
        matrix_(to_crs_matrix(bench.A)),
        handle_(std::make_shared<Handle>(algorithm)),
        inverse_diagonal_(bench.inverse_diagonal) {}

  void multiply(ConstVector const& x, Vector const& y) const {
    KokkosSparse::spmv(exec_, handle_.get(), KokkosSparse::NoTranspose, 1.0, matrix_, x, 0.0, y);
  }
  [[nodiscard]] double dot(ConstVector const& x, ConstVector const& y) const {
    return KokkosBlas::dot(exec_, x, y);
  }
  void axpy(double a, ConstVector const& x, Vector const& y) const { KokkosBlas::axpby(exec_, a, x, 1.0, y); }
  void xpay(ConstVector const& x, double a, Vector const& y) const { KokkosBlas::axpby(exec_, 1.0, x, a, y); }
  void precondition(ConstVector const& r, Vector const& z) const {
    KokkosBlas::mult(exec_, 0.0, z, 1.0, inverse_diagonal_, r);
  }
  void copy(ConstVector const& x, Vector const& y) const { Kokkos::deep_copy(exec_, y, x); }
  void zero(Vector const& y) const { Kokkos::deep_copy(exec_, y, 0.0); }

 private:
  using Matrix = CrsMatrixOf<double, int, int, Device>;
  using Handle = KokkosSparse::SPMVHandle<Exec, Matrix, ConstVector, Vector>;

  Exec exec_;
  Matrix matrix_;
  std::shared_ptr<Handle> handle_;
  ConstVector inverse_diagonal_;
};

}  // namespace

void add_kokkos_kernels_solvers(SolveBench& bench) {
  SolveRow row;
  row.library = "kokkos-kernels";
  row.format = "csr";
  row.execution = "host_scalars";
  bench.add(row, [&](SolveRow& built) {
    std::vector<Spmv<KokkosKernelsSpmv>> variants;
    for (auto const& [name, algorithm] : {std::pair{"native", KokkosSparse::SPMV_NATIVE},
                                          {"merge", KokkosSparse::SPMV_NATIVE_MERGE_PATH},
                                          {"default", KokkosSparse::SPMV_DEFAULT}})
      variants.push_back({name, [&bench, algorithm = algorithm] {
                            return std::make_shared<KokkosKernelsSpmv const>(bench, algorithm);
                          }});
    auto const best = fastest(bench, variants);
    built.note = "spmv " + best.name;
    auto const counts = counts_of(bench.A);
    built.matrix_bytes = csr_bytes(counts) - vector_bytes(counts);
    run_textbook(built, bench, best.library);
  });
}

#else

void add_kokkos_kernels_solvers(SolveBench& bench) {
  SolveRow row;
  row.library = "kokkos-kernels";
  row.format = "csr";
  row.refusal = "built without Kokkos Kernels";
  bench.rows.push_back(row);
}

#endif

}  // namespace einkorn::perf
