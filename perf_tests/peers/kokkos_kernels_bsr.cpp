// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/candidates.hpp"
#include "support/counts.hpp"

#ifdef EINKORN_WITH_KOKKOS_KERNELS
#include <einkorn/formats/bsr/from_csr.hpp>
#include <einkorn/formats/interop/kokkos_kernels_bsr.hpp>

#include <KokkosSparse_spmv.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace einkorn::perf {

/// Only for double and float with (int, int), because the kernels take long to compile.
template <class Scalar, class Ordinal, class Offset>
void add_kokkos_kernels_bsr([[maybe_unused]] Problem<Scalar, Ordinal, Offset> const& problem,
                            [[maybe_unused]] Candidates& rows) {
#ifdef EINKORN_WITH_KOKKOS_KERNELS
  if constexpr (std::is_floating_point_v<Scalar> && std::is_same_v<Ordinal, int>) {
    using Matrix = BsrMatrixOf<Scalar, int, int, Device>;
    using Handle = KokkosSparse::SPMVHandle<Exec, Matrix, DenseVector<Scalar const>, DenseVector<Scalar>>;
    Candidate row;
    row.library = "kokkos-kernels";
    row.format = "bsr";
    row.algorithm = "native";
    rows.push_back(build_row(row, [&](Candidate& built) {
      BsrOptions options;
      options.checks = Checks::off;
      auto const F = from_csr<Bsr>(problem.exec, problem.A, options);
      auto const matrix = to_bsr_matrix(F);
      auto const handle = std::make_shared<Handle>(KokkosSparse::SPMV_NATIVE);
      built.bytes = F.bytes() + vector_bytes(counts_of(problem.A));
      built.note = "blocks of " + std::to_string(F.block_size);
      built.run = [handle, matrix, problem] {
        KokkosSparse::spmv(problem.exec, handle.get(), KokkosSparse::NoTranspose, Scalar(1), matrix, problem.x,
                           Scalar(0), problem.y);
      };
    }));
  }
#endif
}

template void add_kokkos_kernels_bsr(Problem<double, int, int> const&, Candidates&);
template void add_kokkos_kernels_bsr(Problem<float, int, int> const&, Candidates&);
template void add_kokkos_kernels_bsr(Problem<Kokkos::complex<double>, int, int> const&, Candidates&);
template void add_kokkos_kernels_bsr(Problem<double, std::int64_t, std::size_t> const&, Candidates&);

}  // namespace einkorn::perf
