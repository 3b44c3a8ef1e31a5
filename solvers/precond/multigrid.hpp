// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/kernel_view.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/solvers/precond/detail/checks.hpp>
#include <einkorn/solvers/precond/multigrid/hierarchy.hpp>
#include <einkorn/solvers/precond/multigrid/options.hpp>
#include <einkorn/solvers/precond/multigrid/report.hpp>
#include <einkorn/solvers/precond/multigrid/scaled_vectors.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace einkorn {

/// M^-1 = one V-cycle of a smoothed-aggregation multigrid hierarchy of A. Made by make_multigrid().
///
/// Levels: matrices, transfers and vectors in LevelScalar; coarse matrices are computed in Scalar. Copies share
/// the memory, which one call of apply() at a time uses. For a symmetric positive definite A, M is symmetric
/// positive definite up to the rounding of LevelScalar.
///
/// status(): zero_pivot (a diagonal entry is 0, or LevelScalar cannot hold its inverse or the row divided by it),
/// non_finite (a row has NaN or infinity), with the row: one level with a smoother is left, so that apply() is defined; indefinite_preconditioner (a diagonal entry of A or a
/// pivot of the coarsest level is negative). Row -1: found on a coarse level. A singular A, such as that of a pure
/// Neumann problem, is not a fault: report().singular_rows pivots of the coarsest level are at rounding level
/// and are left out.
///
/// Source: Vanek, Mandel & Brezina, Computing 56, 1996; Bell, Dalton & Olson, SIAM J. Sci. Comput. 34, 2012;
/// Adams, Brezina, Hu & Tuminaro, J. Comput. Phys. 188, 2003 (Chebyshev smoothers). Departures: boxes of nodes
/// where A is a stencil on a grid; spectral radii by CG; single-precision levels.
template <class Scalar, class LevelScalar, class Ordinal, class Offset, class Device>
class Multigrid {
 public:
  using scalar_type = Scalar;
  using level_scalar_type = LevelScalar;
  using device_type = Device;
  using Matrix = Csr<Scalar const, Ordinal, Offset, Device>;
  using NearNullVectors = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Device>;
  /// M^-1 is linear only up to rounding that depends on r: pcg takes the beta of flexible CG.
  static constexpr bool is_variable = !std::is_same_v<Scalar, LevelScalar>;
  static constexpr bool is_expensive = true;

  Multigrid() = default;
  /// As make_multigrid().
  template <ExecutionSpace Exec>
  Multigrid(Exec const& exec, Matrix const& A, MultigridOptions const& options,
            NearNullVectors const& near_null)
      : num_rows_(static_cast<std::int64_t>(A.num_rows)),
        nnz_(static_cast<std::int64_t>(A.nnz())),
        scale_(allocate<Kokkos::View<double*, Device>>(exec, "einkorn::Multigrid::scale", 2)),
        hierarchy_(exec, A, options, near_null) {}

  /// z <- M^-1 r. r, z: [n]; z must not overlap r.
  /// @throws DimensionMismatch, InvalidArgument (overlap; a concurrent call unless NDEBUG is defined)
  /// Launches 2 degree + 2 kernels per level; asynchronous on exec, no allocation, no read-back. The same bits
  /// in every call; on the host for any number of threads.
  template <ExecutionSpace Exec, Vector R, WritableVector Z>
  requires AccessibleFrom<R, Exec> && AccessibleFrom<Z, Exec> && (R::rank() == 1 && Z::rank() == 1)
  void apply(Exec const& exec, R const& r, Z const& z) const {
    apply(exec, r, z, nullptr);
  }
  /// The same where the caller has |r|^2 in memory that exec accesses: saves a pass over r with float levels. Null: not
  /// known.
  template <ExecutionSpace Exec, Vector R, WritableVector Z>
  requires AccessibleFrom<R, Exec> && AccessibleFrom<Z, Exec> && (R::rank() == 1 && Z::rank() == 1)
  void apply(Exec const& exec, R const& r, Z const& z, double const* squared_norm) const {
    detail::check_apply("Multigrid", num_rows(), r, z, false);
    if (num_rows() == 0) return;
    auto const call = one_call_.begin("Multigrid::apply", "preconditioner");
    Kokkos::Profiling::ScopedRegion region("einkorn::Multigrid::apply");
    cycle(exec, detail::as_input(r), detail::as_output(z), squared_norm);
  }

