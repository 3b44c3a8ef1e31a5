// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/spgemm.hpp"

#include <einkorn/core/arch.hpp>

#ifdef EINKORN_WITH_EIGEN
#include <Eigen/SparseCore>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace einkorn::perf {

#ifdef EINKORN_WITH_EIGEN

/// Eigen has one type for offsets and columns: int, as A.
void add_eigen_spgemm(SpgemmBench& bench) {
  using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
  SpgemmRow row;
  row.library = "eigen";
  row.algorithm = "row-major";
  row.note = "one thread";
  row.allocates_through_kokkos = false;
  bench.add(row, [&](SpgemmRow& built) {
    auto const C = std::make_shared<Matrix>();
    auto const A = bench.A, B = bench.B;
    auto const map = [](auto const& M) {
      return Eigen::Map<Matrix const>(M.num_rows, M.num_cols, M.nnz(), M.row_offsets.data(), M.columns.data(),
                                      M.values.data());
    };
    built.whole = [=] { *C = Matrix(map(A) * map(B)); };
    built.result = [=] {
      auto const rows = static_cast<std::size_t>(C->rows()), nnz = static_cast<std::size_t>(C->nonZeros());
      Kokkos::View<std::int64_t*, Device> const offsets("einkorn::perf::offsets", rows + 1);
      for (std::size_t i = 0; i <= rows; ++i) offsets(i) = C->outerIndexPtr()[i];
      Kokkos::View<int*, Device> const columns(Kokkos::view_alloc("einkorn::perf::columns"), nnz);
      Kokkos::View<double*, Device> const values(Kokkos::view_alloc("einkorn::perf::values"), nnz);
      std::copy_n(C->innerIndexPtr(), nnz, columns.data());
      std::copy_n(C->valuePtr(), nnz, values.data());
      return ProductView{offsets, columns, values};
    };
    built.release = [=] { *C = {}; };
  });
}

#else

void add_eigen_spgemm(SpgemmBench& bench) {
  if (is_gpu<Exec>) return;
  SpgemmRow row;
  row.library = "eigen";
  row.refusal = "built without Eigen";
  bench.rows.push_back(row);
}

#endif

}  // namespace einkorn::perf
