// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/format_contract.hpp"
#include "count_blocks.hpp"

#include <einkorn/formats/bsr/from_csr.hpp>
#include <einkorn/formats/bsr/spmv.hpp>
#include <einkorn/formats/bsr/to_csr.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

template <class C>
struct BsrSubject {
  using Config = C;
  using Options = BsrOptions;
  using Host = HostMatrixOf<C>;
  static constexpr bool isolates_nan = false;  // stored zeros are multiplied by x too

  static std::vector<std::pair<std::string, Options>> variants() {
    std::vector<std::pair<std::string, Options>> all{{"detected", {}}};
    for (int const b : {1, 2, 3, 4, 5, 6, 7, 8, 11, 33}) {
      all.push_back({"b = " + std::to_string(b), {}});
      all.back().second.block_size = b;
    }
    return all;
  }
  template <class Matrix>
  static auto make(Matrix const& A, Options const& options) {
    return from_csr<Bsr>(Space(), A, options);
  }
  static double stored(Host const& A, Options const& options) {
    int const given = options.block_size;
    bool const is_large = A.rows() + A.cols() > 20000;
    if (is_large && given != 0 && given != 3 && given != 11) return 1e30;  // covered by small matrices
    int const b = given > 0 ? given : smallest_by_bytes(A);
    return static_cast<double>(count_blocks(A, b)) * b * b;
  }
  static Host returned(Host const& A) { return sorted_without_zeros(A); }
};

EINKORN_INSTANTIATE_FORMAT_CONTRACT(Bsr, BsrSubject);

}  // namespace
}  // namespace einkorn::test
