// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/captured_graph.hpp>
#include <einkorn/core/cooperative.hpp>
#include <einkorn/core/cooperative_vector.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/core/fused_pass.hpp>
#include <einkorn/core/kernel_view.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/sum_partials.hpp>
#include <einkorn/solvers/engine/persistent.hpp>
#include <einkorn/solvers/engine/product_and_dots.hpp>
#include <einkorn/solvers/engine/progress_flag.hpp>
#include <einkorn/solvers/engine/ranks.hpp>
#include <einkorn/solvers/engine/resident.hpp>
#include <einkorn/solvers/engine/tuning.hpp>
#include <einkorn/solvers/options.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace einkorn::detail {

/// What every solver keeps between solves besides its vectors: the state in device memory, memory for partial
/// sums, the progress flag, and memory for a cooperative launch where one is possible. with_w: products have
/// the dot products with a second vector.
template <class State, class Vector, class Exec, bool with_w>
class SolveSpace {
 public:
  using Device = typename Exec::device_type;
  using Scalar = typename Vector::non_const_value_type;

  SolveSpace() = default;
  /// x, y: vectors of the product. has_loop: the solver can run its iterations in a cooperative launch.
  template <class A>
  SolveSpace(Exec const& exec, A const& a, Vector const& x, Vector const& y, SolverOptions const& options,
             bool has_loop)
      : state_(allocate<Kokkos::View<State*, Device>>(exec, "einkorn::SolveSpace::state", 2)),
        requirements_(query(exec, a, x, y)),
        sums_(exec, requirements_.partials),
        deferred_(allocate<Kokkos::View<double*, Device>>(exec, "einkorn::SolveSpace::deferred",
                                                          requirements_.deferred)),
        progress_flag_(wants_history(options) ? history_size(options) : std::size_t(0)),
        initial_(options.callback ? allocate<Vector>(exec, "einkorn::SolveSpace::initial", x.extent(0))
                                  : Vector()) {
    if constexpr (is_cooperative<Exec>) {
      if (!has_loop || x.extent(0) == 0) return;
      constexpr auto rows = static_cast<std::size_t>(solver_tuning(arch_of<Exec>).rows_per_block);
      int const blocks = static_cast<int>(std::min<std::size_t>(x.extent(0) / rows + 1, 1 << 20));
      if constexpr (is_gpu<Exec>) plan_resident_rows(exec, a, x.extent(0), blocks);
      if constexpr (IsDistributed<A>) return;  // connect_ranks()
      if (resident_.exists()) exchange_ = Exchange(exec, x.extent(0));
      if (resident_.exists() || requirements_.is_one_kernel) cooperative_.emplace(exec, blocks);
    }
  }

  /// Connects the persistent loops of the ranks of a distributed operator. Collective.
  template <class A>
  void connect_ranks([[maybe_unused]] Exec const& exec, [[maybe_unused]] A const& a) {
    if constexpr (is_gpu<Exec> && IsDistributed<A> && requires { product_operator(a).identity(); }) {
      auto const ranks = product_operator(a).template connect_persistent_loops<Scalar>(exec, resident_.blocks);
      if (ranks == nullptr) return;
      exchange_ = ranks->exchange();
      cooperative_.emplace(ranks->slots());
      sends_ = ranks->sends();
      connected_operator_ = product_operator(a).identity();
      connection_ = ranks;
    }
  }
  /// The requirements of this operator on this instance. Throws InvalidArgument if the workspace has too little
  /// memory for them, or was made without the history or the callback that the options have. x, y: vectors of
  /// the product.
  template <class A>
  ProductRequirements require_fits(Exec const& exec, A const& a, Vector const& x, Vector const& y,
                                   SolverOptions const& options, char const* name) const {
    auto const requested = query(exec, a, x, y);
    bool const fits =
        requested.partials <= requirements_.partials && requested.deferred <= requirements_.deferred;
    require<InvalidArgument>(fits, [&] {
      return detail::joined(name, ": the workspace was made for an operator of ", requirements_.text(),
                            ", this one has ", requested.text(),
                            "; make the workspace with this operator and this instance");
    });
    require<InvalidArgument>(!wants_history(options) || progress_flag_.capacity() > 0, [&] {
      return detail::joined(name,
                            ": the workspace was made without keep_history and without a callback; make it "
                            "with the options of the solve");
    });
    require<InvalidArgument>(!options.callback || initial_.extent(0) == x.extent(0), [&] {
      return detail::joined(
          name, ": the workspace was made without a callback; make it with the options of the solve");
    });
    return requested;
  }
  /// Holds x0 in solves with a callback, which may throw. [n], or empty.
  [[nodiscard]] Vector const& initial() const { return initial_; }

