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

/// Analytical, not measured: 1024 threads with 64 bytes of values in flight each are 64 KB a multiprocessor;
/// 4.3 TB/s over 132 multiprocessors at 800 ns take 26 KB. x comes from the first cache.
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
