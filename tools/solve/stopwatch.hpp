// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/types.hpp"

#include <Kokkos_Core.hpp>

namespace einkorn::tools {

/// Seconds of work on an execution space instance. lap() fences it.
class Stopwatch {
 public:
  explicit Stopwatch(Exec const& exec) : exec_(exec) {}
  double lap() {
    exec_.fence("einkorn-solve: stopwatch");
    double const seconds = timer_.seconds();
    timer_.reset();
    return seconds;
  }

 private:
  Exec exec_;
  Kokkos::Timer timer_;
};

}  // namespace einkorn::tools
