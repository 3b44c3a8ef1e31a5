// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/dots.hpp>
#include <einkorn/core/sum_partials.hpp>
#include <einkorn/core/vector_sweep.hpp>
#include <einkorn/solvers/detail/news.hpp>
#include <einkorn/solvers/options.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn::detail {

/// The sums of an UpdateAndDots over a y that is there.
template <class Out, class Y>
struct GatherDots {
  using Sums = typename Out::Sums;
  using Loaded = typename Y::non_const_value_type;

  Out out;
  Y y;

  static KOKKOS_FORCEINLINE_FUNCTION bool begin() { return true; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const { return y(i); }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& value, bool, double* sums) const {
    out.gather(sums, i, value);
  }
};

/// y <- A x and the dot products of `out`: in one sweep where the operator has one, else y is read once more.
template <class Exec, class A, class Out, class X, class Y>
void product_and_dots(Exec const& exec, A const& a, Out const& out, X const& x, Y const& y) {
  if constexpr (requires { a.sweep(exec, out, x, y); }) {
    a.sweep(exec, out, x, y);
  } else {
    if (!out.ledger->counts_only) a.apply(exec, x, y);
    vector_sweep(exec, "einkorn::solve[dots]", y.extent(0), static_cast<typename Out::Sums const&>(out),
                 GatherDots<Out, Y>{out, y});
  }
}

/// What every solver keeps between solves beside its vectors: its state in device memory, room for partial
/// sums, and the word from the device.
template <class State, class Exec>
class SolveSpace {
 public:
  using Device = typename Exec::device_type;

  SolveSpace() = default;
  SolveSpace(Exec const& exec, std::size_t most_partials, SolverOptions const& options)
      : state_(allocate<Kokkos::View<State*, Device>>(exec, "einkorn::SolveSpace::state", 1)),
        sums_(exec, most_partials, 1),
        news_(options.keep_history || options.callback ? history_room(options) : std::size_t(0)) {}

  [[nodiscard]] State* state() const { return state_.data(); }
  [[nodiscard]] SumSpace<Device> const& sums() const { return sums_; }
  [[nodiscard]] News<Exec> const& news() const { return news_; }
  [[nodiscard]] std::size_t bytes() const { return sizeof(State) + sums_.bytes() + news_.bytes(); }
  /// Waits for everything on exec.
  [[nodiscard]] State read_state(Exec const& exec) const {
    State state;
    Kokkos::deep_copy(exec,
                      Kokkos::View<State, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&state),
                      Kokkos::subview(state_, 0));
    exec.fence("einkorn::solve: the state at the end");
    return state;
  }

  /// One sweep over n entries, and `step` with its sums.
  template <class Body, class Step>
  void sweep(Exec const& exec, char const* label, std::size_t size, Body const& body, Step const& step) const {
    SumLedger ledger;
    sweep_only(exec, label, size, body, ledger);
    sum_partials<Body::Sums::count>(exec, std::string(label) + "[sum]", sums_, ledger.units, step);
  }
  template <class Body>
  void sweep_only(Exec const& exec, char const* label, std::size_t size, Body const& body,
                  SumLedger& ledger) const {
    vector_sweep(exec, label, size, typename Body::Sums{sums_.partials(), &ledger}, body);
  }
  /// y <- A x with y.y, u.y (and w.y), and `step` with these.
  template <bool with_w, class A, class U, class X, class Y, class Step>
  void product(Exec const& exec, A const& a, U const& u, U const& w, X const& x, Y const& y,
               Step const& step) const {
    using V = Kokkos::View<typename U::const_value_type*, Device>;
    using Out = UpdateAndDots<typename Y::non_const_value_type, V, with_w>;
    SumLedger ledger;
    Out const out(typename Out::Sums{sums_.partials(), &ledger}, 1, 0, u, w);
    product_and_dots(exec, a, out, x, y);
    sum_partials<Out::count>(exec, "einkorn::solve[product,sum]", sums_, ledger.units, step);
  }

  /// Doubles that the sums of a product, with w or without, and of a sweep over vectors need at most.
  template <bool with_w, class A, class U>
  static std::size_t most_partials(Exec const& exec, A const& a, U const& x, U const& y) {
    using V = Kokkos::View<typename U::const_value_type*, Device>;
    using Out = UpdateAndDots<typename U::non_const_value_type, V, with_w>;
    SumLedger of_product{0, true}, of_sweep{0, true};
    Out const out(typename Out::Sums{{}, &of_product}, 1, 0, x, y);
    product_and_dots(exec, a, out, x, y);
    using Body = GatherDots<Out, U>;
    vector_sweep(exec, "", y.extent(0), typename Body::Sums{{}, &of_sweep}, Body{out, y});
    constexpr std::size_t most_sums = 5;
    return std::max(of_product.units * Out::count, of_sweep.units * most_sums) + most_sums;
  }

 private:
  static std::size_t history_room(SolverOptions const& options) {
    return static_cast<std::size_t>(std::min<std::int64_t>(options.max_iterations, 1 << 20)) + 1;
  }

  Kokkos::View<State*, Device> state_;
  SumSpace<Device> sums_;
  News<Exec> news_;
};

}  // namespace einkorn::detail