  /// One of two states: the prologue of CG reads one and writes the other.
  [[nodiscard]] State* state(int which = 0) const { return state_.data() + which; }
  [[nodiscard]] Kokkos::View<double*, Device> const& partials() const { return sums_.partials(); }
  [[nodiscard]] ProgressFlag<Exec> const& progress_flag() const { return progress_flag_; }
  [[nodiscard]] std::size_t bytes() const {
    return 2 * sizeof(State) + sums_.bytes() + requirements_.deferred * sizeof(double) +
           progress_flag_.bytes() + exchange_.bytes() + values_.size() + initial_.extent(0) * sizeof(Scalar) +
           (cooperative_ ? cooperative_->bytes() : 0);
  }

  /// One pass over n entries, then `step` with its sums.
  template <class A, class Body, class Step>
  void run_pass(Exec const& exec, A const& a, char const* label, std::size_t size, Body const& body,
                Step const& step) const {
    auto const num_blocks = run_pass(exec, label, size, body);
    reduce<Body::Sums::count, 0>(exec, a, num_blocks, step);
  }
  /// Whether sums of a pass can be reduced together with those of the next product.
  template <class A>
  static constexpr bool can_defer_sums = IsDistributed<A> || is_gpu<Exec>;
  /// One pass whose sums are reduced by the next reduce() with as many deferred sums.
  template <class Body>
  void run_pass_deferred(Exec const& exec, char const* label, std::size_t size, Body const& body) const {
    PartialsLayout layout;
    fused_pass(exec, label, size, typename Body::Sums{deferred_, &layout}, body);
    num_deferred_blocks_ = layout.num_blocks;
  }
  /// One pass over n entries. Returns the number of blocks of partial sums.
  template <class Body>
  std::size_t run_pass(Exec const& exec, char const* label, std::size_t size, Body const& body) const {
    PartialsLayout layout;
    fused_pass(exec, label, size, typename Body::Sums{sums_.partials(), &layout}, body);
    return layout.num_blocks;
  }
  /// `step` with `num_deferred` sums of an earlier pass, then `count` totals of the partial sums of the last
  /// one. With a distributed operator the sums of all ranks are added: one message.
  template <int count, int num_deferred, class A, class Step>
  void reduce(Exec const& exec, [[maybe_unused]] A const& a, std::size_t num_blocks, Step const& step) const {
    reduce_source<num_deferred>(exec, a, BlockSums<count>{sums_.partials().data(), num_blocks}, step);
  }
  /// `step` with the totals of stored partial sums.
  template <int count, class Step>
  void sum(Exec const& exec, Kokkos::View<double*, Device> const& partials, std::size_t num_blocks,
           Step const& step) const {
    sum_partials<count>(exec, "einkorn::solve[sum]", sums_, partials, num_blocks, step);
  }
  /// y <- A x, and overwrites partials(): by the fused product, if any, so that no other is compiled. Distributed on a GPU by
  /// the operator's apply(), which does not read which rows have ghosts.
  template <class A>
  void apply(Exec const& exec, A const& a, Vector const& x, Vector const& y) const {
    PartialsLayout layout;
    auto const epilogue = make_epilogue<false>(sums_.partials(), x, x, layout);
    if constexpr (requires { a.apply_in_solve(exec, epilogue, x, y); })
      a.apply_in_solve(exec, epilogue, x, y);
    else if constexpr (!(IsDistributed<A> && is_gpu<Exec>) && requires { a.apply_fused(exec, epilogue, x, y); })
      a.apply_fused(exec, epilogue, x, y);
    else
      a.apply(exec, x, y);
  }
  /// y <- A x and the partial sums of y.y, u.y. Returns the number of blocks of partial sums.
  template <class A>
  std::size_t product(Exec const& exec, A const& a, Vector const& u, Vector const& x, Vector const& y) const {
    PartialsLayout layout;
    product_and_dots(exec, a, make_epilogue<false>(sums_.partials(), u, u, layout), x, y);
    return layout.num_blocks;
  }
  /// Blocks of partial sums of a product.
  [[nodiscard]] std::size_t product_blocks() const { return requirements_.num_blocks; }
  static constexpr int dots = 1 + components<Scalar>;

