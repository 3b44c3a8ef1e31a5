// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/format_contract.hpp"

#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/dia/spmv.hpp>
#include <einkorn/formats/dia/to_csr.hpp>

#include <set>

namespace einkorn::test {
namespace {

template <class C>
struct DiaSubject {
  using Config = C;
  using Options = DiaOptions;
  using Host = HostMatrixOf<C>;
  static constexpr bool isolates_nan = false;  // a stored zero is multiplied by NaN

  static std::vector<std::pair<std::string, Options>> variants() { return {{"default", {}}}; }
  template <class Matrix>
  static auto make(Matrix const& A, Options const& options) {
    return from_csr<Dia>(Space(), A, options);
  }
  static double stored(Host const& A, Options const&) {
    std::set<std::int64_t> diagonals;
    for (std::size_t i = 0; i < A.rows(); ++i)
      for (auto k = A.begin(i); k < A.end(i); ++k)
        diagonals.insert(static_cast<std::int64_t>(A.columns[k]) - static_cast<std::int64_t>(i));
    return static_cast<double>(diagonals.size()) * static_cast<double>(A.rows());
  }
  static Host returned(Host const& A) { return sorted_without_zeros(A); }
};

EINKORN_INSTANTIATE_FORMAT_CONTRACT(Dia, DiaSubject);

}  // namespace
}  // namespace einkorn::test
