// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// Headers and names that were renamed in 0.2 still compile, with warnings, until the next release.
#include <einkorn/core/dots.hpp>
#include <einkorn/core/update.hpp>
#include <einkorn/formats/csr/fingerprint.hpp>
#include <einkorn/formats/csr/full_from_half.hpp>
#include <einkorn/formats/csr/narrow_values.hpp>
#include <einkorn/formats/csr/spgemm.hpp>
#include <einkorn/formats/csr/spgemm_options.hpp>
#include <einkorn/formats/csr/spgemm_plan.hpp>
#include <einkorn/formats/csr/spgemm_report.hpp>
#include <einkorn/formats/csr/upload.hpp>
#include <einkorn/formats/csr/upload_staging.hpp>
#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/machine_model.hpp>
#include <einkorn/formats/machine_profile.hpp>
#include <einkorn/formats/select.hpp>
#include <einkorn/formats/select_by_measuring.hpp>
#include <einkorn/formats/select_model.hpp>
#include <einkorn/formats/structure.hpp>
#include <einkorn/formats/symmetry.hpp>
#include <einkorn/solvers/set_up.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace einkorn::test {

using Space = EINKORN_TEST_SPACE;
using Device = Space::device_type;
using Matrix = Csr<double, int, int, Device>;
using Vector = Kokkos::View<double*, Device>;

static_assert(std::is_same_v<Update<double>, Epilogue<double>>);
static_assert(std::is_same_v<UpdateAndDots<double, Vector, true>, EpilogueWithDots<double, Vector, true>>);
static_assert(std::is_same_v<SpgemmAlikeRows, SpgemmRowClasses>);
static_assert(std::is_same_v<FullFromHalfOptions, ExpandSymmetricOptions>);
static_assert(std::is_same_v<SetUpOptions<Dia>, AsyncSetupOptions<Dia>>);
static_assert(std::is_same_v<SetUp<Dia, double, int, int, Space>, AsyncSetup<Dia, double, int, int, Space>>);

auto call_deprecated_functions(Space const& exec, Matrix const& A,
                               Csr<double, int, int, Kokkos::HostSpace> const& host) {
  auto const full = full_from_half(exec, A);
  auto const narrow = narrow_values<float>(exec, full);
  return set_up<Dia>(exec, host).wait().csr.nnz() + narrow.nnz();
}

}  // namespace einkorn::test