  /// y <- A x with y.y, u.y (and w.y, w.u), then `step` with these, after `num_deferred` sums of an earlier
  /// pass.
  template <bool uses_w, int num_deferred = 0, class A, class Step>
  void product(Exec const& exec, A const& a, Vector const& u, Vector const& w, Vector const& x, Vector const& y,
               Step const& step) const {
    PartialsLayout layout;
    auto const epilogue = make_epilogue<uses_w>(sums_.partials(), u, w, layout);
    constexpr int count = EpilogueOp<uses_w>::count;
    if constexpr (is_gpu<Exec> && requires { product_operator(a).has_short_boundary_rows(); })
      if (auto const& d = product_operator(a); d.has_short_boundary_rows()) {
        d.apply_local(exec, epilogue, x, y);
        BlockSums<count> const local{sums_.partials().data(), layout.num_blocks};
        return reduce_source<num_deferred>(exec, a, d.boundary_rows(local, epilogue, y), step);
      }
    product_and_dots(exec, a, epilogue, x, y);
    reduce<count, num_deferred>(exec, a, layout.num_blocks, step);
  }

  /// Whether a solve is one cooperative launch. requirements: those of `a`; the workspace may have been made
  /// with another operator. Throws InvalidArgument if Execution::persistent is requested and not supported.
  template <class A>
  [[nodiscard]] bool persists(Exec const& exec, A const& a, SolverOptions const& options,
                              ProductRequirements const& requirements) const {
    bool const requested = options.execution == Execution::persistent;
    bool const resident = fits_on_chip(exec, a);
    // The host reads no residuals while the kernel runs, so all of them need memory.
    bool const has_history =
        !options.keep_history || options.max_iterations < static_cast<std::int64_t>(progress_flag_.capacity());
    bool is_supported = cooperative_.has_value() && !options.callback && has_history &&
                        (resident || requirements.is_one_kernel);
    if constexpr (IsDistributed<A>)
      if (cooperative_.has_value()) is_supported = all_ranks_agree(a, is_supported && is_connected(a));
    // Of several ranks one may have no rows, and all throw or none.
    bool const is_empty = !IsDistributed<A> && requirements.rows == 0;
    require<InvalidArgument>(!requested || is_supported || is_empty, [&] {
      if (!has_history)
        return detail::joined("solve: Execution::persistent with keep_history: the workspace has memory for ",
                              progress_flag_.capacity() - 1, " iterations, max_iterations is ",
                              options.max_iterations);
      return std::string(
          "solve: Execution::persistent needs an operator whose vectors and columns fit on the chip (GPU: CSR, "
          "SELL without sorting, DIA, bDIA; distributed: PeerTransport) or whose product is one launch (host), "
          "a workspace made with this operator, CG with the fused recurrence, and no callback");
    });
    return is_supported && (requested || options.execution == Execution::automatic);
  }
  /// The iterations to capture in a graph; 0: none. Only fused products can be captured: apply() of another operator,
  /// or of a preconditioner (is_fused = false), may do what a graph cannot hold. Throws InvalidArgument if
  /// Execution::graph is requested and not supported.
  template <class A>
  [[nodiscard]] int iterations_per_graph(SolverOptions const& options, A const& a, std::size_t rows,
                                         bool is_fused = true) const {
    using Y = Vector;
    bool is_supported = is_fused && can_capture<Exec> &&
                        requires(Exec const& exec, EpilogueOp<false> const& epilogue, Y const& y) {
                          a.apply_fused(exec, epilogue, y, y);
                        };
    if constexpr (IsDistributed<A>) is_supported = is_supported && waits_on_device(a);
    auto const& product = product_operator(a);
    if constexpr (requires { product.has_fused_apply(); })
      is_supported = is_supported && product.has_fused_apply();
    bool const requested = options.execution == Execution::graph;
    require<InvalidArgument>(
        !requested || is_supported,
        "solve: Execution::graph needs CUDA or HIP, an operator with apply_fused() (distributed: and a "
        "transport "
        "that waits on the device, such as peer or nccl), and no preconditioner except a diagonal in CG");
    if (!is_supported || (!requested && options.execution != Execution::automatic)) return 0;
    constexpr auto tuning = solver_tuning(arch_of<Exec>);
    return rows <= tuning.max_rows_of_long_graph ? tuning.long_graph : tuning.short_graph;
  }
  /// Launches make_loop(rows) with A's rows on the chip of a GPU; on the host make_loop(q = A p, q = A x), each
  /// with q.q and p.q.
  template <class A, class MakeLoop>
  void persist(Exec const& exec, char const* label, A const& a, Vector const& p, Vector const& q,
               MakeLoop const& make_loop) const {
    if constexpr (is_gpu<Exec>) {
      persist_resident(exec, label, a, make_loop);
    } else if constexpr (is_cooperative<Exec> && !IsDistributed<A>) {
      auto cooperative = *cooperative_;
      PartialsLayout layout;
      auto const epilogue = make_epilogue<false>({}, p, p, layout);
      if constexpr (requires { a.apply_fused(exec, epilogue, p, q); }) {
        using Product = HostProduct<EpilogueOp<false>::count>;
        auto const with_p = [&](HostParts const& p_parts) {
          auto const with_both = [&](HostParts const& x_parts) {
            launch_cooperative(exec, label, cooperative, make_loop(Product{p_parts}, Product{x_parts}));
          };
          FunctionRef<void(HostParts const&)> const capture(with_both);
          PartialsLayout x_layout{0, 0, false, &capture};
          Vector const x(make_loop.v.x.data(), q.extent(0));  // the type of p: not compiled twice
          a.apply_fused(exec, make_epilogue<false>({}, p, p, x_layout), x, q);
        };
        FunctionRef<void(HostParts const&)> const capture(with_p);
        layout.capture = &capture;
        a.apply_fused(exec, epilogue, p, q);
      }
    }
  }

