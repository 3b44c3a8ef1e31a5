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

/// Seconds per call of work: the fastest of `rounds` rounds. A round repeats work for about 2 ms.
template <class Exec, class Work>
double seconds_per_call(Exec const& exec, Work const& work, int rounds) {
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

/// As select(), with measured times: CSR and every format whose estimate is within `margin` of the fastest one
/// are converted to, one at a time, and timed on vectors allocated here.
///
/// @param A       num_rows x num_cols, of any shape; not validated
/// @param uses    number of SpMVs, more than 0; infinity: the conversion does not count
/// @param margin  ratio of estimated times up to which a format is measured
/// @throws as select(), and what the SpMV of CSR throws
///
/// A format whose conversion throws (FillLimit, OutOfMemory) is refused with that reason. Cost: two conversions
/// and several SpMVs per format; the memory of one more format at a time and of two vectors. Not deterministic:
/// the times, and so the choice, vary between runs.
template <class VectorScalar = void, class Formats = BuiltInFormats, ExecutionSpace Exec, class Scalar,
          class Ordinal, class Offset, class Device>
Selection select_by_measuring(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                              double uses = std::numeric_limits<double>::infinity(),
                              SelectOptions const& options = {}, double margin = 2.0) {
  using V = VectorScalarOr<VectorScalar, Scalar>;
  auto const estimated = select<V, Formats>(exec, A, uses, options);
  using Vector = Kokkos::View<V*, Device>;
  auto const x = allocate<Vector>(exec, "einkorn::select::x", static_cast<std::size_t>(A.num_cols));
  auto const y = allocate<Vector>(exec, "einkorn::select::y", static_cast<std::size_t>(A.num_rows));
  Kokkos::deep_copy(exec, x, V(1));
  double const limit = margin * estimated.candidates.front().seconds;
  std::vector<Estimate> measured;
  double csr_seconds = 0;
  for (auto candidate : estimated.candidates) {
    bool const is_csr = candidate.format == FormatName::csr;
    if (candidate.refused || (candidate.seconds > limit && !is_csr)) continue;
    try {
      auto const convert = [&] {
        return make_any_matrix<V, Formats>(exec, A, candidate.format,
                                           {.fill_limit = options.fill_limit, .checks = Checks::off});
      };
      convert();  // not timed: the first call in a process also loads device code
      exec.fence();
      Kokkos::Timer const timer;
      auto const F = convert();
      exec.fence();
      double const conversion_seconds = timer.seconds();
      candidate.seconds = detail::seconds_per_call(exec, [&] { spmv(exec, V(1), F, x, V(0), y); }, 3);
      candidate.conversion_spmvs = is_csr ? 0 : conversion_seconds;  // divided by csr_seconds below
      if (is_csr) csr_seconds = candidate.seconds;
    } catch (Error const& refusal) {
      if (is_csr) throw;  // no reference to compare with
      candidate.refused = true;
      candidate.what = refusal.what();
    }
    measured.push_back(candidate);
  }
  for (auto& candidate : measured) candidate.conversion_spmvs /= csr_seconds;
  auto result = detail::choose<Formats>(measured, uses, "measured");
  result.structure = estimated.structure;
  return result;
}

}  // namespace einkorn
