// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/kernel_view.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/choose_spmv.hpp>
#include <einkorn/formats/csr/detail/spmv_nonzero_split.hpp>
#include <einkorn/formats/csr/detail/spmv_row_bins.hpp>
#include <einkorn/formats/csr/detail/spmv_segmented_sum.hpp>
#include <einkorn/formats/csr/row_lengths.hpp>
#include <einkorn/formats/csr/rows_by_length.hpp>
#include <einkorn/formats/csr/spmv.hpp>
#include <einkorn/formats/csr/transpose.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/fingerprint.hpp>
#include <einkorn/formats/spmm/choose.hpp>
#include <einkorn/formats/spmm/detail/pack_columns.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_options.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>

namespace einkorn {

/// The plan of a Csr (see formats/spmv_plan.hpp): row statistics and the algorithm selected from them; the
/// tiles and carries of segmented_sum, the order of sorted_rows, the bins of row_bins, the blocks of
/// nonzero_split; the transpose and the source of its values; a buffer for columns of multivectors.
template <class Scalar, class Ordinal, class Offset, class Device, class VectorScalar>
class SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, VectorScalar> {
 public:
  using Matrix = Csr<Scalar const, Ordinal, Offset, Device>;
  using Sum = sum_type<Scalar, VectorScalar>;
  using Tiles = detail::MergeTiles<Ordinal, Offset, Device, Sum>;
  using Bins = detail::RowBins<Ordinal, Offset, Device, Sum>;
  using Split = detail::NonzeroSplit<Ordinal, Offset, Device, Sum>;
  using PackBuffer = detail::PackBuffer<Sum, Device>;

  /// Prefer make_spmv_plan().
  template <class Exec>
  SpmvPlan(Exec const& exec, Matrix const& A, SpmvOptions const& options)
      : options_(options),
        is_automatic_(options.algorithm == SpmvAlgorithm::automatic),
        fingerprint_(einkorn::fingerprint(exec, A)) {
    detail::check_spmv_options(options, true);
    bool const by_scatter = options.algorithm == SpmvAlgorithm::atomic_scatter;
    require<InvalidArgument>(!by_scatter || is_transposed(options.op),
                             "make_spmv_plan: atomic_scatter is for a transpose only");
    require<InvalidArgument>(options.columns >= 0, [&] {
      return detail::joined("make_spmv_plan: columns is ", options.columns, ", expected 0 or more");
    });
    matrix_ = A;
    if (is_transposed(options.op) && !by_scatter) {
      transposed_ = einkorn::transpose(exec, A);
      matrix_ = transposed_->matrix;
    }
    row_lengths_ = einkorn::row_lengths(exec, matrix_);
    if (options_.algorithm == SpmvAlgorithm::automatic)
      options_.algorithm =
          choose_spmv(row_lengths_, arch_of<Exec>, static_cast<std::size_t>(exec.concurrency()));
    bool const sorts = options_.algorithm == SpmvAlgorithm::sorted_rows;
    if ((options_.algorithm == SpmvAlgorithm::row_team || sorts) && matrix_.num_rows > 0)
      options_.lanes = choose_lanes(options_, arch_of<Exec>, row_lengths_.mean());
    if (sorts && is_gpu<Exec>) row_order_ = rows_by_length(exec, matrix_);
    if constexpr (is_gpu<Exec>) {
      if (options_.algorithm == SpmvAlgorithm::row_bins && matrix_.num_rows > 0) {
        bins_ = detail::make_row_bins<Bins>(exec, matrix_, row_lengths_.empty_rows, options_.lanes);
        options_.lanes = bins_.lanes;
      }
      if (options_.algorithm == SpmvAlgorithm::nonzero_split && matrix_.nnz() > 0)
        split_ = detail::make_nonzero_split<Split>(exec, matrix_, row_lengths_);
    }
    if (options_.algorithm == SpmvAlgorithm::segmented_sum)
      tiles_ = detail::make_merge_tiles<Tiles>(
          exec, matrix_, detail::merge_tile_items<Exec, Sum>(exec, matrix_), row_lengths_.longest);
    if (is_gpu<Exec> && !by_scatter && options.columns > 0)
      pack_buffer_ =
          PackBuffer(exec, static_cast<std::size_t>(matrix_.num_rows),
                     static_cast<std::size_t>(matrix_.num_cols), static_cast<std::size_t>(options.columns));
    if (tiles_.carry.extent(0) > 0 || bins_.bytes() > 0 || split_.parts.extent(0) > 0 ||
        pack_buffer_.bytes() > 0)
      one_call_ = detail::OneCallAtATime::checked();
  }

