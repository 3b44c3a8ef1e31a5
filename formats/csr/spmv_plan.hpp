// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/detail/merge_tiles.hpp>
#include <einkorn/formats/csr/detail/spmv_row_bins.hpp>
#include <einkorn/formats/csr/detail/spmv_segmented_sum.hpp>
#include <einkorn/formats/csr/row_lengths.hpp>
#include <einkorn/formats/csr/rows_by_length.hpp>
#include <einkorn/formats/csr/spmv.hpp>
#include <einkorn/formats/csr/spmv_tuning.hpp>
#include <einkorn/formats/csr/transpose.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/fingerprint.hpp>
#include <einkorn/formats/spmm/detail/pack_columns.hpp>
#include <einkorn/formats/spmm/tuning.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_options.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>

namespace einkorn {

namespace detail {

/// Whole rows where they are alike in length and not very long. Otherwise on a GPU rows by length where the
/// matrix is small, since that is one launch, else equal parts. On the host whole rows as long as no row is a
/// sizeable part of a thread's share.
template <class Exec, class Ordinal, class Offset>
SpmvAlgorithm choose_algorithm(RowLengths<Ordinal, Offset> const& lengths, std::size_t concurrency) {
  auto const longest = static_cast<double>(lengths.longest);
  if constexpr (is_gpu<Exec>) {
    if (rows_suit_lanes(longest, lengths.mean())) return SpmvAlgorithm::row_team;
    return static_cast<std::size_t>(lengths.entries) <= max_row_bins_entries ? SpmvAlgorithm::row_bins
                                                                             : SpmvAlgorithm::segmented_sum;
  } else {
    bool const fair = 16.0 * longest * static_cast<double>(concurrency) <= static_cast<double>(lengths.entries);
    return fair ? SpmvAlgorithm::row_team : SpmvAlgorithm::segmented_sum;
  }
}

}  // namespace detail

/// The plan of a Csr (see formats/spmv_plan.hpp): row-length statistics and the kernel chosen from them, the
/// tiles and carries of segmented_sum, the order of sorted_rows, the lists of row_bins, the transpose and where
/// its values come from, room for columns of multivectors.
template <class Scalar, class Ordinal, class Offset, class Device, class VectorScalar>
class SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, VectorScalar> {
 public:
  using Matrix = Csr<Scalar const, Ordinal, Offset, Device>;
  using Sum = sum_type<Scalar, VectorScalar>;
  using Tiles = detail::MergeTiles<Ordinal, Offset, Device, Sum>;
  using Bins = detail::RowBins<Ordinal, Offset, Device, Sum>;
  using Room = detail::PackBuffer<Sum, Device>;

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
      return "make_spmv_plan: columns is " + std::to_string(options.columns) + ", expected 0 or more";
    });
    matrix_ = A;
    if (is_transposed(options.op) && !by_scatter) {
      transposed_ = einkorn::transpose(exec, A);
      matrix_ = transposed_->matrix;
    }
    row_lengths_ = einkorn::row_lengths(exec, matrix_);
    if (options_.algorithm == SpmvAlgorithm::automatic)
      options_.algorithm =
          detail::choose_algorithm<Exec>(row_lengths_, static_cast<std::size_t>(exec.concurrency()));
    bool const sorts = options_.algorithm == SpmvAlgorithm::sorted_rows;
    if ((options_.algorithm == SpmvAlgorithm::row_team || sorts) && matrix_.num_rows > 0)
      options_.lanes = detail::row_lanes<Exec>(matrix_, options_);
    if (sorts && is_gpu<Exec>) row_order_ = rows_by_length(exec, matrix_);
    if constexpr (is_gpu<Exec>)
      if (options_.algorithm == SpmvAlgorithm::row_bins && matrix_.num_rows > 0) {
        bins_ = detail::make_row_bins<Bins>(exec, matrix_, row_lengths_.empty_rows, options_.lanes);
        options_.lanes = bins_.lanes;
      }
    if (options_.algorithm == SpmvAlgorithm::segmented_sum)
      tiles_ = detail::make_merge_tiles<Tiles>(
          exec, matrix_, detail::merge_tile_items<Exec, Sum>(exec, matrix_), row_lengths_.longest);
    if (is_gpu<Exec> && !by_scatter && options.columns > 0)
      room_ = Room(exec, static_cast<std::size_t>(matrix_.num_rows), static_cast<std::size_t>(matrix_.num_cols),
                   static_cast<std::size_t>(options.columns));
    if (tiles_.carry.extent(0) > 0 || bins_.bytes() > 0 || room_.bytes() > 0)
      one_call_ = detail::OneCallAtATime::checked();
  }

  /// The kernel that runs, never `automatic`, and its lanes a row.
  [[nodiscard]] SpmvAlgorithm algorithm() const { return options_.algorithm; }
  [[nodiscard]] int lanes() const { return options_.lanes; }
  /// Whether the kernel gives whole rows to groups of lanes.
  [[nodiscard]] bool is_by_rows() const {
    return algorithm() == SpmvAlgorithm::row_team || algorithm() == SpmvAlgorithm::row_thread ||
           algorithm() == SpmvAlgorithm::sorted_rows;
  }
  /// Whether multivectors of this many columns go to the kernels of several columns (GPU): if is_by_rows(), and
  /// where the algorithm was left to the plan and the team that has the longest row keeps nobody waiting. With
  /// lanes over row-major columns it takes a nanosecond for an entry (NVIDIA H200, 2026-11: 0.8 to 1.5 on
  /// gen:circuit:1000000), segmented_sum 12 bytes an entry and column at 4 TB/s: analytical. Other layouts:
  /// where no row is a hundredth of the matrix (8 and 32 columns together and one by one: 267 and 337, 927 and
  /// 1339 us on gen:rmat:18, but 484 and 297, 869 and 1177 on gen:circuit:1000000).
  [[nodiscard]] bool uses_spmm(std::size_t columns, bool are_row_major) const {
    auto const longest = static_cast<std::size_t>(row_lengths_.longest), nnz = matrix_.values.extent(0);
    return is_by_rows() || (is_automatic_ &&
                            static_cast<double>(longest) <=
                                3e-3 * static_cast<double>(nnz) * static_cast<double>(columns) + 4096.0 &&
                            (are_row_major || has_no_dominant_row(longest, nnz)));
  }
  /// Whether those that are not row-major go there by way of room(). From 8 columns on unless is_by_rows():
  /// NVIDIA H200, 2026-11, 8 columns one by one and row-major: 340 and 176 us on gen:rmat:18, 298 and 332 on
  /// gen:circuit:1000000, without the 20 and 90 us of copying.
  [[nodiscard]] bool takes_columns_as_rows(std::size_t columns) const {
    return room_.columns() > 0 && columns >= (is_by_rows() ? 1 : 2) * Room::min_columns &&
           uses_spmm(columns, true);
  }
  [[nodiscard]] Op op() const { return options_.op; }
  /// Of op(A).
  [[nodiscard]] auto const& row_lengths() const { return row_lengths_; }
  /// What the kernel reads: A, or the transpose that the plan keeps.
  [[nodiscard]] Matrix const& matrix() const { return matrix_; }
  /// sorted_rows on a GPU: all rows, the longest first. Otherwise empty.
  [[nodiscard]] auto const& row_order() const { return row_order_; }
  [[nodiscard]] Tiles const& tiles() const { return tiles_; }
  /// row_bins on a GPU.
  [[nodiscard]] Bins const& bins() const { return bins_; }
  /// For SpmvOptions::columns columns, on a GPU.
  [[nodiscard]] Room const& room() const { return room_; }
  [[nodiscard]] Fingerprint const& fingerprint() const { return fingerprint_; }
  /// Held by every call that uses the plan's workspace; rows need none, and threads may share such a plan.
  [[nodiscard]] detail::OneCallAtATime const& one_call() const { return one_call_; }

  /// Memory that the plan holds beside the matrix.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t bytes = tiles_.first_rows.size() * sizeof(Ordinal) + tiles_.carry.size() * sizeof(Sum) +
                        row_order_.size() * sizeof(Ordinal) + bins_.bytes() + room_.bytes();
    if (transposed_)
      bytes += transposed_->source.size() * (sizeof(Offset) + sizeof(Ordinal) + sizeof(Scalar)) +
               transposed_->matrix.row_offsets.size() * sizeof(Offset);
    return bytes;
  }

  /// Takes A's values from now on; see update_values(exec, plan, A).
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
  Room room_;
  detail::OneCallAtATime one_call_;
};

