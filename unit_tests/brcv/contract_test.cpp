// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/format_contract.hpp"

#include <einkorn/formats/brcv/from_csr.hpp>
#include <einkorn/formats/brcv/spmv.hpp>
#include <einkorn/formats/brcv/to_csr.hpp>

namespace einkorn::test {
namespace {

template <class C>
struct BrcvSubject {
  using Config = C;
  using Options = BrcvOptions;
  using Host = HostMatrixOf<C>;
  static constexpr bool isolates_nan = true;

  static std::vector<std::pair<std::string, Options>> variants() { return {{"default", {}}}; }
  template <class Matrix>
  static auto make(Matrix const& A, Options const& options) {
    return from_csr<Brcv>(Space(), A, options);
  }
  static double stored(Host const&, Options const&) { return 0; }
  static Host returned(Host const& A) { return A; }
};

EINKORN_INSTANTIATE_FORMAT_CONTRACT(Brcv, BrcvSubject);

}  // namespace
}  // namespace einkorn::test
