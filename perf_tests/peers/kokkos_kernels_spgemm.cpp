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
/// With int offsets, Kokkos Kernels calls cuSPARSE if it was built with it, for any requested algorithm.
using Offset = std::size_t;
using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<Offset, int, double, Exec, Memory, Memory>;
using Matrix = KokkosSparse::CrsMatrix<double, int, Device, void, Offset>;

struct WidenOffsets {
  Kokkos::View<int const*, Device> from;
  typename Matrix::row_map_type::non_const_type to;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { to(i) = static_cast<Offset>(from(i)); }
};

/// A copy, because SpGEMM of Kokkos Kernels does not accept const columns.
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

struct State {
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

/// The numeric phase of Kokkos Kernels 4.7 and 5.2 ends with sort_crs_matrix(): rows of C are sorted, as in
/// Einkorn.
void add_kokkos_kernels_spgemm(SpgemmBench& bench) {
  SpgemmRow row;
  row.library = "kokkos-kernels";
  row.algorithm = "native";
  row.offset_bytes = sizeof(Offset);
  bench.add(row, [&](SpgemmRow& built) {
    auto const A = copy_of(bench.A), B = copy_of(bench.B);
    auto const state = std::make_shared<State>();
    auto const symbolic = [=](State& target) {
      target.handle = std::make_unique<Handle>();
      target.handle->create_spgemm_handle(KokkosSparse::SPGEMM_KK);
      KokkosSparse::spgemm_symbolic(*target.handle, A, false, B, false, target.C);
    };
    auto const numeric = [=] { KokkosSparse::spgemm_numeric(*state->handle, A, false, B, false, state->C); };
    built.whole = [=] {
      symbolic(*state);
      numeric();
    };
    built.symbolic = [=] {
      State temporary;
      symbolic(temporary);
    };
    built.numeric = numeric;
    built.result = [=, exec = bench.exec] { return product_view(exec, state->C); };
    built.release = [=] {
      state->handle.reset();
      state->C = Matrix();
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
