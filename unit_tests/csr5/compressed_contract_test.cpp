// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/format_contract.hpp"
#include "shapes.hpp"

#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/csr5/to_csr.hpp>

namespace einkorn::test {
namespace {

template <class C>
struct CompressedCsr5Subject {
  using Config = C;
  using Options = Csr5Options;
  using Host = HostMatrixOf<C>;
  static constexpr bool isolates_nan = true;

  static std::vector<std::pair<std::string, Options>> variants() {
    std::vector<std::pair<std::string, Options>> all{{"default", coded({0, 0})}, {"full", {}}};
    for (auto const& shape : few_shapes()) all.emplace_back(to_string(shape), coded(shape));
    return all;
  }
  template <class Matrix>
  static auto make(Matrix const& A, Options const& options) {
    return from_csr<Csr5>(Space(), A, options);
  }
  static double stored(Host const&, Options const&) { return 0; }
  static Host returned(Host const& A) { return A; }
};

EINKORN_INSTANTIATE_FORMAT_CONTRACT(CompressedCsr5, CompressedCsr5Subject);

}  // namespace
}  // namespace einkorn::test
