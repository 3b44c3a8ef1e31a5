// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/watch.hpp"

#include <einkorn/solvers/report.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

namespace einkorn {

inline bool operator==(SetupStatus const& a, SetupStatus const& b) {
  return a.outcome == b.outcome && a.row == b.row;
}
inline std::ostream& operator<<(std::ostream& out, SetupStatus const& status) {
  return out << name_of(status.outcome) << " in row " << status.row;
}

}  // namespace einkorn

namespace einkorn::test {

/// M^-1 r, on the host.
template <class S, class Preconditioner>
std::vector<S> applied(Preconditioner const& M, std::vector<S> const& r) {
  auto const z = to_device(std::vector<S>(r.size(), not_a_number<S>()));
  M.apply(Space(), to_device(r), z);
  Kokkos::fence();
  return to_host(z);
}

/// apply is at most one launch, and nothing else.
template <class S, class Preconditioner>
void expect_apply_only_launches(Preconditioner const& M) {
  auto const n = static_cast<std::size_t>(M.num_rows());
  Kokkos::View<S*, Device> const r("r", n), z("z", n);
  M.apply(Space(), r, z);
  Kokkos::fence();
  Watch const watch;
  M.apply(Space(), r, z);
  EXPECT_EQ(watch.seen().launches.size(), 1u) << M.name();
  EXPECT_TRUE(watch.seen().fences.empty() && watch.seen().allocations.empty() && watch.seen().copies.empty())
      << M.name();
}

/// update allocates nothing and copies no more than a status.
template <class Preconditioner, class Matrix>
void expect_update_allocates_nothing(Preconditioner& M, Matrix const& A) {
  M.update(Space(), A);
  Kokkos::fence();
  Watch const watch;
  M.update(Space(), A);
  EXPECT_TRUE(watch.seen().allocations.empty()) << M.name();
  EXPECT_LE(watch.copied_bytes(), 16u) << M.name();
}

}  // namespace einkorn::test
