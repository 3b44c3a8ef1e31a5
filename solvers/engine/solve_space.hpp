// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/captured_graph.hpp>
#include <einkorn/core/cooperative.hpp>
#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/core/fused_pass.hpp>
#include <einkorn/core/sum_partials.hpp>
#include <einkorn/solvers/engine/persistent.hpp>
#include <einkorn/solvers/engine/progress_flag.hpp>
#include <einkorn/solvers/engine/resident.hpp>
#include <einkorn/solvers/engine/tuning.hpp>
#include <einkorn/solvers/options.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace einkorn::detail {

/// The sums of an EpilogueWithDots over a y that is there.
template <class EpilogueOp, class Y>
struct GatherDots {
  using Sums = typename EpilogueOp::Sums;
  using Loaded = typename Y::non_const_value_type;

  EpilogueOp out;
  Y y;

  static KOKKOS_FORCEINLINE_FUNCTION bool begin() { return true; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const { return y(i); }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& value, bool, double* sums) const {
    out.accumulate(sums, i, value);
  }
};

/// y <- A x and the dot products of `out`: in one sweep where the operator has one, else y is read once more.
template <class Exec, class A, class EpilogueOp, class X, class Y>
void product_and_dots(Exec const& exec, A const& a, EpilogueOp const& out, X const& x, Y const& y) {
  if constexpr (requires { a.apply_fused(exec, out, x, y); }) {
    a.apply_fused(exec, out, x, y);
  } else if constexpr (!EpilogueOp::is_captured) {
    ++out.layout->launches;  // apply(), which no cooperative launch can take in
    if (!out.layout->dry_run) a.apply(exec, x, y);
    fused_pass(exec, "einkorn::solve[dots]", y.extent(0), static_cast<typename EpilogueOp::Sums const&>(out),
               GatherDots<EpilogueOp, Y>{out, y});
  }
}

/// GPU: takes the kernel of a product and only looks whether a cooperative launch can run it.
struct CanRun {
  bool& can;
  template <class Kernel>
  void operator()(Kernel const&, int, int) const {
    can = is_run_by_virtual_teams<Kernel> && has_x<Kernel>;
  }
};

/// body(entries) where an operator has its rows' entries (SpmvOperator::with_row_entries()).
template <class A, class Body>
void with_row_entries([[maybe_unused]] A const& a, [[maybe_unused]] Body const& body) {
  if constexpr (requires { a.with_row_entries(body); }) a.with_row_entries(body);
}

/// What the product of an operator needs of a workspace, on one execution-space instance.
struct ProductNeeds {
  std::size_t rows = 0;
  std::size_t partials = 0;  // doubles that its partial sums, and those of a vector pass, take
  int concurrency = 0;       // of the instance

  [[nodiscard]] std::string text() const {
    return std::to_string(rows) + " rows and " + std::to_string(partials) +
           " partial sums on an execution-space instance of concurrency " + std::to_string(concurrency);
  }
};

/// What every solver keeps between solves beside its vectors: its state in device memory, memory for partial
/// sums, the progress that the device publishes, and what a cooperative launch needs, where one is possible.
template <class State, class Vector, class Exec, bool with_w>
class SolveSpace {
 public:
  using Device = typename Exec::device_type;
  using Scalar = typename Vector::non_const_value_type;

  SolveSpace() = default;
  /// x and y: vectors of the product. has_loop: the solver can do its iterations in a cooperative launch.
  template <class A>
  SolveSpace(Exec const& exec, A const& a, Vector const& x, Vector const& y, SolverOptions const& options,
             bool has_loop)
      : state_(allocate<Kokkos::View<State*, Device>>(exec, "einkorn::SolveSpace::state", 2)),
        made_for_(needs(exec, a, x, y, &product_blocks_)),
        sums_(exec, made_for_.partials),
        progress_flag_(wants_history(options) ? history_size(options) : std::size_t(0)),
        initial_(options.callback ? allocate<Vector>(exec, "einkorn::SolveSpace::initial", x.extent(0))
                                  : Vector()) {
    if constexpr (is_cooperative<Exec>) {
      if (!has_loop || x.extent(0) == 0) return;
      constexpr auto rows = static_cast<std::size_t>(solver_tuning(arch_of<Exec>).rows_per_block);
      int const blocks = static_cast<int>(std::min<std::size_t>(x.extent(0) / rows + 1, 1 << 20));
      if constexpr (is_gpu<Exec>) share_out(exec, a, x.extent(0), blocks);
      if (resident_.exists()) handed_ = Handed(exec, x.extent(0));
      if (resident_.exists() || is_one_launch(exec, a, x, y)) cooperative_.emplace(exec, blocks);
    }
  }