  /// Takes the values of another matrix of the same structure: new P, coarse matrices, smoothers and inverse on the
  /// kept aggregates and patterns.
  /// @throws DimensionMismatch, StalePlan (another number of entries), OverflowError, OutOfMemory
  /// Fences exec.
  template <ExecutionSpace Exec, class From>
  void update(Exec const& exec, Csr<From, Ordinal, Offset, Device> const& A) {
    static_assert(std::is_same_v<std::remove_const_t<From>, Scalar>,
                  "einkorn::Multigrid::update: the values must have the scalar of the matrix of the set-up");
    require_same_structure("Multigrid::update", A);
    Kokkos::Profiling::ScopedRegion region("einkorn::Multigrid::update");
    hierarchy_.update(exec, Matrix(A));
  }
  template <ExecutionSpace Exec, CrsMatrixLike CrsMatrix>
  void update(Exec const& exec, CrsMatrix const& A) {
    update(exec, as_csr(A));
  }

  /// A as an operator of a solver, in the format of the finest level: pcg(exec, M.make_operator(exec, A), M, b, x). Its
  /// products read less than those with a CSR where that format is DIA or SELL. A level of few rows is in CSR.
  /// @pre A has the structure of the matrix of the set-up.
  /// @throws DimensionMismatch, StalePlan (another number of entries), OutOfMemory
  /// 1 or 2 launches without an analysis; fences exec. op.update(exec, A) takes new values.
  template <ExecutionSpace Exec, class From>
  [[nodiscard]] auto make_operator(Exec const& exec, Csr<From, Ordinal, Offset, Device> const& A) const {
    require_same_structure("Multigrid::make_operator", A);
    using Operator = detail::LevelOperator<Scalar, Ordinal, Offset, Device>;
    auto const& levels = hierarchy_.levels().list;
    return levels.empty() ? Operator(exec, A, detail::LevelOperator<LevelScalar, Ordinal, Offset, Device>())
                          : Operator(exec, A, levels[0].A);
  }

  [[nodiscard]] std::int64_t num_rows() const { return num_rows_; }
  [[nodiscard]] SetupStatus status() const { return hierarchy_.status(); }
  /// Memory held: that of the levels, and what update() needs.
  [[nodiscard]] std::size_t bytes() const { return hierarchy_.bytes() + scale_.size() * sizeof(double); }
  /// "multigrid(4 levels)"
  [[nodiscard]] std::string name() const {
    return "multigrid(" + std::to_string(report().levels.size()) + " levels)";
  }
  [[nodiscard]] MultigridReport const& report() const { return hierarchy_.report(); }

 private:
  template <class Matrix>
  void require_same_structure(char const* operation, Matrix const& A) const {
    detail::require_size(operation, num_rows(), A);
    require<StalePlan>(static_cast<std::int64_t>(A.nnz()) == nnz_, [&] {
      return std::string(operation) + ": made for a matrix of " + std::to_string(nnz_) +
             " entries, given one of " + std::to_string(A.nnz());
    });
  }
  template <class Exec, class R, class Z>
  void cycle(Exec const& exec, R const& r, Z const& z, double const* squared_norm) const {
    auto const& levels = hierarchy_.levels();
    double const *down = nullptr, *up = nullptr;
    if constexpr (std::is_same_v<LevelScalar, float>) {  // r may be outside its range
      auto const n = r.extent(0);
      detail::StoreScale const of_mean{scale_.data(), static_cast<double>(n)};
      if (squared_norm != nullptr)
        range_for<int>("einkorn::Multigrid[scale]", exec, 1, detail::StoreScaleOfNorm{of_mean, squared_norm});
      else
        hierarchy_.sums().run(exec, "einkorn::Multigrid[scale]", n, detail::SumOfMagnitudes<R, Device>{r},
                              of_mean);
      down = scale_.data();
      up = down + 1;
    }
    using V = Kokkos::View<LevelScalar*, Device>;
    auto const& level = levels.list[0];
    if (levels.is_inverted(0)) {
      detail::scaled_copy(exec, r, level.b, V(), down);
      detail::scaled_copy(exec, detail::v_cycle(exec, levels, 0), z, V(), up);
    } else {
      detail::scaled_copy(exec, r, level.b, level.M, down);
      detail::end_cycle(exec, level, detail::begin_cycle(exec, levels, 0), z, up);
    }
  }

  std::int64_t num_rows_ = 0, nnz_ = 0;
  Kokkos::View<double*, Device> scale_;  // [2]
  detail::Hierarchy<Scalar, LevelScalar, Ordinal, Offset, Device> hierarchy_;
  detail::OneCallAtATime one_call_ = detail::OneCallAtATime::checked();
};

