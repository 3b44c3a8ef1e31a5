// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/carry.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/team_launch.hpp>
#include <einkorn/formats/coo/coo_tuning.hpp>
#include <einkorn/formats/coo/detail/spmv_entry_parts.hpp>
#include <einkorn/formats/coo/detail/spmv_entry_parts_host.hpp>
#include <einkorn/formats/coo/detail/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace einkorn::detail {

/// Sums the parts in 1 launch: for columns column .. column + coo_columns_at_once - 1 (GPU) or one vector
/// (host).
template <CooRows target, class Exec, class Format, class X, class Y, class Sum, class Parts, class Carry>
void launch_entry_parts(Exec const& exec, char const* label, Epilogue<Sum> const& epilogue, Format const& F,
                        X const& x, Y const& y, Parts const& parts, Carry const& carry,
                        [[maybe_unused]] std::size_t column) {
  if constexpr (is_gpu<Exec>) {
    constexpr int k = Y::rank() == 1 ? 1 : coo_columns_at_once;
    constexpr CooTuning tuning = coo_tuning(arch_of<Exec>, sizeof(Sum), k > 1);
    using Functor = SpmvEntryParts<tuning, target, k, Exec, Format, X, Y, Sum, Parts, Carry>;
    auto const league =
        ceil_div(static_cast<std::size_t>(parts.num_parts), static_cast<std::size_t>(Functor::parts_per_team));
    launch_teams(label,
                 light_weight(typename Functor::Policy(exec, static_cast<int>(league), tuning.team_size)),
                 Functor{F, x, y, epilogue, parts, carry, column, cache_hint(exec, F, x, y)});
  } else {
    using Functor = SpmvEntryPartsHost<target, Format, X, Y, Sum, Parts, Carry>;
    for_each_part(exec, label, static_cast<std::int64_t>(parts.num_parts),
                  Functor{F, x, y, epilogue, parts, carry});
  }
}

/// Sums the parts, then adds the carries of rows that cross parts: for each column (host) or for every
/// coo_columns_at_once columns in one pass over the entries (GPU).
template <CooRows target, class Exec, class Format, class X, class Y, class Sum, class Workspace>
void sum_entries(Exec const& exec, char const* label, Epilogue<Sum> const& epilogue, Format const& F,
                 X const& x, Y const& y, Workspace const& workspace) {
  auto const& parts = workspace.parts;
  auto const add_carries = [&](auto const& y_j, [[maybe_unused]] std::size_t slot) {
    if constexpr (target != CooRows::add_without_carry) {
      if (parts.num_parts < 2) return;
      auto const size = static_cast<std::size_t>(parts.num_parts);
      auto const carry = Kokkos::subview(workspace.carry, std::pair(slot * size, (slot + 1) * size));
      add_carry(exec, parts, parts.num_parts, workspace.has_long_runs, carry, y_j, epilogue);
    }
  };
  if constexpr (Y::rank() == 1) {
    launch_entry_parts<target>(exec, label, epilogue, F, x, y, parts, workspace.carry, 0);
    add_carries(y, 0);
  } else if constexpr (is_gpu<Exec>) {
    constexpr auto at_once = static_cast<std::size_t>(coo_columns_at_once);
    for (std::size_t column = 0; column < y.extent(1); column += at_once) {
      launch_entry_parts<target>(exec, label, epilogue, F, x, y, parts, workspace.carry, column);
      for (std::size_t j = column; j < column + at_once && j < y.extent(1); ++j)
        add_carries(Kokkos::subview(y, Kokkos::ALL, j), j - column);
    }
  } else {
    for (std::size_t j = 0; j < y.extent(1); ++j) {
      auto const y_j = Kokkos::subview(y, Kokkos::ALL, j);
      launch_entry_parts<target>(exec, label, epilogue, F, Kokkos::subview(x, Kokkos::ALL, j), y_j, parts,
                                 workspace.carry, 0);
      add_carries(y_j, 0);
    }
  }
}

/// y <- y + alpha A x.
/// @param workspace  workspace of a plan, or nullptr
/// @pre F has entries.
template <class Exec, class Format, class X, class Y, class Sum, class Workspace>
void add_coo_product(Exec const& exec, char const* label, Sum const& alpha, Format const& F, X const& x,
                     Y const& y, Workspace const* workspace) {
  Epilogue<Sum> const epilogue{alpha, Sum(1)};
  if (workspace != nullptr) return sum_entries<CooRows::add>(exec, label, epilogue, F, x, y, *workspace);
  Workspace local_workspace;
  local_workspace.parts = make_entry_parts(exec, F);
  sum_entries<CooRows::add_without_carry>(exec, label, epilogue, F, x, y, local_workspace);
}

}  // namespace einkorn::detail
