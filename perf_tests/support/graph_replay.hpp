// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <functional>
#include <memory>

namespace einkorn::perf {

/// An operation captured `copies` times over, one after another, in a CUDA graph. A replay is one launch, so
/// that what the host spends on each operation is out of the figure: as in a solver that replays its
/// iterations.
class GraphReplay {
 public:
  static constexpr int copies = 32;
  /// True where the backend has graphs: on CUDA.
  static bool available();

  /// Runs the work once, so that nothing is set up in the capture, then captures it. Throws what the work or
  /// CUDA says where it cannot be captured: work that fences, allocates or copies to the host, and Kokkos
  /// kernels that pass their arguments through constant memory (all that are not light_weight() and beyond 512
  /// bytes).
  GraphReplay(Exec const& exec, std::function<void()> const& work);

  /// Enqueues a replay.
  void operator()() const;

 private:
  Exec exec_;
  std::shared_ptr<void> graph_;  // cudaGraphExec_t
};

}  // namespace einkorn::perf
