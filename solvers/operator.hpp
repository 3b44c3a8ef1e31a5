// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace einkorn {

/// A matrix as the solvers use it: num_rows(), num_cols(), and apply(exec, x, y), y <- A x, asynchronous on
/// exec, without fence or allocation. x, y: contiguous Views of rank 1 on exec's device that do not overlap.
///
/// Optional members:
///   apply_fused(exec, epilogue, x, y)  y <- A x with the solver's dot products in the same pass
///                                      (core/epilogue.hpp): CSR, CSR5, ELL, SELL, DIA, bDIA
///   with_row_entries(body)             row access for solves on the chip of a GPU
///   scaling()                          the diagonal of S, if this is S B S or B S (scaled_system.hpp)
template <class A, class Exec, class X, class Y>
concept LinearOperator = requires(A const& a, Exec const& exec, X const& x, Y const& y) {
  { a.num_rows() } -> std::convertible_to<std::size_t>;
  { a.num_cols() } -> std::convertible_to<std::size_t>;
  a.apply(exec, x, y);
};

/// A preconditioner: apply(exec, r, z), z <- M^-1 r, asynchronous on exec, without allocation. Optional
/// members: inverse(), the entries of a diagonal M^-1, which CG applies within its passes; status(), a
/// SetupStatus; static constexpr bool is_variable, true if M differs between applications or is Hermitian only
/// up to the rounding of a lower precision: pcg() then uses another beta. static constexpr bool is_expensive, true
/// if an application costs more than the latency of the host: pcg() then launches no iteration ahead of the
/// device, so that none is applied beyond the end, and calls apply(exec, r, z, squared_norm), if there is one, with
/// |r|^2 in device memory. Not used with inverse().
template <class M, class Exec, class R, class Z>
concept Preconditioner =
    requires(M const& m, Exec const& exec, R const& r, Z const& z) { m.apply(exec, r, z); };

namespace detail {

/// Preconditioners that CG applies within its passes, without a vector z: the identity and diagonals.
template <class M>
concept IsIdentity = M::is_identity;
template <class M>
concept IsDiagonal = requires(M const& m) { m.inverse(); };
template <class M>
inline constexpr bool is_fusable = IsIdentity<M> || IsDiagonal<M>;
template <class M>
concept IsVariable = M::is_variable;
template <class M>
concept IsExpensive = M::is_expensive;

/// Calls body(row_entries(plan)) if the format of the plan has row access.
template <class Plan, class Body>
void with_row_entries_of(Plan const& plan, Body const& body) {
  if constexpr (requires { row_entries(plan); }) {
    auto const entries = row_entries(plan);
    if (entries.is_available()) body(entries);
  }
}

}  // namespace detail

/// The operator of a matrix of any format with its plan. Plan: SpmvPlan<Format, V>.
template <class Plan>
class SpmvOperator {
 public:
  explicit SpmvOperator(Plan plan) : plan_(std::move(plan)) {}

  [[nodiscard]] std::size_t num_rows() const { return static_cast<std::size_t>(plan_.matrix().num_rows); }
  [[nodiscard]] std::size_t num_cols() const { return static_cast<std::size_t>(plan_.matrix().num_cols); }
  [[nodiscard]] Plan const& plan() const { return plan_; }

  template <class Exec, class X, class Y>
  void apply(Exec const& exec, X const& x, Y const& y) const {
    using Sum = typename Plan::Sum;
    spmv(exec, plan_, Sum(1), x, Sum(0), y);
  }
  template <class Exec, class EpilogueOp, class X, class Y>
  requires requires(Exec const& exec, Plan const& plan, EpilogueOp const& epilogue, X const& x, Y const& y) {
    spmv_fused(exec, plan, epilogue, x, y);
  }
  void apply_fused(Exec const& exec, EpilogueOp const& epilogue, X const& x, Y const& y) const {
    spmv_fused(exec, plan_, epilogue, x, y);
  }
  /// Calls body(row_entries(plan)) if the format has row access.
  template <class Body>
  void with_row_entries(Body const& body) const {
    detail::with_row_entries_of(plan_, body);
  }

 private:
  Plan plan_;
};

/// The operator of a matrix in any format or of a CrsMatrix. Makes its plan, whose memory serves one solve at a
/// time. V: scalar of the vectors. Requires the header of the format's spmv, for CSR that of its plan.
template <class V, ExecutionSpace Exec, class Matrix>
requires requires(Exec const& exec, Matrix const& A) { make_spmv_plan<V>(exec, A); }
auto make_operator(Exec const& exec, Matrix const& A) {
  return SpmvOperator(make_spmv_plan<V>(exec, A));
}

/// The same for a matrix that exists as long as the operator, which need not share its memory.
template <class V, ExecutionSpace Exec, class Matrix>
auto make_operator_view(Exec const& exec, Matrix const& A) {
  return make_operator<V>(exec, A);
}

namespace detail {

/// body(op): op is a if it has apply(), else the operator of the matrix a, made for this call.
template <class Exec, class A, class X, class Body>
auto with_operator(Exec const& exec, A const& a, X const& x, Body const& body) {
  if constexpr (requires { a.apply(exec, x, x); })
    return body(a);
  else
    return body(make_operator_view<typename X::non_const_value_type>(exec, a));
}

}  // namespace detail

}  // namespace einkorn