  /// The algorithm that runs, never `automatic`, and its lanes per row.
  [[nodiscard]] SpmvAlgorithm algorithm() const { return options_.algorithm; }
  [[nodiscard]] int lanes() const { return options_.lanes; }
  /// The kernel on Exec, which may differ from the space that made the plan.
  template <class Exec>
  [[nodiscard]] SpmvKernel kernel() const {
    return choose_spmv_kernel(algorithm(), arch_of<Exec>, row_order_.extent(0) > 0, bins_.max_short > 0,
                              split_.num_blocks > 0);
  }
  /// What choose_spmm() selects from.
  template <class Exec>
  [[nodiscard]] SpmmStatistics spmm_statistics() const {
    SpmvKernel const of_vectors = kernel<Exec>();
    bool const is_cached = of_vectors == SpmvKernel::nonzero_split || of_vectors == SpmvKernel::row_bins;
    bool const suit_lanes = is_automatic_ && is_cached &&
                            rows_suit_lanes(static_cast<double>(row_lengths_.longest), row_lengths_.mean());
    bool const by_entries = is_cached || of_vectors == SpmvKernel::segmented_sum;
    bool const by_rows = !by_entries || suit_lanes;
    return {static_cast<std::size_t>(row_lengths_.longest), matrix_.values.extent(0), by_rows, is_automatic_,
            pack_buffer_.columns()};
  }
  [[nodiscard]] Op op() const { return options_.op; }
  /// Statistics of op(A).
  [[nodiscard]] auto const& row_lengths() const { return row_lengths_; }
  /// The matrix that kernels read: A, or the transpose in the plan.
  [[nodiscard]] Matrix const& matrix() const { return matrix_; }
  /// sorted_rows on a GPU: all rows, the longest first; otherwise empty.
  [[nodiscard]] auto const& row_order() const { return row_order_; }
  [[nodiscard]] Tiles const& tiles() const { return tiles_; }
  /// row_bins on a GPU; otherwise empty.
  [[nodiscard]] Bins const& bins() const { return bins_; }
  /// nonzero_split on a GPU; otherwise empty.
  [[nodiscard]] Split const& split() const { return split_; }
  /// Buffer for SpmvOptions::columns columns on a GPU; otherwise empty.
  [[nodiscard]] PackBuffer const& pack_buffer() const { return pack_buffer_; }
  [[nodiscard]] Fingerprint const& fingerprint() const { return fingerprint_; }
  /// Guards the workspace. Plans of the row algorithms have none and may be shared by threads.
  [[nodiscard]] detail::OneCallAtATime const& one_call() const { return one_call_; }

  /// Bytes of the plan in addition to the matrix.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t bytes = tiles_.first_rows.size() * sizeof(Ordinal) + tiles_.carry.size() * sizeof(Sum) +
                        row_order_.size() * sizeof(Ordinal) + bins_.bytes() + split_.bytes() +
                        pack_buffer_.bytes();
    if (transposed_)
      bytes += transposed_->source.size() * (sizeof(Offset) + sizeof(Ordinal) + sizeof(Scalar)) +
               transposed_->matrix.row_offsets.size() * sizeof(Offset);
    return bytes;
  }

  /// Multivectors are computed as with SpmvAlgorithm::automatic: not the caller chose the algorithm.
  void set_automatic() { is_automatic_ = true; }

  /// Uses the values of A from now on; see update_values(exec, plan, A).
  template <class Exec>
  void rebind(Exec const& exec, Matrix const& A) {
    if (transposed_)
      update_values(exec, *transposed_, A);
    else
      matrix_ = A;
  }

 private:
  SpmvOptions options_;
  bool is_automatic_;
  Fingerprint fingerprint_;
  Matrix matrix_;
  std::optional<Transpose<std::remove_const_t<Scalar>, Ordinal, Offset, Device>> transposed_;
  RowLengths<Ordinal, Offset> row_lengths_;
  Kokkos::View<Ordinal*, Device> row_order_;
  Tiles tiles_;
  Bins bins_;
  Split split_;
  PackBuffer pack_buffer_;
  detail::OneCallAtATime one_call_;
};

namespace detail {

/// make_spmv_plan() with explicit types: one instance for const and non-const values.
template <class V, class Exec, class Value, class Ordinal, class Offset, class Device>
SpmvPlan<Csr<Value, Ordinal, Offset, Device>, V> new_spmv_plan(
    Exec const& exec, Csr<Value const, Ordinal, Offset, Device> const& A, SpmvOptions const& options,
    Checks checks) {
  require_kokkos("make_spmv_plan");
  if (are_on(checks)) validate(exec, A);
  return SpmvPlan<Csr<Value, Ordinal, Offset, Device>, V>(exec, A, options);
}

}  // namespace detail