  /// Throws InvalidArgument where the workspace has too little memory for this operator on this instance, or
  /// was made without history and the options want one. x, y: vectors of the product.
  template <class A>
  void require_fits(Exec const& exec, A const& a, Vector const& x, Vector const& y,
                    SolverOptions const& options, char const* name) const {
    auto const asked = needs(exec, a, x, y, nullptr);
    require<InvalidArgument>(asked.partials <= made_for_.partials, [&] {
      return std::string(name) + ": the workspace was made for an operator of " + made_for_.text() +
             ", this one has " + asked.text() + "; make the workspace with this operator and this instance";
    });
    require<InvalidArgument>(!wants_history(options) || progress_flag_.capacity() > 0, [&] {
      return std::string(name) +
             ": the workspace was made without keep_history and without a callback; make it with the options "
             "of the solve";
    });
    require<InvalidArgument>(!options.callback || initial_.extent(0) == x.extent(0), [&] {
      return std::string(name) +
             ": the workspace was made without a callback; make it with the options of the solve";
    });
  }
  /// A copy of x0 for solves with a callback, which may throw. [n], or empty.
  [[nodiscard]] Vector const& initial() const { return initial_; }

  /// There are two, for steps that read one and write the other.
  [[nodiscard]] State* state(int which = 0) const { return state_.data() + which; }
  [[nodiscard]] Kokkos::View<double*, Device> const& partials() const { return sums_.partials(); }
  [[nodiscard]] ProgressFlag<Exec> const& progress_flag() const { return progress_flag_; }
  [[nodiscard]] std::size_t bytes() const {
    return 2 * sizeof(State) + sums_.bytes() + progress_flag_.bytes() + handed_.bytes() +
           initial_.extent(0) * sizeof(Scalar) + (cooperative_ ? cooperative_->bytes() : 0);
  }
  /// Waits for everything on exec.
  [[nodiscard]] State read_state(Exec const& exec, State const* which) const {
    using Host = Kokkos::View<State*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    State state;
    auto const from = static_cast<std::size_t>(which - state_.data());
    Kokkos::deep_copy(exec, Host(&state, 1), Kokkos::subview(state_, Kokkos::pair(from, from + 1)));
    exec.fence("einkorn::solve: the state at the end");
    return state;
  }

  /// One sweep over n entries, and `step` with its sums.
  template <class Body, class Step>
  void run_pass(Exec const& exec, char const* label, std::size_t size, Body const& body,
                Step const& step) const {
    PartialsLayout layout;
    fused_pass(exec, label, size, typename Body::Sums{sums_.partials(), &layout}, body);
    sum_partials<Body::Sums::count>(exec, "einkorn::solve[sum]", sums_, layout.num_blocks, step);
  }
  /// One whose sums nobody needs.
  template <class Body>
  void run_pass(Exec const& exec, char const* label, std::size_t size, Body const& body) const {
    PartialsLayout layout;
    fused_pass(exec, label, size, typename Body::Sums{sums_.partials(), &layout}, body);
  }
  /// `step` with sums that are there.
  template <int count, class Step>
  void sum(Exec const& exec, Kokkos::View<double*, Device> const& partials, std::size_t num_blocks,
           Step const& step) const {
    sum_partials<count>(exec, "einkorn::solve[sum]", sums_, partials, num_blocks, step);
  }
  /// y <- A x and the partial sums of y.y, u.y; returns the number of num_blocks.
  template <class A>
  std::size_t product(Exec const& exec, A const& a, Vector const& u, Vector const& x, Vector const& y) const {
    PartialsLayout layout;
    product_and_dots(exec, a, out<false>(sums_.partials(), u, u, layout), x, y);
    return layout.num_blocks;
  }
  /// How many num_blocks a product has.
  [[nodiscard]] std::size_t product_blocks() const { return product_blocks_; }
  static constexpr int dots = 1 + components<Scalar>;

  /// y <- A x with y.y, u.y (and w.y, w.u), and `step` with these.
  template <bool uses_w, class A, class Step>
  void product(Exec const& exec, A const& a, Vector const& u, Vector const& w, Vector const& x, Vector const& y,
               Step const& step) const {
    PartialsLayout layout;
    product_and_dots(exec, a, out<uses_w>(sums_.partials(), u, w, layout), x, y);
    sum_partials<EpilogueOp<uses_w>::count>(exec, "einkorn::solve[sum]", sums_, layout.num_blocks, step);
  }

