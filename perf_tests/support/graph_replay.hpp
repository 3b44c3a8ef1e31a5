// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <functional>
#include <memory>

namespace einkorn::perf {

/// A CUDA graph with several copies of an operation in sequence: 32, fewer if they take more than a few
/// milliseconds. A replay is one launch, so its time excludes the cost of launches on the host, as in a solver
/// that replays its iterations.
class GraphReplay {
 public:
  /// Whether the backend has graphs: only CUDA.
  static bool available();

  /// Runs the work once, so that its initialization is not captured, then captures it.
  /// @throws std::runtime_error if the work cannot be captured: it fences, allocates or copies to the host, or
  /// a Kokkos kernel passes its arguments through constant memory (functors above 512 bytes without
  /// light_weight())
  GraphReplay(Exec const& exec, std::function<void()> const& work);

  /// Operations per replay.
  [[nodiscard]] int copies() const { return copies_; }
  /// Enqueues one replay.
  void operator()() const;

 private:
  Exec exec_;
  int copies_ = 1;
  std::shared_ptr<void> graph_;  // cudaGraphExec_t
};

}  // namespace einkorn::perf
