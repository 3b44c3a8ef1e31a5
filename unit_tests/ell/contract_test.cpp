// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/format_contract.hpp"

#include <einkorn/formats/ell/from_csr.hpp>
#include <einkorn/formats/ell/spmv.hpp>
#include <einkorn/formats/ell/to_csr.hpp>

namespace einkorn::test {
namespace {

template <class C>
struct EllSubject {
  using Config = C;
  using Options = EllOptions;
  using Host = HostMatrixOf<C>;
  static constexpr bool isolates_nan = true;

  static std::vector<std::pair<std::string, Options>> variants() { return {{"default", {}}}; }
  template <class Matrix>
  static auto make(Matrix const& A, Options const& options) {
    return from_csr<Ell>(Space(), A, options);
  }
  static double stored(Host const& A, Options const&) {
    std::size_t longest = 0;
    for (std::size_t i = 0; i < A.rows(); ++i) longest = std::max(longest, A.end(i) - A.begin(i));
    return static_cast<double>(longest) * static_cast<double>(A.rows());
  }
  static Host returned(Host const& A) { return A; }
};

EINKORN_INSTANTIATE_FORMAT_CONTRACT(Ell, EllSubject);

TEST(EllLayout, SlotPositions) {
  auto const A = from_dense<double>({{1, 0, 2}, {0, 0, 0}, {0, 3, 0}}, 3);

  auto const F = from_csr<Ell>(Space(), A.on_device());

  EXPECT_EQ(F.width, 2);
  EXPECT_EQ(F.stride, 32);
  EXPECT_EQ(F.nnz(), 3);
  auto const columns = to_host(F.columns);
  auto const values = to_host(F.values);
  ASSERT_EQ(columns.size(), 64u);
  for (std::size_t at = 0; at < 64; ++at) {
    int const column = at == 0 ? 0 : at == 32 ? 2 : at == 2 ? 1 : -1;
    double const value = at == 0 ? 1 : at == 32 ? 2 : at == 2 ? 3 : 0;
    EXPECT_EQ(columns[at], column) << at;
    EXPECT_EQ(values[at], value) << at;
  }
}

}  // namespace
}  // namespace einkorn::test
