// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/transpose.hpp>
#include <einkorn/formats/spgemm/spgemm.hpp>
#include <einkorn/solvers/precond/multigrid/distinct_bytes.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn::detail {

/// Writes 1 on the diagonal of the coarse rows whose column of P is zero.
template <class Coarse, class ZeroColumns>
struct SetUnitRows {
  using Ordinal = typename Coarse::ordinal_type;
  Coarse coarse;
  ZeroColumns zero_columns;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    if (zero_columns(row) == 0) return;
    for (auto k = coarse.row_begin(row); k < coarse.row_end(row); ++k)
      if (coarse.columns(k) == row) coarse.values(k) = 1;
  }
};

/// Whether the constructor of GalerkinProduct computes values.
enum class GalerkinValues { now, later };

/// The coarse matrix A_c = R A P with R = P^T, where A_c has the row and column of the unit matrix for each zero
/// column of P. Keeps P, R, A P and the plans of A P and R (A P), so that new values need no symbolic phase. One
/// call of update() at a time for all copies.
template <class Scalar, class Ordinal, class Offset, class Device>
class GalerkinProduct {
 public:
  using Matrix = Csr<Scalar, Ordinal, Offset, Device>;
  using ZeroColumns = Kokkos::View<std::uint8_t*, Device>;

  /// @param A             n x n, valid; every row has a diagonal entry
  /// @param P             n x n_c, sorted rows; shared, not copied
  /// @param zero_columns  [n_c], 1: the column of P is zero, but stored (Tentative::zero_columns); or empty
  /// @param values        later: computes the patterns only; coarse_nnz() is known, coarse() after update()
  /// @throws DimensionMismatch, OverflowError, OutOfMemory
  /// Cost: 2 products of sparse matrices, 1 transpose. Fences exec. Deterministic.
  template <class Exec, class From>
  GalerkinProduct(Exec const& exec, Csr<From, Ordinal, Offset, Device> const& A, Matrix const& P,
                  ZeroColumns const& zero_columns = {}, GalerkinValues values = GalerkinValues::now)
      : GalerkinProduct(exec, P, zero_columns, plan_of(exec, A, P, zero_columns)) {
    if (values == GalerkinValues::now) update(exec, A);
  }

  /// The product for new values of A on the same pattern, with the kept P.
  /// @throws StalePlan if A has another shape or number of entries
  /// Numeric phases only: writes the values of coarse(). The first call allocates the values of A P and of
  /// coarse(). Deterministic: the bits of a new product.
  template <class Exec, class From>
  void update(Exec const& exec, Csr<From, Ordinal, Offset, Device> const& A) {
    if (!has_values_) {
      AP_ = allocate_product(exec, AP_plan_.state());
      coarse_ = allocate_product(exec, coarse_plan_.state());
      has_values_ = true;
    }
    compute(exec, A);
  }
  /// The same with new values of P, which has the pattern of the kept one and replaces it.
  template <class Exec, class From>
  void update(Exec const& exec, Csr<From, Ordinal, Offset, Device> const& A, Matrix const& P) {
    require<StalePlan>(P.num_rows == P_.num_rows && P.num_cols == P_.num_cols && P.nnz() == P_.nnz(), [&] {
      return "GalerkinProduct::update: made for a P of " + size_of(P_) + " with " + std::to_string(P_.nnz()) +
             " entries, given " + size_of(P) + " with " + std::to_string(P.nnz());
    });
    P_ = P;
    update_values(exec, R_, P_);
    update(exec, A);
  }

  /// A_c, n_c x n_c; rows are sorted. Shares the memory that update() writes.
  [[nodiscard]] Matrix const& coarse() const { return coarse_; }
  /// Entries of A_c.
  [[nodiscard]] std::size_t coarse_nnz() const { return static_cast<std::size_t>(coarse_plan_.nnz()); }
  [[nodiscard]] Matrix const& prolongator() const { return P_; }
  /// P^T.
  [[nodiscard]] Matrix const& restriction() const { return R_.matrix; }
  /// Adds the arrays of P, R, A_c and A P, without the tables of the plans; the operators of the levels may share P, R and A_c.
  void add_to(DistinctBytes& bytes) const {
    for (auto const* const matrix : {&P_, &R_.matrix, &coarse_}) bytes.add(*matrix);
    bytes.add(R_.source.extent(0) * sizeof(Offset) + AP_plan_.row_offsets().extent(0) * sizeof(Offset) +
              AP_plan_.columns().extent(0) * sizeof(Ordinal) + AP_.values.extent(0) * sizeof(Scalar) +
              zero_columns_.extent(0));
  }

 private:
  using Plan = SpgemmPlan<Scalar, Ordinal, Offset, Device>;

  template <class Exec>
  GalerkinProduct(Exec const& exec, Matrix const& P, ZeroColumns const& zero_columns, Plan const& AP_plan)
      : P_(P),
        R_(transpose(exec, P)),
        zero_columns_(zero_columns),
        AP_plan_(AP_plan),
        coarse_plan_(spgemm_symbolic(exec, R_.matrix, pattern_of(AP_plan), options())) {}

  template <class Exec, class FineMatrix>
  void compute(Exec const& exec, FineMatrix const& A) {
    spgemm_numeric(exec, AP_plan_, A, P_, AP_);
    spgemm_numeric(exec, coarse_plan_, R_.matrix, AP_, coarse_);
    if (zero_columns_.extent(0) > 0)
      range_for<Ordinal>("einkorn::multigrid[unit_rows]", exec, coarse_.num_rows,
                         SetUnitRows<Matrix, ZeroColumns>{coarse_, zero_columns_});
  }

  /// The product of a plan; its values must not be read.
  static Matrix pattern_of(Plan const& plan) {
    return {plan.num_rows(), plan.num_cols(), plan.state().row_offsets, plan.state().columns,
            Kokkos::View<Scalar*, Device>(static_cast<Scalar*>(nullptr), plan.columns().extent(0))};
  }
  static SpgemmOptions options() {
    SpgemmOptions result;
    result.checks = Checks::off;
    return result;
  }
  template <class Exec, class FineMatrix>
  static Plan plan_of(Exec const& exec, FineMatrix const& A, Matrix const& P, ZeroColumns const& zero_columns) {
    require_square("GalerkinProduct", A.num_rows, A.num_cols);
    require<DimensionMismatch>(P.num_rows == A.num_rows,
                               [&] { return "GalerkinProduct: P is " + size_of(P) + ", A is " + size_of(A); });
    auto const extent = zero_columns.extent(0);
    require<DimensionMismatch>(extent == 0 || extent == static_cast<std::size_t>(P.num_cols), [&] {
      return "GalerkinProduct: zero_columns has extent(0) = " + std::to_string(extent) + ", expected " +
             std::to_string(P.num_cols) + " (columns of P)";
    });
    return spgemm_symbolic(exec, A, P, options());
  }

  Matrix P_;
  Transpose<Scalar, Ordinal, Offset, Device> R_;
  ZeroColumns zero_columns_;
  Plan AP_plan_, coarse_plan_;
  Matrix AP_, coarse_;
  bool has_values_ = false;
};

}  // namespace einkorn::detail
