// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/candidates.hpp"
#include "support/counts.hpp"

#ifdef EINKORN_WITH_KOKKOS_KERNELS
#include <einkorn/formats/interop/kokkos_kernels.hpp>

#include <KokkosSparse_spmv.hpp>
#endif

#include <memory>
#include <string>

namespace einkorn::perf {

#ifdef EINKORN_WITH_KOKKOS_KERNELS

template <class Scalar, class Ordinal, class Offset>
void add_kokkos_kernels(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows) {
  using Matrix = CrsMatrixOf<Scalar, Ordinal, Offset, Device>;
  using Handle = KokkosSparse::SPMVHandle<Exec, Matrix, DenseVector<Scalar const>, DenseVector<Scalar>>;
  struct Named {
    char const* name;
    KokkosSparse::SPMVAlgorithm algorithm;
  };
  Matrix const matrix = to_crs_matrix(problem.A);
  for (auto const [name, algorithm] :
       {Named{"native", KokkosSparse::SPMV_NATIVE}, Named{"merge", KokkosSparse::SPMV_NATIVE_MERGE_PATH},
        Named{"default", KokkosSparse::SPMV_DEFAULT}}) {
    Candidate row;
    row.library = "kokkos-kernels";
    row.format = "csr";
    row.algorithm = name;
    row.bytes = csr_bytes(counts_of(problem.A));
    if (algorithm == KokkosSparse::SPMV_DEFAULT) {
      // Kokkos Kernels chooses the vendor library for (int, int) and its own kernel for other types.
#if defined(KOKKOSKERNELS_ENABLE_TPL_CUSPARSE) || defined(KOKKOSKERNELS_ENABLE_TPL_ROCSPARSE) || \
    defined(KOKKOSKERNELS_ENABLE_TPL_MKL)
      row.note = std::is_same_v<Ordinal, int> && std::is_same_v<Offset, int>
                     ? "vendor library"
                     : "no vendor library for these types";
#else
      row.note = "no vendor library";
#endif
    }
    rows.push_back(build_row(row, [&, algorithm = algorithm](Candidate& built) {
      auto const handle = std::make_shared<Handle>(algorithm);
      built.run = [handle, matrix, problem] {
        KokkosSparse::spmv(problem.exec, handle.get(), KokkosSparse::NoTranspose, Scalar(1), matrix, problem.x,
                           Scalar(0), problem.y);
      };
    }));
  }
}

#else

template <class Scalar, class Ordinal, class Offset>
void add_kokkos_kernels(Problem<Scalar, Ordinal, Offset> const&, Candidates& rows) {
  Candidate row;
  row.library = "kokkos-kernels";
  row.format = "csr";
  row.refusal = "built without Kokkos Kernels";
  rows.push_back(row);
}

#endif

}  // namespace einkorn::perf
