// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/format_contract.hpp"

#include <einkorn/formats/bdia/from_csr.hpp>
#include <einkorn/formats/bdia/spmv.hpp>
#include <einkorn/formats/bdia/to_csr.hpp>

#include <set>

namespace einkorn::test {
namespace {

template <class C>
struct BdiaSubject {
  using Config = C;
  using Options = BdiaOptions;
  using Host = HostMatrixOf<C>;
  static constexpr bool isolates_nan = false;  // a stored zero is multiplied by NaN

  static std::vector<std::pair<std::string, Options>> variants() {
    Options joined;
    joined.max_gap = 3;
    return {{"default", {}}, {"gaps of 3 joined", joined}};
  }
  template <class Matrix>
  static auto make(Matrix const& A, Options const& options) {
    return from_csr<Bdia>(Space(), A, options);
  }
  static double stored(Host const& A, Options const& options) {
    std::set<std::int64_t> diagonals;
    for (std::size_t i = 0; i < A.rows(); ++i)
      for (auto k = A.begin(i); k < A.end(i); ++k)
        diagonals.insert(static_cast<std::int64_t>(A.columns[k]) - static_cast<std::int64_t>(i));
    std::int64_t count = 0, before = 0;
    for (auto const diagonal : diagonals) {
      count += count > 0 && diagonal - before - 1 <= options.max_gap ? diagonal - before : 1;
      before = diagonal;
    }
    return static_cast<double>(count) * static_cast<double>(A.rows());
  }
  static Host returned(Host const& A) { return sorted_without_zeros(A); }
};

EINKORN_INSTANTIATE_FORMAT_CONTRACT(Bdia, BdiaSubject);

}  // namespace
}  // namespace einkorn::test
