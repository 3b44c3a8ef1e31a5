// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/matrices.hpp"

#include <einkorn/core/io/matrix_market.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::perf {

template <class Scalar, class Ordinal, class Offset>
Csr<Scalar, Ordinal, Offset, Device> read_matrix(std::string const& path) {
  return csr_from_triplets<Offset, Device>(read_matrix_market<Scalar, Ordinal>(path));
}

#ifndef EINKORN_BENCH_OTHER_SCALARS
template Csr<double, int, int, Device> read_matrix(std::string const&);
#else
template Csr<float, int, int, Device> read_matrix(std::string const&);
template Csr<Kokkos::complex<double>, int, int, Device> read_matrix(std::string const&);
template Csr<double, std::int64_t, std::size_t, Device> read_matrix(std::string const&);
#endif

}  // namespace einkorn::perf
