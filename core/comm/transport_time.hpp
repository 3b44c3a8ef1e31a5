// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace einkorn {

/// What choose_transport() measured of one transport: seconds per call on the slowest rank, or why there are none.
struct TransportTime {
  std::string name;
  double gather_seconds =
      std::numeric_limits<double>::quiet_NaN();  ///< 5 doubles of every rank; NaN: not measured
  double exchange_seconds = std::numeric_limits<double>::quiet_NaN();  ///< 64 KiB with each of two ranks
  std::string error;  ///< why this transport is not available; empty if it is
};

/// The index of the transport with the smallest sum of both times, the first one of equal sums. Empty if none was measured.
[[nodiscard]] inline std::optional<std::size_t> fastest_transport(std::vector<TransportTime> const& times) {
  std::optional<std::size_t> fastest;
  auto best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < times.size(); ++i) {
    auto const sum = times[i].gather_seconds + times[i].exchange_seconds;
    if (!times[i].error.empty() || !(sum < best)) continue;
    best = sum;
    fastest = i;
  }
  return fastest;
}

}  // namespace einkorn
