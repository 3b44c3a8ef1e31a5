// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// The numbers of the DIA kernel. A structural type: kernels take it as a template argument.
struct DiaTuning {
  int team_size;        ///< threads a team, each with a row
  int teams_at_once;    ///< teams that a multiprocessor must have registers for
  int unroll;           ///< diagonals whose values a thread asks for before it uses the first
  int columns_at_once;  ///< columns of a multivector that share one pass over the matrix
};

/// Measured on an H200 (2026-11, cold, float and double): 12 or 16 diagonals at once take too many registers
/// for their columns (10 to 25 % slower than 8); 6 teams at once are faster on 7 diagonals only (6 to 9 %), and
/// up to 13 % slower on 27 and more. x comes from the first cache. 16 bytes a scalar, AMD: analytical, not
/// measured.
constexpr DiaTuning dia_tuning(Arch arch, std::size_t scalar_bytes) {
  int const unroll = scalar_bytes > 8 ? 4 : 8;
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {256, 4, unroll, 4};
    case Arch::hip:
    case Arch::mi300:
      return {256, 2, unroll, 4};
    default:
      return {1, 1, 1, 1};
  }
}

}  // namespace einkorn