/// Prepares repeated spmv(exec, plan, alpha, x, beta, y) with one matrix.
///
/// The plan shares the memory of A: the next spmv uses values changed in place, except under a transpose, where
/// update_values() must be called. A structure changed in place is detected by update_values(), not by spmv
/// (which does not fence).
/// @tparam VectorScalar scalar of x and y; void: that of A
/// @throws InvalidStructure see validate(); with Checks::on only
/// @throws InvalidArgument for options
/// @throws OutOfMemory
///
/// Cost: reads the structure twice; a transpose more for a transposed op. Fences exec.
template <class VectorScalar = void, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset,
          class Device>
auto make_spmv_plan(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                    SpmvOptions const& options = {}, Checks checks = Checks::on) {
  using V = VectorScalarOr<VectorScalar, Scalar>;
  using Value = std::remove_const_t<Scalar>;
  return detail::new_spmv_plan<V, Exec, Value, Ordinal, Offset, Device>(exec, A, options, checks);
}

template <class VectorScalar = void, ExecutionSpace Exec, CrsMatrixLike Matrix>
auto make_spmv_plan(Exec const& exec, Matrix const& A, SpmvOptions const& options = {},
                    Checks checks = Checks::on) {
  return make_spmv_plan<VectorScalar>(exec, as_csr(A), options, checks);
}

/// Replaces the values of a plan, for a matrix of the same structure.
/// @throws StalePlan if the structure of A differs; nothing has changed then
///
/// Cost: reads the structure of A once, and for a transpose gathers the values. Fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class Given>
void update_values(Exec const& exec, SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, V>& plan,
                   Csr<Given, Ordinal, Offset, Device> const& A) {
  auto const call = plan.one_call().begin("update_values", "plan");
  detail::require_same_structure(plan.fingerprint(), fingerprint(exec, A));
  plan.rebind(exec, A);
}

/// Row access (RowEntries of formats/row_access.hpp) for a Csr whose longest row is known.
template <class Matrix>
struct CsrRowEntries {
  using scalar_type = typename Matrix::scalar_type;
  using ordinal_type = typename Matrix::ordinal_type;
  static constexpr bool max_is_known = true;

  Matrix A;
  std::size_t longest;
  bool is_conjugated, has_rows;

  [[nodiscard]] bool is_available() const { return has_rows; }
  template <class Exec>
  [[nodiscard]] std::size_t max_row_length(Exec const&) const {
    return longest;
  }
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(ordinal_type row, Body const& body) const {
    auto const end = A.row_end(row);
    for (auto k = A.row_begin(row); k < end; ++k) {
      scalar_type const value = A.values(k);
      body(A.columns(k), is_conjugated ? conjugate(value) : value);
    }
  }
};

/// Row access for op(A) (RowEntries of formats/row_access.hpp). Not available with atomic_scatter.
template <class Scalar, class Ordinal, class Offset, class Device, class V>
auto row_entries(SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, V> const& plan) {
  using Entries = CsrRowEntries<typename SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, V>::Matrix>;
  return Entries{plan.matrix(), static_cast<std::size_t>(plan.row_lengths().longest), is_conjugated(plan.op()),
                 plan.algorithm() != SpmvAlgorithm::atomic_scatter};
}