  /// Whether a solve is one cooperative launch. Decided from this operator: the workspace may have been made
  /// with another one. Throws InvalidArgument where Execution::persistent cannot be done.
  template <class A>
  [[nodiscard]] bool persists(Exec const& exec, A const& a, SolverOptions const& options, Vector const& x,
                              Vector const& y) const {
    std::size_t const rows = x.extent(0);
    bool const asked = options.execution == Execution::persistent;
    bool const resident = keeps_rows_of(exec, a);
    // No host reads the residuals while the kernel runs, so all of them need memory.
    bool const has_history =
        !options.keep_history || options.max_iterations < static_cast<std::int64_t>(progress_flag_.capacity());
    bool const can = cooperative_.has_value() && !options.callback && has_history &&
                     (resident || is_one_launch(exec, a, x, y));
    require<InvalidArgument>(!asked || can || rows == 0, [&] {
      if (!has_history)
        return "solve: Execution::persistent with keep_history: the workspace has memory for " +
               std::to_string(progress_flag_.capacity() - 1) + " iterations, max_iterations is " +
               std::to_string(options.max_iterations);
      return std::string(
          "solve: Execution::persistent needs an operator whose product is one launch without scratch (CSR by "
          "rows, ELL, SELL, DIA, bDIA) or whose rows fit on a GPU's chip, a workspace made with such an "
          "operator, a solver that has it (CG with fused scalars), and no callback");
    });
    bool const suits = rows <= solver_tuning(arch_of<Exec>).max_persistent_rows || resident;
    return can && (asked || (options.execution == Execution::automatic && suits));
  }
  /// Whether iterations are graph. Only products that are kernels of ours can be: another operator's apply()
  /// may do what no graph can hold, and so may a preconditioner's: not is_fused. Throws InvalidArgument
  /// when it is asked for and cannot be had.
  template <class A>
  [[nodiscard]] bool captures(SolverOptions const& options, A const& a, std::size_t rows,
                              bool is_fused = true) const {
    using Y = Vector;
    bool can =
        is_fused && can_capture<Exec> && requires(Exec const& exec, EpilogueOp<false> const& out, Y const& y) {
          a.apply_fused(exec, out, y, y);
        };
    if constexpr (requires { a.has_fused_apply(); }) can = can && a.has_fused_apply();
    bool const asked = options.execution == Execution::graph;
    require<InvalidArgument>(!asked || can,
                             "solve: Execution::graph needs CUDA or HIP, an operator with sweep(), and no "
                             "preconditioner but a diagonal in CG");
    return can && (asked || (options.execution == Execution::automatic &&
                             rows <= solver_tuning(arch_of<Exec>).max_recorded_rows));
  }
  /// Launches make_loop(q = A p, q = A x), each with q.q and p.q; where the blocks of a GPU can keep A's rows,
  /// make_loop(rows).
  template <class A, class MakeLoop>
  void persist(Exec const& exec, char const* label, A const& a, Vector const& p, Vector const& q,
               MakeLoop const& make_loop) const {
    if constexpr (is_gpu<Exec>)
      if (keeps_rows_of(exec, a)) return persist_resident(exec, label, a, make_loop);
    if constexpr (is_cooperative<Exec>) {
      auto cooperative = *cooperative_;
      PartialsLayout layout;
      auto const of_p = out<false>({}, p, p, layout);
      if constexpr (is_gpu<Exec>) {
        PersistentLaunch<Exec, MakeLoop> const run{exec, label, cooperative, make_loop};
        KernelCapture<EpilogueOp<false>, PersistentLaunch<Exec, MakeLoop>> const handed(of_p, run);
        if constexpr (requires { a.apply_fused(exec, handed, p, q); }) a.apply_fused(exec, handed, p, q);
      } else if constexpr (requires { a.apply_fused(exec, of_p, p, q); }) {
        using Product = HostProduct<EpilogueOp<false>::count>;
        auto const with_p = [&](HostParts const& p_parts) {
          auto const with_both = [&](HostParts const& x_parts) {
            launch_cooperative<persistent_shape>(exec, label, cooperative,
                                                 make_loop(Product{p_parts}, Product{x_parts}));
          };
          FunctionRef<void(HostParts const&)> const capture(with_both);
          PartialsLayout of_x{0, 0, false, &capture};
          a.apply_fused(exec, out<false>({}, p, p, of_x), make_loop.v.x, q);
        };
        FunctionRef<void(HostParts const&)> const capture(with_p);
        layout.capture = &capture;
        a.apply_fused(exec, of_p, p, q);
      }
    }
  }

 private:
  template <bool uses_w>
  using EpilogueOp = EpilogueWithDots<Scalar, typename Vector::const_type, uses_w>;
  struct Nothing {
    Nothing() = default;
    [[nodiscard]] static std::size_t bytes() { return 0; }
  };
  using Cooperative =
      typename std::conditional_t<is_cooperative<Exec>, std::type_identity<CooperativeSpace<Exec>>,
                                  std::type_identity<Nothing>>::type;

  using Handed = CooperativeVector<Exec, Scalar>;

