// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/captured_graph.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/mix64.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/analysis/effort.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace einkorn::detail {

/// The present time in seconds, from any origin.
using Clock = std::function<double()>;

inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The seconds of one candidate: per SpMV, and of its setup (conversion or construction of the plan).
struct CandidateSeconds {
  double spmv = 0, setup = 0;
};

/// Limits the time spent measuring.
class TimeLimit {
 public:
  TimeLimit(double max_seconds, Clock clock)
      : clock_(std::move(clock)), max_seconds_(max_seconds), start_(clock_()) {}
  /// Whether work that takes `seconds` ends within the limit.
  [[nodiscard]] bool allows(double seconds) const { return clock_() - start_ + seconds <= max_seconds_; }

 private:
  Clock clock_;
  double max_seconds_, start_;
};

/// The kernel of fill_for_timing().
template <class Vector>
struct FillForTiming {
  using Scalar = typename Vector::non_const_value_type;
  using Real = real_type<Scalar>;
  static constexpr int digits = Kokkos::Experimental::digits_v<Real>;

  Vector x;

  /// 1/2 + k / 2^digits, where k is the upper digits - 1 bits of mix64(n).
  static KOKKOS_FORCEINLINE_FUNCTION Real number(std::uint64_t n) {
    constexpr double unit = 1.0 / static_cast<double>(std::uint64_t(1) << digits);
    return static_cast<Real>(0.5 + unit * static_cast<double>(mix64(n) >> (65 - digits)));
  }
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const n = 2 * static_cast<std::uint64_t>(i) + 1;
    if constexpr (is_complex<Scalar>)
      x(i) = Scalar(number(n), number(n + 1));
    else
      x(i) = number(n);
  }
};

/// Sets x(i) to a hash of i in [1/2, 1), exact in the type of x; real and imaginary parts differ. 1 launch; asynchronous on
/// a GPU. Products are timed with such an x. Its values do not matter: ELL, SELL and CSR take the same time with x = 1 or 0
/// (H200, 2026-11).
template <class Exec, class Vector>
void fill_for_timing(Exec const& exec, Vector const& x) {
  range_for<std::size_t>("einkorn::fill_for_timing", exec, x.extent(0), FillForTiming<Vector>{x});
}

inline constexpr int measuring_rounds = 3, max_measuring_rounds = 20;
inline constexpr double round_seconds = 2e-3;

/// Calls that take less are measured in a graph if possible: between launches, a GPU waits for the host, and short kernels
/// of all formats appear to take the time of a launch.
inline constexpr double max_captured_seconds = 50e-6;

/// Seconds per call of work: the fastest round. A round repeats work for about 2 ms. Rounds continue until three in
/// succession are not more than 2 % faster than those before: an idle GPU raises its clock rate meanwhile. If the work is
/// capturable, launched rounds end at the first below max_captured_seconds, and those of a graph follow.
/// @param is_capturable  whether work() meets the preconditions of CapturedGraph
template <class Exec, class Work>
double seconds_per_call(Exec const& exec, Work const& work, bool is_capturable) {
  auto const time = [&](auto const& run) {
    exec.fence();
    Kokkos::Timer const timer;
    run();
    exec.fence();
    return timer.seconds();
  };
  // Ends early at less than `enough` seconds per call.
  auto const fastest = [&](int calls, auto const& run, double enough) {
    double best = time(run);
    int not_faster = 1;
    for (int round = 1; best / calls >= enough && not_faster < measuring_rounds && round < max_measuring_rounds;
         ++round) {
      double const seconds = time(run);
      not_faster = seconds < 0.98 * best ? 1 : not_faster + 1;
      best = std::min(best, seconds);
    }
    return std::max(best / calls, 1e-9);  // a clock with coarse steps
  };
  time(work);
  int const calls = std::clamp(static_cast<int>(round_seconds / std::max(time(work), 1e-9)), 1, 200);
  auto const repeat = [&] {
    for (int i = 0; i < calls; ++i) work();
  };
  double const captured_below = can_capture<Exec> && is_capturable ? max_captured_seconds : 0;
  double const launched = fastest(calls, repeat, captured_below);
  if constexpr (can_capture<Exec>)
    if (launched < captured_below) {
      CapturedGraph<Exec> graph(exec, repeat);
      graph.submit(exec);
      return fastest(calls, [&] { graph.submit(exec); }, 0);
    }
  return launched;
}

/// The expected time of measuring a candidate whose setup takes setup_seconds and whose SpMV takes
/// spmv_seconds: two setups, two single calls and the rounds, without the two that a graph adds (4 ms).
inline double expected_measuring_seconds(double setup_seconds, double spmv_seconds) {
  return 2 * setup_seconds + 2 * spmv_seconds + measuring_rounds * std::max(round_seconds, spmv_seconds);
}

/// setup(), timed at its second call, as the first in a process also loads device code; then spmv(result), which may be
/// captured if is_capturable.
template <class Exec, class Setup, class Spmv>
CandidateSeconds measure_candidate(Exec const& exec, Setup const& setup, Spmv const& spmv, bool is_capturable) {
  setup();
  exec.fence();
  Kokkos::Timer const timer;
  auto const result = setup();
  exec.fence();
  double const setup_seconds = timer.seconds();
  return {seconds_per_call(exec, [&] { spmv(result); }, is_capturable), setup_seconds};
}

/// Throws InvalidArgument unless the options of a measurement are valid.
inline void check_measuring(std::string const& operation, Effort effort, double uses, double max_seconds) {
  require_enumerator(effort, Effort::exhaustive, (operation + ": effort").c_str());
  require<InvalidArgument>(
      uses > 0, [&] { return operation + ": uses is " + std::to_string(uses) + ", expected more than 0"; });
  require<InvalidArgument>(max_seconds >= 0, [&] {
    return operation + ": max_seconds is " + std::to_string(max_seconds) + ", expected 0 or more";
  });
}

}  // namespace einkorn::detail
