// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/solvers/precond/detail/checks.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn {

/// M = I, for code that takes a preconditioner. cg() uses it for Recurrence::classical. Holds no memory.
class Identity {
 public:
  static constexpr bool is_identity = true;

  Identity() = default;
  explicit Identity(std::int64_t num_rows) : num_rows_(num_rows) {}

  /// z <- r. r, z: [n]; z may be r and must not overlap it otherwise.
  /// @throws DimensionMismatch, InvalidArgument (overlap)
  /// Cost: 2 n scalars; 1 launch, none if z is r; asynchronous on exec.
  template <ExecutionSpace Exec, Vector R, WritableVector Z>
  requires AccessibleFrom<R, Exec> && AccessibleFrom<Z, Exec> && (R::rank() == 1 && Z::rank() == 1)
  void apply(Exec const& exec, R const& r, Z const& z) const {
    detail::check_apply("Identity", num_rows_, r, z, true);
    if (detail::is_same_vector(r, z) || num_rows_ == 0) return;
    range_for<std::size_t>("einkorn::Identity::apply", exec, z.extent(0), detail::AssignEntry<Z, R>{z, r});
  }

  /// @throws DimensionMismatch unless A is square and of the same size
  template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
  void update(Exec const&, Csr<Scalar, Ordinal, Offset, Device> const& A) const {
    detail::require_size("Identity::update", num_rows_, A);
  }
  template <ExecutionSpace Exec, CrsMatrixLike Matrix>
  void update(Exec const& exec, Matrix const& A) const {
    update(exec, as_csr(A));
  }

  [[nodiscard]] std::int64_t num_rows() const { return num_rows_; }
  [[nodiscard]] std::size_t bytes() const { return 0; }
  [[nodiscard]] SetupStatus status() const { return {}; }
  [[nodiscard]] std::string name() const { return "identity"; }

 private:
  std::int64_t num_rows_ = 0;
};

/// The identity of the size of A. @throws DimensionMismatch (not square)
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Identity make_identity(Exec const&, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  detail::require_square("make_identity", A.num_rows, A.num_cols);
  return Identity(static_cast<std::int64_t>(A.num_rows));
}

template <ExecutionSpace Exec, CrsMatrixLike Matrix>
Identity make_identity(Exec const& exec, Matrix const& A) {
  return make_identity(exec, as_csr(A));
}

}  // namespace einkorn
