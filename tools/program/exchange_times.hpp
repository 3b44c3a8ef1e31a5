// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <algorithm>
#include <optional>

namespace einkorn::program {

/// Seconds per call on the slowest rank.
struct ExchangeTimes {
  double product = 0;           ///< with the exchange, during which the product with the local part runs
  double without_exchange = 0;  ///< the same kernels, no message
  double exchange = 0;          ///< the messages alone; 0 if no rank has one
  double local = 0;             ///< the product with the local part alone
};

/// The fraction of the exchange that overlaps with the product, at least 0 and at most 1:
///
///     1 - (product - without_exchange) / exchange
///
/// Empty if there is no exchange.
inline std::optional<double> hidden_fraction(ExchangeTimes const& times) {
  if (!(times.exchange > 0)) return {};
  return std::clamp(1 - (times.product - times.without_exchange) / times.exchange, 0.0, 1.0);
}

}  // namespace einkorn::program