namespace detail {

/// make_spmv_plan() with all types given: one function per value type, whatever the constness of A's values.
template <class V, class Exec, class Value, class Ordinal, class Offset, class Device>
SpmvPlan<Csr<Value, Ordinal, Offset, Device>, V> new_spmv_plan(
    Exec const& exec, Csr<Value const, Ordinal, Offset, Device> const& A, SpmvOptions const& options,
    Checks checks) {
  require_kokkos("make_spmv_plan");
  if (are_on(checks)) validate(exec, A);
  return SpmvPlan<Csr<Value, Ordinal, Offset, Device>, V>(exec, A, options);
}

}  // namespace detail

/// Looks at A once and prepares what repeated spmv(exec, plan, alpha, x, beta, y) need. The plan shares A's
/// memory: values changed in place are seen by the next spmv, except under a transpose, where update_values()
/// must be called; a structure changed in place is not seen by spmv (which never waits for the device) but by
/// update_values(). VectorScalar: the scalar of x and y (void: that of A). Cost: reads the structure twice; a
/// transpose more for op transpose. Fences exec. Throws InvalidStructure (checks: see validate()),
/// InvalidArgument, OutOfMemory.
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

/// Gives a plan new values on the structure that it was made for. Throws StalePlan, and changes nothing, when
/// A's structure is another one. Cost: reads A's structure once (and for a transpose gathers the values);
/// fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class Given>
void update_values(Exec const& exec, SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, V>& plan,
                   Csr<Given, Ordinal, Offset, Device> const& A) {
  auto const call = plan.one_call().begin("update_values", "plan");
  detail::require_same_structure(plan.fingerprint(), fingerprint(exec, A));
  plan.rebind(exec, A);
}

