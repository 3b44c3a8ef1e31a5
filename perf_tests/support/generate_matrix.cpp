// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/matrices.hpp"

#include <einkorn/formats/generate/generate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::perf {

template <class Scalar, class Ordinal, class Offset>
Csr<Scalar, Ordinal, Offset, Device> generate_matrix(Exec const& exec, std::string const& specification) {
  return generate<Scalar, Ordinal, Offset, Device>(exec, specification);
}

#ifndef EINKORN_BENCH_OTHER_SCALARS
template Csr<double, int, int, Device> generate_matrix(Exec const&, std::string const&);
#else
template Csr<float, int, int, Device> generate_matrix(Exec const&, std::string const&);
template Csr<Kokkos::complex<double>, int, int, Device> generate_matrix(Exec const&, std::string const&);
template Csr<double, std::int64_t, std::size_t, Device> generate_matrix(Exec const&, std::string const&);
#endif

}  // namespace einkorn::perf
