// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/detail/spmv_row_split.hpp>
#include <einkorn/formats/csr/detail/spmv_row_team.hpp>
#include <einkorn/formats/csr/spmv_tuning.hpp>
#include <einkorn/formats/spmm/detail/column_tile.hpp>
#include <einkorn/formats/spmm/detail/row_tile.hpp>
#include <einkorn/formats/spmv_options.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>

namespace einkorn::detail {

/// Calls body(std::true_type) to conjugate, body(std::false_type) not to; real scalars have the latter only.
template <class Scalar, class Body>
void with_conjugation(bool conjugated, Body const& body) {
  if constexpr (is_complex<Scalar>) {
    if (conjugated) return body(std::true_type{});
  }
  body(std::false_type{});
}

/// What an SpMV refuses whatever the matrix: values that are no enumerators; lanes that no hardware has;
/// sorted_rows and row_bins, but with a plan.
inline void check_spmv_options(SpmvOptions const& options, bool with_plan = false) {
  require_enumerator(options.op, Op::conjugate_transpose, "spmv: op");
  require_enumerator(options.algorithm, SpmvAlgorithm::atomic_scatter, "spmv: algorithm");
  int const lanes = options.lanes;
  require<InvalidArgument>(lanes >= 0 && lanes <= 64 && (lanes & (lanes - 1)) == 0, [&] {
    return "spmv: lanes is " + std::to_string(lanes) + ", expected 0 or a power of two up to 64";
  });
  require<InvalidArgument>(with_plan || options.algorithm != SpmvAlgorithm::sorted_rows,
                           "spmv: sorted_rows needs a plan (make_spmv_plan, which keeps the order)");
  require<InvalidArgument>(with_plan || options.algorithm != SpmvAlgorithm::row_bins,
                           "spmv: row_bins needs a plan (make_spmv_plan, which keeps the bins)");
}

/// Lanes a row for the row kernels: 1 for row_thread, else what the caller or the table says.
template <class Exec, class Matrix>
int row_lanes(Matrix const& A, SpmvOptions const& options) {
  if (options.algorithm == SpmvAlgorithm::row_thread) return 1;
  if (options.lanes > 0) return std::min(options.lanes, std::max(lockstep_lanes(arch_of<Exec>), 2));
  double const mean = static_cast<double>(A.nnz()) / static_cast<double>(A.num_rows);
  bool const shared = options.algorithm == SpmvAlgorithm::row_team || !is_gpu<Exec>;
  return std::max(lanes_for_row(arch_of<Exec>, mean), shared ? 2 : 1);
}

/// Products with multivectors on a GPU: lanes over the columns where they lie side by side, else over the rows.
/// One column is a vector. longest: of the rows' lengths, where a plan knows it.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class Sum>
void spmm_by_rows(
    Exec const& exec, int lanes, Epilogue<Sum> const& epilogue, Matrix const& A, X const& x, Y const& y,
    typename Matrix::offset_type longest = std::numeric_limits<typename Matrix::offset_type>::max()) {
  StridedCsrRows<Matrix> const rows{A};
  if (y.extent(1) == 0) return;
  if (takes_row_tile(x, y))
    spmm_row_tile<conjugated>(exec, "einkorn::spmv[csr,row_tile]", epilogue, rows, x, y, longest);
  else if (y.extent(1) == 1)
    spmv_row_team<conjugated>(exec, lanes, epilogue, A, Kokkos::subview(x, Kokkos::ALL, 0),
                              Kokkos::subview(y, Kokkos::ALL, 0));
  else
    spmm_column_tile<conjugated>(exec, "einkorn::spmv[csr,column_tile]", epilogue, rows, x, y, longest);
}

/// The kernels that give whole rows to threads: groups of lanes on a GPU; parts of equal work on the host,
/// where lanes other than 1 mean SIMD lanes within a row. Multivectors of several columns have kernels of their
/// own on a GPU, which do not ask for the number of lanes a row.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class EpilogueOp>
void spmv_by_rows(Exec const& exec, int lanes, EpilogueOp const& epilogue, Matrix const& A, X const& x,
                  Y const& y) {
  if constexpr (is_gpu<Exec>) {
    if constexpr (Y::rank() == 2)
      spmm_by_rows<conjugated>(exec, lanes, epilogue, A, x, y);
    else
      spmv_row_team<conjugated>(exec, lanes, epilogue, A, x, y);
  } else if (lanes == 1) {
    spmv_row_split<false, conjugated>(exec, epilogue, A, x, y);
  } else {
    spmv_row_split<true, conjugated>(exec, epilogue, A, x, y);
  }
}

/// The same with neighbouring groups of lanes on rows of like length: `order` is a list of all rows
/// (rows_by_length). The host, whose parts are of equal work anyway and whose rows wait for no other, takes the
/// rows as they come: there `order` is not read. Nor is it for multivectors.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class EpilogueOp, class Order>
void spmv_sorted_rows(Exec const& exec, int lanes, EpilogueOp const& epilogue, Matrix const& A, X const& x,
                      Y const& y, [[maybe_unused]] Order const& order) {
  if constexpr (is_gpu<Exec> && Y::rank() == 1)
    if (order.extent(0) > 0)  // else the host has made the plan
      return spmv_row_team<conjugated>(exec, lanes, epilogue, A, x, y, ListedOrder<Order>{order});
  spmv_by_rows<conjugated>(exec, lanes, epilogue, A, x, y);
}

template <bool conjugated, class Matrix, class X, class Y, class Sum>
struct ScatterRow {
  using Target = typename Y::value_type;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  X x;
  Y y;
  Sum alpha;
  std::size_t width;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    for (Offset p = A.row_begin(row); p < A.row_end(row); ++p) {
      Sum const value = alpha * (conjugated ? Sum(conjugate(A.values(p))) : Sum(A.values(p)));
      for (std::size_t j = 0; j < width; ++j) {
        Target& target = entry(y, A.columns(p), j);
        Kokkos::atomic_add(&target, Target(value * Sum(entry(x, row, j))));
      }
    }
  }
};

/// y <- alpha op(A) x + beta y for op transpose or conjugate transpose, by adding every product to y
/// atomically: needs no transpose in memory, but the order of the additions varies from run to run. One row a
/// thread.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class Sum>
void spmv_scatter(Exec const& exec, Epilogue<Sum> const& epilogue, Matrix const& A, X const& x, Y const& y) {
  using Ordinal = typename Matrix::ordinal_type;
  scale(exec, epilogue.beta, y);
  auto const width = Y::rank() == 1 ? std::size_t(1) : y.extent(1);
  Sum const alpha = epilogue.alpha;
  Kokkos::parallel_for("einkorn::spmv[csr,scatter]",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>>(exec, 0, A.num_rows),
                       ScatterRow<conjugated, Matrix, X, Y, Sum>{A, x, y, alpha, width});
}

}  // namespace einkorn::detail