  /// Whether the blocks of a cooperative launch can keep the rows of an operator, and how.
  template <class A>
  void share_out(Exec const& exec, A const& a, std::size_t num_rows, int blocks) {
    with_row_entries(a, [&]<class Entries>(Entries const& entries) {
      using Value = typename Entries::scalar_type;
      if (!ResidentShape::of<Scalar, Value>(exec, num_rows, 0, blocks).exists()) return;
      resident_ = ResidentShape::of<Scalar, Value>(exec, num_rows, entries.most(exec), blocks);
    });
  }
  /// Whether the blocks of a cooperative launch can keep the rows of this operator. Where the host does not
  /// know its longest row, the kernel looks, and refuses (ResidentRows::load()).
  template <class A>
  [[nodiscard]] bool keeps_rows_of(Exec const& exec, A const& a) const {
    bool keeps = false;
    if (!resident_.exists()) return keeps;
    with_row_entries(a, [&]<class Entries>(Entries const& entries) {
      using Value = typename Entries::scalar_type;
      if (resident_.template scratch<Scalar, Value>() > max_cooperative_scratch(exec)) return;
      keeps = !Entries::knows_max || entries.most(exec) <= static_cast<std::size_t>(resident_.width);
    });
    return keeps;
  }
  template <class A, class MakeLoop>
  void persist_resident(Exec const& exec, char const* label, A const& a, MakeLoop const& make_loop) const {
    with_row_entries(a, [&]<class Entries>(Entries const& entries) {
      using Rows = ResidentRows<Exec, Entries, Scalar>;
      auto cooperative = *cooperative_;
      launch_cooperative<CooperativeShape{ResidentShape::threads, 1}>(
          exec, label, cooperative, make_loop(Rows{entries, handed_, a.num_rows(), resident_}),
          CooperativeScratch{resident_.template scratch<Scalar, typename Entries::scalar_type>(),
                             resident_.blocks});
    });
  }
  template <bool uses_w>
  static EpilogueOp<uses_w> out(Kokkos::View<double*, Device> const& partials, Vector const& u, Vector const& w,
                                PartialsLayout& layout) {
    return EpilogueOp<uses_w>(typename EpilogueOp<uses_w>::Sums{partials, &layout}, Scalar(1), Scalar(0), u, w);
  }
  /// Whether the product of an operator is one launch that a cooperative one can take in.
  template <class A>
  static bool is_one_launch(Exec const& exec, A const& a, Vector const& x, Vector const& y) {
    bool can = false;
    PartialsLayout layout{0, 0, true};
    auto const counting = out<false>({}, x, x, layout);
    if constexpr (requires { a.apply_fused(exec, counting, x, y); }) {
      a.apply_fused(exec, counting, x, y);
      can = layout.launches == 1;
      if constexpr (is_gpu<Exec>) {
        can = false;
        CanRun const probe{can};
        KernelCapture<EpilogueOp<false>, CanRun> const handed(counting, probe);
        if (layout.launches == 1) a.apply_fused(exec, handed, x, y);
      }
    }
    return can;
  }
  /// What the product of `a` on exec needs: a dry run of its launches. product_blocks: their partial sums.
  template <class A>
  static ProductNeeds needs(Exec const& exec, A const& a, Vector const& x, Vector const& y,
                            std::size_t* product_blocks) {
    PartialsLayout of_product{0, 0, true}, of_pass{0, 0, true};
    auto const counting = out<with_w>({}, x, y, of_product);
    product_and_dots(exec, a, counting, x, y);
    using Body = GatherDots<EpilogueOp<with_w>, Vector>;
    fused_pass(exec, "", y.extent(0), typename Body::Sums{{}, &of_pass}, Body{counting, y});
    constexpr std::size_t max_sums = std::max(5, EpilogueOp<with_w>::count);  // 5: of the solvers' own passes
    if (product_blocks != nullptr) *product_blocks = of_product.num_blocks;
    return {
        x.extent(0),
        std::max(of_product.num_blocks * EpilogueOp<with_w>::count, of_pass.num_blocks * max_sums) + max_sums,
        static_cast<int>(exec.concurrency())};
  }
  /// Residuals that the device may write before the host has read them: those in flight, many times over; in a
  /// persistent solve, which excludes a callback, all of them.
  static std::size_t history_size(SolverOptions const& options) {
    std::int64_t const in_flight = std::int64_t(options.run_ahead) + 64;
    std::int64_t const largest = options.callback ? 1 << 15 : 1 << 20;
    return static_cast<std::size_t>(std::max(in_flight, std::min(options.max_iterations, largest - 1) + 1));
  }

  std::size_t product_blocks_ = 0;
  Kokkos::View<State*, Device> state_;
  ProductNeeds made_for_;
  SumSpace<Device> sums_;
  ProgressFlag<Exec> progress_flag_;
  Vector initial_;
  std::optional<Cooperative> cooperative_;
  ResidentShape resident_;
  Handed handed_;
};

}  // namespace einkorn::detail
