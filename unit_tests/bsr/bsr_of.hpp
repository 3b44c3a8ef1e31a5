// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/types.hpp"

#include <einkorn/formats/bsr/from_csr.hpp>

namespace einkorn::test {

/// The BSR of A with the given block size (0: detected).
template <class Matrix>
auto bsr_of(Matrix const& A, int block_size, double fill_limit = 1e30) {
  BsrOptions options;
  options.block_size = block_size;
  options.fill_limit = fill_limit;
  return from_csr<Bsr>(Space(), A, options);
}

}  // namespace einkorn::test
