// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/progress.hpp"
#include "solve/types.hpp"

#include <einkorn/solvers/report.hpp>

#include <memory>
#include <string>

namespace einkorn::tools {

/// Multigrid with the default options and a callback, compiled in multigrid.cpp only.
class MultigridPreconditioner {
 public:
  static constexpr bool is_variable = true;  // levels in float
  static constexpr bool is_expensive = true;

  /// @throws OutOfMemory, the exceptions of make_multigrid()
  MultigridPreconditioner(Exec const& exec, Matrix<double> const& A, LevelCallback const& on_level);
  /// @throws InvalidArgument
  MultigridPreconditioner(Exec const& exec, Matrix<Kokkos::complex<double>> const& A,
                          LevelCallback const& on_level);

  /// z <- M^-1 r. [n] each. squared_norm: |r|^2 in device memory, or null.
  void apply(Exec const& exec, Kokkos::View<double const*, Device> const& r, DenseVector<double> const& z,
             double const* squared_norm = nullptr) const;
  void apply(Exec const&, DenseVector<Kokkos::complex<double>> const&,
             DenseVector<Kokkos::complex<double>> const&) const {}  // is never constructed for complex

  [[nodiscard]] SetupStatus status() const;
  [[nodiscard]] std::string name() const { return "multigrid"; }
  /// The levels, as several lines.
  [[nodiscard]] std::string table() const;

 private:
  struct Levels;
  std::shared_ptr<Levels const> levels_;
};

}  // namespace einkorn::tools