namespace detail {

/// op(A) x with the kernel of the plan; for multivectors with the one that choose_spmm() selects.
template <bool conjugated, class Exec, class Plan, class EpilogueOp, class X, class Y>
void launch_spmv(Exec const& exec, Plan const& plan, EpilogueOp const& epilogue, X const& x, Y const& y) {
  auto const& A = plan.matrix();
  int const lanes = std::max(plan.lanes(), 1);
  if constexpr (std::is_same_v<EpilogueOp, Epilogue<typename EpilogueOp::sum_type>>)
    if (plan.algorithm() == SpmvAlgorithm::atomic_scatter)
      return spmv_scatter<conjugated>(exec, epilogue, A, x, y);
  if constexpr (Y::rank() == 1) {
    SpmvKernel const kernel = plan.template kernel<Exec>();
    if (kernel == SpmvKernel::segmented_sum)
      return spmv_segmented_sum<conjugated>(exec, epilogue, A, x, y, plan.tiles());
    if constexpr (is_gpu<Exec>) {
      using Order = std::decay_t<decltype(plan.row_order())>;
      if (kernel == SpmvKernel::row_bins)
        return spmv_row_bins<conjugated>(exec, epilogue, A, x, y, plan.bins());
      if (kernel == SpmvKernel::nonzero_split)
        return spmv_nonzero_split<conjugated>(exec, epilogue, A, x, y, plan.split());
      if (kernel == SpmvKernel::sorted_rows)
        return spmv_row_team<conjugated>(exec, lanes, epilogue, A, x, y, ListedOrder<Order>{plan.row_order()});
      return spmv_row_team<conjugated>(exec, lanes, epilogue, A, x, y);
    }
  } else {
    if (y.extent(1) == 0) return;
    SpmmKernel const kernel =
        choose_spmm(y.extent(1), layout_of(x, y), arch_of<Exec>, plan.template spmm_statistics<Exec>());
    if (kernel == SpmmKernel::single_columns)
      return for_each_column(x, y, [&](auto const& x_j, auto const& y_j) {
        launch_spmv<conjugated>(exec, plan, epilogue, x_j, y_j);
      });
    if constexpr (is_gpu<Exec>) {
      auto const longest = plan.row_lengths().longest;
      if (kernel == SpmmKernel::pack_columns)
        return spmm_packed<conjugated>(exec, "einkorn::spmv[csr,row_tile]", epilogue,
                                       StridedCsrRows<std::decay_t<decltype(A)>>{A}, x, y, plan.pack_buffer(),
                                       longest);
      return spmm_by_rows<conjugated>(exec, kernel, lanes, epilogue, A, x, y, longest);
    }
  }
  if constexpr (!is_gpu<Exec>) spmv_row_split<conjugated>(exec, lanes, epilogue, A, x, y);
}

/// spmv_fused() for kernel views (core/kernel_view.hpp).
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class EpilogueOp,
          class X, class Y>
void spmv_with_plan(Exec const& exec, SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, V> const& plan,
                    EpilogueOp const& epilogue, X const& x, Y const& y) {
  using Sum = typename EpilogueOp::sum_type;
  auto const& A = plan.matrix();
  bool const scatters = plan.algorithm() == SpmvAlgorithm::atomic_scatter;
  constexpr bool is_plain = std::is_same_v<EpilogueOp, Epilogue<Sum>>;
  require<InvalidArgument>(is_plain || !scatters, "spmv: atomic_scatter feeds no dot products");
  check_vectors(static_cast<std::size_t>(scatters ? A.num_cols : A.num_rows),
                static_cast<std::size_t>(scatters ? A.num_rows : A.num_cols), x, y);
  check_matrix(A, y);
  check_entries<Offset>(A.values.extent(0));
  auto const call = plan.one_call().begin("spmv", "plan");
  ScopedRegion const region("einkorn::spmv[csr,plan]");
  if (epilogue.alpha == Sum(0) || A.nnz() == 0) return scale(exec, epilogue.beta, y);
  if constexpr (is_complex<Scalar>)
    if (is_conjugated(plan.op())) return launch_spmv<true>(exec, plan, epilogue, x, y);
  launch_spmv<false>(exec, plan, epilogue, x, y);
}

}  // namespace detail

/// spmv() with a given epilogue for each row of y: Epilogue, or EpilogueWithDots for dot products with the new
/// y in the same pass.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class V,
          class EpilogueOp, Vector X, WritableVector Y>
void spmv_fused(Exec const& exec, SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, V> const& plan,
                EpilogueOp const& epilogue, X const& x, Y const& y) {
  detail::spmv_with_plan(exec, plan, epilogue, detail::as_input(x), detail::as_output(y));
}

/// y <- alpha op(A) x + beta y with the plan of a Csr.
///
/// The contract is that of spmv() without a plan (csr/spmv.hpp), with these differences. The plan fixes op and
/// the algorithm, of which all are available, and the sum type. 1 launch, 2 for segmented_sum; per column of a
/// multivector where choose_spmm() (formats/spmm/choose.hpp) selects single columns. sorted_rows reads one
/// Ordinal more per row on a GPU and gives the same bits as row_team with as many lanes; on the host and for
/// multivectors it is row_team. segmented_sum reads one Ordinal and one sum more per tile of 2048 steps.
/// nonzero_split reads 0.5 to 2 bytes more per entry and no row offsets; with empty rows one Ordinal per row. With
/// SpmvOptions::columns, multivectors that are not row-major are copied row by row on a GPU: 2 launches more
/// for every `columns` columns and 2 (rows + cols) scalar bytes more per column. A plan with workspace serves
/// one execution space instance at a time.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class X,
          class Y>
requires SpmvOperands<Exec, Csr<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, V> const& plan,
          PlanSum<Csr<Scalar, Ordinal, Offset, Device>, V> alpha, X const& x,
          PlanSum<Csr<Scalar, Ordinal, Offset, Device>, V> beta, Y const& y) {
  if constexpr (check_plan_scalar<Csr<Scalar, Ordinal, Offset, Device>, V, X, Y>())
    detail::spmv_with_plan(exec, plan, Epilogue<sum_type<Scalar, V>>{alpha, beta}, detail::as_input(x),
                           detail::as_output(y));
}

}  // namespace einkorn

#ifdef EINKORN_COMPILED
#include <einkorn/compiled/spmv_plan.hpp>
#endif