/// The rows' entries (see formats/spmv_plan.hpp) of a Csr whose longest row is known.
template <class Matrix>
struct CsrRowEntries {
  using scalar_type = typename Matrix::scalar_type;
  using ordinal_type = typename Matrix::ordinal_type;
  static constexpr bool knows_max = true;

  Matrix A;
  std::size_t longest;
  bool is_conjugated, has_rows;

  [[nodiscard]] bool are_there() const { return has_rows; }
  template <class Exec>
  [[nodiscard]] std::size_t most(Exec const&) const {
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

/// The rows' entries of op(A) (see formats/spmv_plan.hpp); under atomic_scatter there are none.
template <class Scalar, class Ordinal, class Offset, class Device, class V>
auto row_entries(SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, V> const& plan) {
  using Entries = CsrRowEntries<typename SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, V>::Matrix>;
  return Entries{plan.matrix(), static_cast<std::size_t>(plan.row_lengths().longest), is_conjugated(plan.op()),
                 plan.algorithm() != SpmvAlgorithm::atomic_scatter};
}

namespace detail {

/// spmv_fused() for x and y as kernels take them (core/kernel_view.hpp).
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class EpilogueOp,
          class X, class Y>
void spmv_with_plan(Exec const& exec, SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, V> const& plan,
                    EpilogueOp const& epilogue, X const& x, Y const& y) {
  using Sum = typename EpilogueOp::sum_type;
  auto const& A = plan.matrix();
  bool const scatters = plan.algorithm() == SpmvAlgorithm::atomic_scatter;
  require<InvalidArgument>(!EpilogueOp::accumulates || !scatters, "spmv: atomic_scatter feeds no dot products");
  check_vectors(static_cast<std::size_t>(scatters ? A.num_cols : A.num_rows),
                static_cast<std::size_t>(scatters ? A.num_rows : A.num_cols), x, y);
  check_matrix(A, y);
  check_entries<Offset>(A.values.extent(0));
  auto const call = plan.one_call().begin("spmv", "plan");
  Kokkos::Profiling::ScopedRegion region("einkorn::spmv[csr,plan]");
  if (epilogue.alpha == Sum(0) || A.nnz() == 0) return scale(exec, epilogue.beta, y);
  with_conjugation<Scalar>(is_conjugated(plan.op()), [&](auto conjugated) {
    if constexpr (!EpilogueOp::accumulates)
      if (scatters) return spmv_scatter<conjugated()>(exec, epilogue, A, x, y);
    if constexpr (Y::rank() == 2 && is_gpu<Exec>) {
      auto const k = y.extent(1);
      auto const longest = plan.row_lengths().longest;
      bool const are_row_major = takes_row_tile(x, y);
      if (!are_row_major && plan.takes_columns_as_rows(k))
        return spmm_packed<conjugated()>(exec, "einkorn::spmv[csr,row_tile]", epilogue,
                                         StridedCsrRows<std::decay_t<decltype(A)>>{A}, x, y, plan.room(),
                                         longest);
      if (plan.uses_spmm(k, are_row_major))
        return spmm_by_rows<conjugated()>(exec, std::max(plan.lanes(), 1), epilogue, A, x, y, longest);
    }
    if (plan.algorithm() == SpmvAlgorithm::sorted_rows)
      return spmv_sorted_rows<conjugated()>(exec, std::max(plan.lanes(), 1), epilogue, A, x, y,
                                            plan.row_order());
    bool const is_binned =
        is_gpu<Exec> && plan.algorithm() == SpmvAlgorithm::row_bins && plan.bins().longest_short > 0;
    if (plan.algorithm() != SpmvAlgorithm::segmented_sum && !is_binned)
      return spmv_by_rows<conjugated()>(exec, std::max(plan.lanes(), 1), epilogue, A, x, y);
    for_each_column(x, y, [&](auto const& x_j, auto const& y_j) {
      if constexpr (is_gpu<Exec>)
        if (is_binned) return spmv_row_bins<conjugated()>(exec, epilogue, A, x_j, y_j, plan.bins());
      spmv_segmented_sum<conjugated()>(exec, epilogue, A, x_j, y_j, plan.tiles());
    });
  });
}

}  // namespace detail

/// The same with what a kernel does with each row of y left to `update` (Update, or EpilogueWithDots for the
/// dot products that the new y feeds, in the same sweep).
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class V,
          class EpilogueOp, Vector X, WritableVector Y>
void spmv_fused(Exec const& exec, SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, V> const& plan,
                EpilogueOp const& epilogue, X const& x, Y const& y) {
  detail::spmv_with_plan(exec, plan, epilogue, detail::as_input(x), detail::as_output(y));
}

/// y <- alpha op(A) x + beta y with the plan of a Csr. The contract is that of the plan-free spmv, and besides:
/// op and the algorithm were fixed when the plan was made; every op and algorithm is there; the sum type is the
/// plan's. Asynchronous on exec: no fence, no allocation; 1 launch, 2 for segmented_sum (for each column of a
/// multivector, where the row kernels share one launch, or two where rows are long on a GPU).
/// Multivectors under an automatic plan on a GPU: see uses_spmm(). Those that are not row-major
/// are copied row by row where the plan has room for that (SpmvOptions::columns): 2 launches more for every so
/// many columns, and bytes = 2 (rows + cols) scalar more a column; such a plan serves one execution space
/// instance at a time. sorted_rows is row_team with rows of like length on neighbouring lanes: on a GPU it
/// reads one Ordinal a row more, on the host and for multivectors it is row_team; a row times a vector is
/// summed as by row_team with as many lanes, to the same bits. segmented_sum reads no more bytes than the row
/// kernels, but for one Ordinal and one sum a tile of 2048 steps.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class X,
          class Y>
requires SpmvOperands<Exec, Csr<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, V> const& plan,
          PlanSum<Csr<Scalar, Ordinal, Offset, Device>, V> alpha, X const& x,
          PlanSum<Csr<Scalar, Ordinal, Offset, Device>, V> beta, Y const& y) {
  if constexpr (check_plan_scalar<Csr<Scalar, Ordinal, Offset, Device>, V, X, Y>())
    spmv_fused(exec, plan, Epilogue<sum_type<Scalar, V>>{alpha, beta}, x, y);
}

}  // namespace einkorn

#ifdef EINKORN_COMPILED
#include <einkorn/compiled/spmv_plan.hpp>
#endif
