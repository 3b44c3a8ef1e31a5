// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// The public functions of SpGEMM for two choices of types. Compiled for the host, and by scripts/check_hip.sh and
// check_cuda.sh for a device.
#include <einkorn/formats/spgemm/spgemm.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::test {

using Space = EINKORN_TEST_SPACE;
using Device = Space::device_type;

template <class S, class O, class F>
struct SpgemmDoors {
  Space exec;
  Csr<S, O, F, Device> A;

  auto all() {
    auto const plan = spgemm_symbolic<std::size_t>(exec, A, A, {.sums = SpgemmSums::unordered});
    auto const C = spgemm_numeric(exec, plan, A, A);
    spgemm_numeric(exec, plan, A, A, C);
    return spgemm(exec, A, spgemm(exec, A, A));
  }
};

template struct SpgemmDoors<double, int, int>;
template struct SpgemmDoors<Kokkos::complex<float> const, std::int64_t, std::size_t>;

}  // namespace einkorn::test
