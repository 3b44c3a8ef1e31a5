// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/core/update.hpp>
#include <einkorn/formats/csr/detail/spmv_row_split.hpp>
#include <einkorn/formats/csr/detail/spmv_row_team.hpp>
#include <einkorn/formats/csr/spmv_tuning.hpp>
#include <einkorn/formats/detail/spmm_row_tile.hpp>
#include <einkorn/formats/spmv_options.hpp>

#include <algorithm>
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

/// What an SpMV refuses whatever the matrix: lanes that no hardware has; sorted_rows and row_bins,
/// but with a plan.
inline void check_row_team_lanes(SpmvOptions const& options, bool with_plan = false) {
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

/// longest: of the rows' lengths, where a plan knows it.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class Sum>
void spmm_by_rows(
    Exec const& exec, Update<Sum> const& update, Matrix const& A, X const& x, Y const& y,
    typename Matrix::offset_type longest = std::numeric_limits<typename Matrix::offset_type>::max()) {
  spmm_row_tile<conjugated>(exec, "einkorn::spmv[csr,row_tile]", update, RowsOfCsr<Matrix>{A}, x, y, longest);
}

/// The kernels that give whole rows to threads: groups of lanes on a GPU; parts of equal work on the host,
/// where lanes other than 1 mean SIMD lanes within a row. Row-major multivectors of 4 columns or more have a
/// kernel of their own on a GPU, with lanes over the columns; the number of lanes a row is then not asked for.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class Out>
void spmv_by_rows(Exec const& exec, int lanes, Out const& update, Matrix const& A, X const& x, Y const& y) {
  if constexpr (is_gpu<Exec>) {
    if constexpr (Y::rank() == 2) {
      if (takes_row_tile(x, y)) return spmm_by_rows<conjugated>(exec, update, A, x, y);
    }
    spmv_row_team<conjugated>(exec, lanes, update, A, x, y);
  } else if (lanes == 1) {
    spmv_row_split<false, conjugated>(exec, update, A, x, y);
  } else {
    spmv_row_split<true, conjugated>(exec, update, A, x, y);
  }
}

/// The same with neighbouring groups of lanes on rows of like length: `order` is a list of all rows
/// (rows_by_length). The host, whose parts are of equal work anyway and whose rows wait for no other, takes the
/// rows as they come: there `order` is not read.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class Out, class Order>
void spmv_sorted_rows(Exec const& exec, int lanes, Out const& update, Matrix const& A, X const& x, Y const& y,
                      [[maybe_unused]] Order const& order) {
  if constexpr (is_gpu<Exec>)
    if (order.extent(0) > 0)  // else the host has made the plan
      return spmv_row_team<conjugated>(exec, lanes, update, A, x, y, RowsOfList<Order>{order});
  spmv_by_rows<conjugated>(exec, lanes, update, A, x, y);
}

}  // namespace einkorn::detail
