// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/spgemm.hpp"

#ifdef EINKORN_WITH_KOKKOS_KERNELS
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spgemm.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <memory>

namespace einkorn::perf {

#ifdef EINKORN_WITH_KOKKOS_KERNELS

namespace {

using Memory = Device::memory_space;
/// With int it hands the product to cuSPARSE where it was built with that, whatever algorithm is asked for.
using Offset = std::size_t;
using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<Offset, int, double, Exec, Memory, Memory>;
using Matrix = KokkosSparse::CrsMatrix<double, int, Device, void, Offset>;

struct WidenOffsets {
  Kokkos::View<int const*, Device> from;
  typename Matrix::row_map_type::non_const_type to;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { to(i) = static_cast<Offset>(from(i)); }
};

/// With arrays of its own: Kokkos Kernels' SpGEMM takes no const columns.
Matrix copy_of(Csr<double, int, int, Device> const& A) {
  typename Matrix::row_map_type::non_const_type const offsets("einkorn::perf::offsets",
                                                              A.row_offsets.extent(0));
  typename Matrix::index_type::non_const_type const columns("einkorn::perf::columns", A.columns.extent(0));
  typename Matrix::values_type::non_const_type const values("einkorn::perf::values", A.values.extent(0));
  Kokkos::parallel_for("einkorn::perf::widen",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(0, A.row_offsets.extent(0)),
                       WidenOffsets{A.row_offsets, offsets});
  Kokkos::deep_copy(columns, A.columns);
  Kokkos::deep_copy(values, A.values);
  return {"einkorn::perf", A.num_rows, A.num_cols, static_cast<Offset>(A.nnz()), values, offsets, columns};
}

struct Kept {
  std::unique_ptr<Handle> handle;
  Matrix C;
};

struct Widen {
  typename Matrix::row_map_type from;
  Kokkos::View<std::int64_t*, Device> to;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { to(i) = static_cast<std::int64_t>(from(i)); }
};

ProductView product_view(Exec const& exec, Matrix const& C) {
  auto const from = C.graph.row_map;
  Kokkos::View<std::int64_t*, Device> const offsets("einkorn::perf::offsets", from.extent(0));
  Kokkos::parallel_for("einkorn::perf::widen",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, from.extent(0)),
                       Widen{from, offsets});
  return {offsets, C.graph.entries, C.values};
}

}  // namespace

/// Its numeric phase ends with sort_crs_matrix(), in 4.7 as in 5.2: rows of C are sorted, as ours are.
void add_kokkos_kernels_spgemm(SpgemmBench& bench) {
  SpgemmRow row;
  row.library = "kokkos-kernels";
  row.algorithm = "native";
  row.offset_bytes = sizeof(Offset);
  bench.add(row, [&](SpgemmRow& built) {
    auto const A = copy_of(bench.A), B = copy_of(bench.B);
    auto const kept = std::make_shared<Kept>();
    auto const symbolic = [=](Kept& to) {
      to.handle = std::make_unique<Handle>();
      to.handle->create_spgemm_handle(KokkosSparse::SPGEMM_KK);
      KokkosSparse::spgemm_symbolic(*to.handle, A, false, B, false, to.C);
    };
    auto const numeric = [=] { KokkosSparse::spgemm_numeric(*kept->handle, A, false, B, false, kept->C); };
    built.whole = [=] {
      symbolic(*kept);
      numeric();
    };
    built.symbolic = [=] {
      Kept own;
      symbolic(own);
    };
    built.numeric = numeric;
    built.result = [=, exec = bench.exec] { return product_view(exec, kept->C); };
    built.forget = [=] {
      kept->handle.reset();
      kept->C = Matrix();
    };
  });
}

#else

void add_kokkos_kernels_spgemm(SpgemmBench& bench) {
  SpgemmRow row;
  row.library = "kokkos-kernels";
  row.refusal = "built without Kokkos Kernels";
  bench.rows.push_back(row);
}

#endif

}  // namespace einkorn::perf
