// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <concepts>
#include <type_traits>

namespace einkorn {

template <class Signature>
class FunctionRef;

/// A non-owning reference to a callable, a subset of std::function_ref of C++26. A function with a FunctionRef
/// parameter is compiled once, not once per callable. Host code only. Cost of a call: one indirect call.
/// @pre The callable outlives the reference.
template <class... Args>
class FunctionRef<void(Args...)> {
 public:
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, FunctionRef>) && std::invocable<F const&, Args...>
  FunctionRef(F const& f) : object_(&f), call_(&call<F>) {}

  void operator()(Args... args) const { call_(object_, static_cast<Args&&>(args)...); }

 private:
  template <class F>
  static void call(void const* object, Args... args) {
    (*static_cast<F const*>(object))(static_cast<Args&&>(args)...);
  }

  void const* object_;
  void (*call_)(void const*, Args...);
};

}  // namespace einkorn
