// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/multigrid.hpp"
#include "solve/progress.hpp"
#include "solve/settings.hpp"
#include "solve/types.hpp"

#include <einkorn/solvers/precond/block_jacobi.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#include <string>
#include <variant>

namespace einkorn::tools {

/// A preconditioner chosen at run time, for methods that only call apply(). A method is instantiated once for
/// all preconditioners.
template <class Scalar>
class AnyPreconditioner {
 public:
  using Variant =
      std::variant<einkorn::Jacobi<Scalar, Device>, BlockJacobi<Scalar, int, Device>, MultigridPreconditioner>;

  AnyPreconditioner() = default;
  explicit AnyPreconditioner(Variant variant) : variant_(std::move(variant)) {}

  template <class R, class Z>
  void apply(Exec const& exec, R const& r, Z const& z) const {
    std::visit([&](auto const& M) { M.apply(exec, r, z); }, variant_);
  }
  [[nodiscard]] SetupStatus status() const {
    return std::visit([](auto const& M) { return M.status(); }, variant_);
  }
  /// The levels of multigrid, else empty.
  [[nodiscard]] std::string table() const {
    auto const* const multigrid = std::get_if<MultigridPreconditioner>(&variant_);
    return multigrid ? multigrid->table() : std::string();
  }
  [[nodiscard]] std::string name() const {
    return std::visit([](auto const& M) { return M.name(); }, variant_);
  }

 private:
  Variant variant_;
};

template <class Scalar>
AnyPreconditioner<Scalar> make_preconditioner(Exec const& exec, Matrix<Scalar> const& A,
                                              PreconditionerChoice const& choice,
                                              LevelCallback const& on_level) {
  if (choice.kind == PreconditionerKind::block_jacobi)
    return AnyPreconditioner<Scalar>(make_block_jacobi(exec, A, {choice.block_size}));
  if (choice.kind == PreconditionerKind::multigrid)
    return AnyPreconditioner<Scalar>(MultigridPreconditioner(exec, A, on_level));
  return AnyPreconditioner<Scalar>(make_jacobi(exec, A));
}

}  // namespace einkorn::tools
