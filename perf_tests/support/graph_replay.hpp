// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <functional>
#include <memory>

namespace einkorn::perf {

/// An operation captured several times over, one after another, in a CUDA graph: 32 times, or as often as takes
/// a few milliseconds. A replay is one launch, so that what the host spends on each operation is out of the
/// figure: as in a solver that replays its iterations.
class GraphReplay {
 public:
  /// True where the backend has graphs: on CUDA.
  static bool available();

  /// Runs the work once, so that nothing is set up in the capture, then captures it. Throws what the work or
  /// CUDA says where it cannot be captured: work that fences, allocates or copies to the host, and Kokkos
  /// kernels that pass their arguments through constant memory (all that are not light_weight() and beyond 512
  /// bytes).
  GraphReplay(Exec const& exec, std::function<void()> const& work);

  /// Operations a replay.
  [[nodiscard]] int copies() const { return copies_; }
  /// Enqueues a replay.
  void operator()() const;

 private:
  Exec exec_;
  int copies_ = 1;
  std::shared_ptr<void> graph_;  // cudaGraphExec_t
};

}  // namespace einkorn::perf