 private:
  /// `step` with `num_deferred` sums of an earlier pass, then those of a source.
  template <int num_deferred, class A, class Source, class Step>
  void reduce_source(Exec const& exec, [[maybe_unused]] A const& a, Source const& source,
                     Step const& step) const {
    BlockSums<num_deferred> const deferred{deferred_.data(), num_deferred_blocks_};
    if constexpr (IsDistributed<A>)
      a.gathered_sums().reduce(exec, sums_, deferred, source, step);
    else if constexpr (num_deferred > 0)
      sum_source(exec, "einkorn::solve[sum]", sums_,
                 SumsOfTwoPasses<BlockSums<num_deferred>, Source>{deferred, source}, step);
    else
      sum_source(exec, "einkorn::solve[sum]", sums_, source, step);
  }
  template <bool uses_w>
  using EpilogueOp = EpilogueWithDots<Scalar, KernelView<Vector, Scalar const>, uses_w>;

  using Exchange = CooperativeVector<Exec, Scalar>;

  /// Sets resident_ if a cooperative launch can keep its vectors and the columns of the operator in scratch, and the values
  /// there or in device memory.
  template <class A>
  void plan_resident_rows(Exec const& exec, A const& a, std::size_t num_rows, int blocks) {
    with_row_entries(a, [&]<class Entries>(Entries const& entries) {
      using Value = typename Entries::scalar_type;
      if (!ResidentShape::of<Scalar, Value>(exec, num_rows, 0, blocks).exists()) return;
      resident_ = ResidentShape::of<Scalar, Value>(exec, num_rows, entries.max_row_length(exec), blocks);
      values_ = allocate<decltype(values_)>(exec, "einkorn::SolveSpace::values",
                                            resident_.template streamed_bytes<Value>());
    });
  }
  /// Whether the rows of this operator fit into the resident shape. If the host does not know the longest row,
  /// the kernel checks it (ResidentRows::load()).
  template <class A>
  [[nodiscard]] bool fits_on_chip(Exec const& exec, A const& a) const {
    bool fits = false;
    auto const check = [&]<class Entries>(Entries const& entries) {
      using Value = typename Entries::scalar_type;
      fits =
          resident_.template scratch<Scalar, Value>() <= max_cooperative_scratch(exec) &&
          resident_.template streamed_bytes<Value>() <= values_.size() &&
          (!Entries::max_is_known || entries.max_row_length(exec) <= static_cast<std::size_t>(resident_.width));
    };
    if constexpr (is_gpu<Exec>)
      if (resident_.exists()) with_row_entries(a, check);
    return fits;
  }
  /// Whether connect_ranks() was called with this operator.
  template <class A>
  [[nodiscard]] bool is_connected([[maybe_unused]] A const& a) const {
    if constexpr (requires { product_operator(a).identity(); })
      return connected_operator_ == product_operator(a).identity();
    else
      return false;
  }
  template <class A, class MakeLoop>
  void persist_resident(Exec const& exec, char const* label, A const& a, MakeLoop const& make_loop) const {
    with_row_entries(a, [&]<class Entries>(Entries entries) {
      using Rows = ResidentRows<Exec, Entries, Scalar>;
      auto cooperative = *cooperative_;
      if constexpr (Rows::has_ranks) entries.sends = sends_;
      launch_cooperative<CooperativeShape{ResidentShape::threads, 1}>(
          exec, label, cooperative,
          make_loop(Rows{entries, exchange_, a.num_rows(), resident_,
                         reinterpret_cast<typename Entries::scalar_type*>(values_.data())}),
          CooperativeScratch{resident_.template scratch<Scalar, typename Entries::scalar_type>(),
                             resident_.blocks});
    });
  }
  template <bool uses_w>
  static EpilogueOp<uses_w> make_epilogue(Kokkos::View<double*, Device> const& partials, Vector const& u,
                                          Vector const& w, PartialsLayout& layout) {
    return EpilogueOp<uses_w>(typename EpilogueOp<uses_w>::Sums{partials, &layout}, Scalar(1), Scalar(0),
                              as_input(u), as_input(w));
  }
  /// What the product of `a` on exec needs: a dry run of its launches.
  template <class A>
  static ProductRequirements query(Exec const& exec, A const& a, Vector const& x, Vector const& y) {
    PartialsLayout product_layout{0, 0, true}, pass_layout{0, 0, true};
    auto const epilogue = make_epilogue<with_w>({}, x, y, product_layout);
    product_and_dots(exec, a, epilogue, x, y);
    dots_pass(exec, "", y, typename EpilogueOp<with_w>::Sums{{}, &pass_layout}, epilogue);
    constexpr std::size_t max_sums = std::max(5, EpilogueOp<with_w>::count);  // 5: of the solvers' own passes
    ProductRequirements result;
    result.rows = x.extent(0);
    result.partials =
        std::max(product_layout.num_blocks * EpilogueOp<with_w>::count, pass_layout.num_blocks * max_sums) +
        max_sums;
    result.num_blocks = product_layout.num_blocks;
    if constexpr (can_defer_sums<A>) result.deferred = pass_layout.num_blocks * max_deferred_sums;
    result.concurrency = static_cast<int>(exec.concurrency());
    if constexpr (!IsDistributed<A> && requires { a.apply_fused(exec, epilogue, x, y); })
      result.is_one_kernel = !is_gpu<Exec> && product_layout.launches == 1;
    return result;
  }

  Kokkos::View<State*, Device> state_;
  ProductRequirements requirements_;
  SumSpace<Device> sums_;
  // Partial sums of run_pass_deferred().
  Kokkos::View<double*, Device> deferred_;
  mutable std::size_t num_deferred_blocks_ = 0;
  ProgressFlag<Exec> progress_flag_;
  Vector initial_;
  std::optional<CooperativeSpaceIfAny<Exec>> cooperative_;
  ResidentShape resident_;
  Kokkos::View<unsigned char*, Device> values_;  // of a resident matrix, where they do not fit into scratch
  Exchange exchange_;
  // Of connect_ranks().
  ResidentSends sends_;
  std::shared_ptr<void const> connection_;
  void const* connected_operator_ = nullptr;
};

}  // namespace einkorn::detail
