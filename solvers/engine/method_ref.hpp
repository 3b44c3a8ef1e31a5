// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/engine/convergence.hpp>
#include <einkorn/solvers/engine/ranks.hpp>

#include <concepts>

namespace einkorn::detail {

/// What the host calls of a method (CgMethod, PcgMethod, ...) during a solve, without its type: functions with a MethodRef
/// are compiled once for all methods. Non-owning. Captured launches use the same copy of the kernels as the launches before.
///
/// Method has start(), iteration(), true_residual(ResidualUse) and state(), a Progress on the device; may have finish_update(), if the next iteration reduces the
/// sums of an iteration, for the last one, and is_aligned(), whether a captured graph can be submitted.
/// Method::is_distributed: the operator method.a is. Method::may_launch_ahead: run_from_host().
class MethodRef {
 public:
  template <class Method>
  requires(!std::same_as<Method, MethodRef>)
  MethodRef(Method const& method)
      : method_(&method),
        start_(&start<Method>),
        iteration_(&iteration<Method>),
        true_residual_(&true_residual<Method>),
        progress_(&progress<Method>) {
    if constexpr (requires { method.finish_update(); }) finish_update_ = &finish_update<Method>;
    if constexpr (requires { method.is_aligned(); }) is_aligned_ = &is_aligned<Method>;
    is_distributed_ = Method::is_distributed;
    if constexpr (Method::is_distributed && requires { Method::may_launch_ahead; })
      launches_ahead_ = waits_on_device(method.a);
  }

  void start() const { start_(method_); }
  void iteration() const { iteration_(method_); }
  void true_residual(ResidualUse use) const { true_residual_(method_, use); }
  void finish_update() const {
    if (finish_update_ != nullptr) finish_update_(method_);
  }
  [[nodiscard]] bool is_aligned() const { return is_aligned_ == nullptr || is_aligned_(method_); }
  [[nodiscard]] bool is_distributed() const { return is_distributed_; }
  /// In device memory.
  [[nodiscard]] Progress const* progress() const { return progress_(method_); }
  /// Whether the ranks of a distributed method wait for each other on the device only and may launch iterations beyond
  /// the end.
  [[nodiscard]] bool launches_ahead() const { return launches_ahead_; }

 private:
  template <class Method>
  static Method const& as(void const* method) {
    return *static_cast<Method const*>(method);
  }
  template <class Method>
  static void start(void const* method) {
    as<Method>(method).start();
  }
  template <class Method>
  static void iteration(void const* method) {
    as<Method>(method).iteration();
  }
  template <class Method>
  static void true_residual(void const* method, ResidualUse use) {
    as<Method>(method).true_residual(use);
  }
  template <class Method>
  static void finish_update(void const* method) {
    as<Method>(method).finish_update();
  }
  template <class Method>
  static Progress const* progress(void const* method) {
    return as<Method>(method).state();
  }
  template <class Method>
  static bool is_aligned(void const* method) {
    return as<Method>(method).is_aligned();
  }

  void const* method_;
  void (*start_)(void const*);
  void (*iteration_)(void const*);
  void (*true_residual_)(void const*, ResidualUse);
  Progress const* (*progress_)(void const*);
  void (*finish_update_)(void const*) = nullptr;
  bool (*is_aligned_)(void const*) = nullptr;
  bool is_distributed_ = false, launches_ahead_ = false;
};

}  // namespace einkorn::detail
