// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/formats/analysis/select.hpp>
#include <einkorn/formats/any_matrix.hpp>
#include <einkorn/formats/spmv_operands.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace einkorn {

namespace detail {

/// Seconds of one call of work, from `rounds` rounds of as many calls as take about 2 ms: the fastest round.
template <class Exec, class Work>
double seconds_a_call(Exec const& exec, Work const& work, int rounds) {
  auto const time = [&](int calls) {
    exec.fence();
    Kokkos::Timer const timer;
    for (int i = 0; i < calls; ++i) work();
    exec.fence();
    return timer.seconds() / calls;
  };
  time(1);
  int const calls = std::clamp(static_cast<int>(2e-3 / std::max(time(1), 1e-9)), 1, 200);
  double best = time(calls);
  for (int round = 1; round < rounds; ++round) best = std::min(best, time(calls));
  return best;
}

}  // namespace detail

/// As select(), but every format that the model puts within `margin` of the fastest, and CSR, is converted to,
/// one at a time, and timed on vectors of its own. Takes two conversions and a few SpMVs of each, and the
/// memory of one more format at a time. A format that cannot be had (FillLimit, OutOfMemory) is refused with
/// its reason. What is measured varies from run to run, and so may the choice: use select() where repeatability
/// matters. Throws as select() does, and what SpMV in CSR throws.
template <class VectorScalar = void, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset,
          class Device>
Selection select_by_measuring(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                              double uses = std::numeric_limits<double>::infinity(),
                              SelectOptions const& options = {}, double margin = 2.0) {
  using V = VectorScalarOr<VectorScalar, Scalar>;
  auto const by_model = select<V>(exec, A, uses, options);
  using Vector = Kokkos::View<V*, Device>;
  auto const x = allocate<Vector>(exec, "einkorn::select::x", static_cast<std::size_t>(A.num_cols));
  auto const y = allocate<Vector>(exec, "einkorn::select::y", static_cast<std::size_t>(A.num_rows));
  Kokkos::deep_copy(exec, x, V(1));
  double const limit = margin * by_model.candidates.front().seconds;
  std::vector<Estimate> measured;
  double csr_seconds = 0;
  for (auto candidate : by_model.candidates) {
    if (candidate.refused || (candidate.seconds > limit && candidate.format != FormatName::csr)) continue;
    try {
      auto const convert = [&] {
        return make_any_matrix<V>(exec, A, candidate.format,
                                  {.fill_limit = options.fill_limit, .checks = Checks::off});
      };
      convert();  // the first one of a program loads code as well
      exec.fence();
      Kokkos::Timer const conversion;
      auto const F = convert();
      exec.fence();
      double const conversion_seconds = conversion.seconds();
      candidate.seconds = detail::seconds_a_call(exec, [&] { spmv(exec, V(1), F, x, V(0), y); }, 3);
      candidate.conversion_spmvs =
          candidate.format == FormatName::csr ? 0 : conversion_seconds;  // in SpMVs below
      if (candidate.format == FormatName::csr) csr_seconds = candidate.seconds;
    } catch (Error const& refusal) {
      if (candidate.format == FormatName::csr) throw;  // nothing is left to compare with
      candidate.refused = true;
      candidate.what = refusal.what();
    }
    measured.push_back(candidate);
  }
  for (auto& candidate : measured) candidate.conversion_spmvs /= csr_seconds;
  auto result = detail::choose(measured, uses, "by measuring");
  result.structure = by_model.structure;
  return result;
}

}  // namespace einkorn
