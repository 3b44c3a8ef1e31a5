// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <concepts>
#include <type_traits>

namespace einkorn {

template <class Signature>
class FunctionRef;

/// A reference to a callable without its type, for host code: what takes one is compiled once, not once per
/// callable. The callable must outlive it. Cost: one indirect call. A subset of C++26's std::function_ref.
template <class... Args>
class FunctionRef<void(Args...)> {
 public:
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, FunctionRef>) && std::invocable<F const&, Args...>
  FunctionRef(F const& f)
      : object_(&f), call_([](void const* object, Args... args) {
          (*static_cast<F const*>(object))(static_cast<Args&&>(args)...);
        }) {}

  void operator()(Args... args) const { call_(object_, static_cast<Args&&>(args)...); }

 private:
  void const* object_;
  void (*call_)(void const*, Args...);
};

}  // namespace einkorn
