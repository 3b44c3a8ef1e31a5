// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

namespace einkorn::detail {

/// Preconditioners that need no vector of their own: none, and diagonals.
template <class M>
concept IsIdentity = M::is_identity;
template <class M>
concept IsDiagonal = requires(M const& m) {
  m.inverse();
};
template <class M>
inline constexpr bool is_applied_in_sweeps = IsIdentity<M> || IsDiagonal<M>;

}  // namespace einkorn::detail
