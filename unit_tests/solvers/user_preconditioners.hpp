// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/host_matrix.hpp"

#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <vector>

namespace einkorn::test {

/// z <- D^-1 r, as a user would write it. The solver sees apply() only.
template <class S>
struct UserDiagonal {
  Kokkos::View<S*, Device> entries;

  explicit UserDiagonal(std::vector<S> const& inverse) : entries(to_device(inverse)) {}

  template <class R, class Z>
  struct Entries {
    Kokkos::View<S*, Device> d;
    R r;
    Z z;
    KOKKOS_FUNCTION void operator()(std::size_t i) const { z(i) = d(i) * r(i); }
  };
  template <class R, class Z>
  void apply(Space const& exec, R const& r, Z const& z) const {
    Kokkos::parallel_for("user M",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(exec, 0, z.extent(0)),
                         Entries<R, Z>{entries, r, z});
  }
};

/// The same with inverse(), so that CG applies it within its passes.
template <class S>
struct FusableUserDiagonal : UserDiagonal<S> {
  using UserDiagonal<S>::UserDiagonal;
  [[nodiscard]] Kokkos::View<S const*, Device> inverse() const { return this->entries; }
};

/// A preconditioner with a given setup status.
template <class S>
struct WithStatus : UserDiagonal<S> {
  SetupStatus status_;

  WithStatus(std::vector<S> const& inverse, SetupStatus status) : UserDiagonal<S>(inverse), status_(status) {}
  [[nodiscard]] SetupStatus status() const { return status_; }
};

}  // namespace einkorn::test