namespace detail {

template <class LevelScalar, class Scalar>
using LevelScalarOr = std::conditional_t<std::is_void_v<LevelScalar>, float, LevelScalar>;

template <class LevelScalar, class Exec, class Scalar, class Ordinal, class Offset, class Device, class Make>
auto new_multigrid(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                   MultigridOptions const& options, Make const& make_near_null) {
  using Value = std::remove_const_t<Scalar>;
  using Level = LevelScalarOr<LevelScalar, Value>;
  static_assert(!is_complex<Value>, "einkorn::make_multigrid: complex matrices are not supported");
  static_assert(std::is_same_v<Level, Value> || (std::is_same_v<Value, double> && std::is_same_v<Level, float>),
                "einkorn::make_multigrid: LevelScalar must be the scalar of A, or float for double");
  require_kokkos("make_multigrid");
  check_options(options);
  require_square("make_multigrid", A.num_rows, A.num_cols);
  require<DimensionMismatch>(static_cast<std::int64_t>(A.num_rows) % options.block_size == 0, [&] {
    return "make_multigrid: A has " + std::to_string(A.num_rows) +
           " rows, expected a multiple of block_size = " + std::to_string(options.block_size);
  });
  Kokkos::Profiling::ScopedRegion region("einkorn::make_multigrid");
  return Multigrid<Value, Level, Ordinal, Offset, Device>(exec, A, options, make_near_null());
}

}  // namespace detail

/// Makes the multigrid hierarchy of a symmetric positive definite A: smoothed aggregation, constant near-null
/// vectors (one per unknown of a node).
///
/// @tparam LevelScalar  scalar of the levels: void: float; else float or that of A
/// @param A        n x n, real; rows sorted, columns unique
/// @pre A is valid (validate()); its pattern is symmetric.
/// @throws DimensionMismatch (not square, not a multiple of block_size), InvalidArgument (options), OverflowError
///         (indices of a coarse matrix), OutOfMemory. Zero diagonal entries and the like are reported by
///         status().
/// Cost: see report(). Fences exec. Deterministic; on the host for any number of threads.
template <class LevelScalar = void, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset,
          class Device>
auto make_multigrid(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                    MultigridOptions const& options = {}) {
  return detail::new_multigrid<LevelScalar>(exec, A, options, [&] {
    return detail::constant_near_null<std::remove_const_t<Scalar>, Device>(
        exec, static_cast<std::size_t>(A.num_rows), options.block_size);
  });
}

/// The same with near-null vectors: vectors x with A x close to 0, such as rigid-body modes for elasticity.
/// @param near_null  [n x k], k of 1 .. 16, linearly independent; copied where it is not LayoutLeft
/// @throws also DimensionMismatch, InvalidArgument (near_null: extents, not finite)
template <class LevelScalar = void, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset,
          class Device, Vector NearNullVectors>
requires AccessibleFrom<NearNullVectors, Exec> && (NearNullVectors::rank() == 2)
auto make_multigrid(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                    MultigridOptions const& options, NearNullVectors const& near_null) {
  return detail::new_multigrid<LevelScalar>(exec, A, options, [&] {
    using Value = std::remove_const_t<Scalar>;
    auto const copy = allocate<detail::NearNull<Value, Device>>(exec, "einkorn::Multigrid::near_null",
                                                                near_null.extent(0), near_null.extent(1));
    Kokkos::deep_copy(exec, copy, near_null);
    detail::check_near_null(exec, copy, A.num_rows, options.block_size);
    return copy;
  });
}

/// The same for elasticity: `block_size` displacements per node, and the rigid-body modes of the nodes'
/// coordinates as near-null vectors.
/// @param coordinates  [nodes x 2] with block_size 2, or [nodes x 3] with block_size 3
template <class LevelScalar = void, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset,
          class Device, Vector Coordinates>
requires AccessibleFrom<Coordinates, Exec> && (Coordinates::rank() == 2)
auto make_multigrid_elasticity(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                               MultigridOptions const& options, Coordinates const& coordinates) {
  return detail::new_multigrid<LevelScalar>(exec, A, options, [&] {
    auto const modes = detail::rigid_body_modes<std::remove_const_t<Scalar>, Device>(exec, coordinates);
    detail::check_near_null(exec, modes, A.num_rows, options.block_size);
    return modes;
  });
}

template <class LevelScalar = void, ExecutionSpace Exec, CrsMatrixLike Matrix>
auto make_multigrid(Exec const& exec, Matrix const& A, MultigridOptions const& options = {}) {
  return make_multigrid<LevelScalar>(exec, as_csr(A), options);
}

}  // namespace einkorn
