// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/comm/detail/kernel_halo.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/kernel_view.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/distributed/distributed_csr.hpp>
#include <einkorn/solvers/distributed/epilogues.hpp>
#include <einkorn/solvers/distributed/gathered_sums.hpp>
#include <einkorn/solvers/distributed/resident_ranks.hpp>
#include <einkorn/solvers/engine/solve_space.hpp>
#include <einkorn/solvers/operator.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace einkorn {

namespace detail {

/// Entry i: x(rows(i)).
template <class X, class Rows>
struct EntriesOfRows {
  X x;
  Rows rows;

  KOKKOS_FUNCTION typename X::non_const_value_type operator()(std::size_t i) const { return x(rows(i)); }
};

/// to[i] <- x(rows(i)).
template <class X, class Rows>
struct PackRows {
  EntriesOfRows<X, Rows> entries;
  typename X::non_const_value_type* to;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { to[i] = entries(i); }
};

template <class Exec, class X, class Rows>
void pack_rows(Exec const& exec, X const& x, Rows const& rows, typename X::non_const_value_type* to) {
  if (rows.extent(0) == 0) return;
  auto const entries = as_input(x);
  range_for<std::size_t>("einkorn::spmv[distributed,pack]", exec, rows.extent(0),
                         PackRows<std::decay_t<decltype(entries)>, Rows>{{entries, rows}, to});
}

/// Sets the bits of the rows.
template <class Rows, class Words>
struct MarkRows {
  Rows rows;
  Words words;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const row = static_cast<std::size_t>(rows(i));
    Kokkos::atomic_or(&words(row / 32), std::uint32_t(1) << (row % 32));
  }
};

/// Counts the rows of a Csr that have another entry than one in the column of their number, or several.
template <class Matrix>
struct CountOffDiagonal {
  Matrix A;

  KOKKOS_FUNCTION void operator()(std::size_t row, std::size_t& num_rows) const {
    using Offset = typename Matrix::offset_type;
    bool const is_diagonal = A.row_offsets(row) == static_cast<Offset>(row) &&
                             A.row_offsets(row + 1) == static_cast<Offset>(row + 1) &&
                             static_cast<std::size_t>(A.columns(row)) == row;
    if (!is_diagonal) ++num_rows;
  }
};

/// Reduces to the entries of the longest boundary row.
template <class Matrix>
struct LongestBoundaryRow {
  using Offsets = decltype(Matrix::local.row_offsets);
  Offsets local, ghost;
  decltype(Matrix::boundary_rows) rows;

  KOKKOS_FUNCTION void operator()(std::size_t b, std::size_t& longest) const {
    auto const row = static_cast<std::size_t>(rows(b));
    auto const length = static_cast<std::size_t>(local(row + 1) - local(row)) +
                        static_cast<std::size_t>(ghost(b + 1) - ghost(b));
    if (length > longest) longest = length;
  }
};

/// The product of a matrix without entries, whose formats accumulate no dot products.
struct ZeroOperator {
  template <class Exec, class X, class Y>
  void apply(Exec const& exec, X const&, Y const& y) const {
    Kokkos::deep_copy(exec, y, typename Y::non_const_value_type(0));
  }
};

}  // namespace detail

/// The product with a distributed matrix, for cg(), pcg(), bicgstab() and gmres(), which then solve one system on all
/// ranks:
///
///     y = local x + ghost g,   g: the entries of x that other ranks own
///
/// The exchange of g runs during the product with `local`; the boundary rows are completed afterwards. Dot
/// products are accumulated in the same two passes. Local: the operator of A.local, of any format. V: scalar of
/// the vectors.
///
/// num_rows() are the rows of this rank, vectors hold their entries only. Every function except the observers
/// is collective. Copies share the buffers: one product at a time. Made by make_distributed_operator().
///
/// Source: the splitting into local and ghost columns of Ginkgo's distributed matrix and hypre's ParCSR.
/// Departure: the dot products of rows without ghost columns are accumulated before the exchange has ended.
template <class V, class Exec, class Matrix, class Local>
class DistributedOperator {
 public:
  using Device = typename Matrix::device_type;

  /// As make_distributed_operator().
  DistributedOperator(Exec const& exec, Matrix const& A, std::shared_ptr<Transport<Exec>> transport,
                      Local local)
      : A_(A.communicator.collectively([&] { return A; })),  // copies lists of the host
        local_(std::move(local)),
        shared_(std::make_shared<Shared>(exec, A, std::move(transport))) {}

  [[nodiscard]] std::size_t num_rows() const { return static_cast<std::size_t>(A_.num_rows()); }
  [[nodiscard]] std::size_t num_cols() const { return num_rows(); }
  [[nodiscard]] std::int64_t num_global_rows() const { return A_.num_global_rows(); }
  /// The global row of row 0 of this rank.
  [[nodiscard]] std::int64_t first_row() const { return A_.first_row(); }
  [[nodiscard]] Communicator const& communicator() const { return A_.communicator; }
  [[nodiscard]] Transport<Exec> const& transport() const { return *shared_->transport; }
  [[nodiscard]] Matrix const& matrix() const { return A_; }
  [[nodiscard]] Local const& local() const { return local_; }
  [[nodiscard]] GatheredSums<Exec> const& gathered_sums() const { return shared_->sums; }

  /// The same for copies of this operator.
  [[nodiscard]] void const* identity() const { return shared_.get(); }
  /// Memory of persistent loops on all ranks, for vectors of V. Collective. Empty: not supported.
  /// @param blocks  of the cooperative launch of this rank; 0: its rows do not fit on the chip
  template <class Scalar>
  [[nodiscard]] auto connect_persistent_loops(Exec const& exec, int blocks) const {
    return detail::ResidentRanks<Exec, Scalar>::make(exec, *this, blocks);
  }
  /// As SpmvOperator::with_row_entries(), of the rows of this rank with their ghost columns (RankEntries).
  template <class Body>
  void with_row_entries(Body const& body) const {
    if (A_.local.nnz() == 0) return;
    detail::with_row_entries(local_, [&]<class Entries>(Entries const& entries) {
      using Ghost = std::decay_t<decltype(A_.ghost)>;
      using Rows = std::decay_t<decltype(A_.boundary_rows)>;
      body(detail::RankEntries<Entries, Ghost, Rows>{entries, A_.ghost, A_.boundary_rows, num_rows(),
                                                     shared_->longest_boundary_row});
    });
  }
  /// Whether the local operator has a fused product; of an AnyOperator, as the format has.
  [[nodiscard]] bool has_fused_apply() const {
    if constexpr (requires { local_.has_fused_apply(); })
      return local_.has_fused_apply();
    else
      return true;
  }

  /// y <- A x. x, y: [num_rows()], contiguous, without overlap. Waits on the host unless
  /// transport().is_stream_ordered().
  template <class X, class Y>
  void apply(Exec const& exec, X const& x, Y const& y) const {
    start_exchange(exec, x);
    local_.apply(exec, x, y);
    shared_->halo->finish(exec);
    using Sum = typename GhostPlan::Sum;
    add_ghosts(exec, Epilogue<Sum>{Sum(1), Sum(1)}, y);
  }

  /// y <- A x with the dot products of the epilogue (core/epilogue_with_dots.hpp).
  template <class EpilogueOp, class X, class Y>
  void apply_fused(Exec const& exec, EpilogueOp const& epilogue, X const& x, Y const& y) const {
    apply_local(exec, epilogue, x, y);
    EpilogueOp rest = epilogue;
    rest.beta = typename EpilogueOp::sum_type(1);
    add_ghosts(exec, rest, y);
  }
  /// apply_fused() without the boundary rows, which boundary_rows() completes. Their ghosts have arrived.
  template <class EpilogueOp, class X, class Y>
  void apply_local(Exec const& exec, EpilogueOp const& epilogue, X const& x, Y const& y) const {
    bool const runs = !epilogue.layout->dry_run;
    if (runs) start_exchange(exec, x);
    if (A_.ghost.num_rows == 0)
      multiply_local(exec, epilogue, x, y);
    else
      multiply_local(exec,
                     detail::InteriorDots<EpilogueOp, detail::RowMarks<Device>>(epilogue, shared_->has_ghosts),
                     x, y);
    if (runs) shared_->halo->finish(exec);
  }
  /// Whether boundary rows are so short that one thread per row is fast. The same on all ranks is not needed.
  [[nodiscard]] bool has_short_boundary_rows() const {
    auto const rows = static_cast<std::size_t>(A_.ghost.num_rows);
    return rows > 0 && static_cast<std::size_t>(A_.ghost.nnz()) <= 8 * rows;
  }
  /// The boundary rows as a source of SumPartials, after apply_local().
  /// @param local  the partial sums of apply_local()
  template <class EpilogueOp, class Y>
  [[nodiscard]] auto boundary_rows(detail::BlockSums<EpilogueOp::count> const& local,
                                   EpilogueOp const& epilogue, Y const& y) const {
    auto const target = detail::as_output(y);
    using Ghost = std::decay_t<decltype(A_.ghost)>;
    using Rows = std::decay_t<decltype(A_.boundary_rows)>;
    return detail::BoundaryRows<EpilogueOp, Ghost, Rows, Ghosts, std::decay_t<decltype(target)>>{
        local, epilogue, A_.ghost, shared_->ghost_is_diagonal, A_.boundary_rows, ghosts(), target};
  }

 private:
  using GhostPlan =
      decltype(make_spmv_plan<V>(std::declval<Exec const&>(), std::declval<Matrix const&>().ghost));
  using Ghosts = Kokkos::View<V const*, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  struct Shared {
    std::shared_ptr<Transport<Exec>> transport;
    std::unique_ptr<HaloChannel<Exec>> halo;
    GatheredSums<Exec> sums;
    GhostPlan ghost_plan;
    detail::RowMarks<Device> has_ghosts;
    std::size_t longest_boundary_row = 0;  // entries of local and ghost
    bool ghost_is_diagonal = false;        // row b of ghost has one entry, in column b: slabs of a 7-point grid
    Kokkos::View<V*, Device> unused;       // the y of the kernels of `ghost`, whose epilogue replaces it

    Shared(Exec const& exec, Matrix const& A, std::shared_ptr<Transport<Exec>> given)
        : transport(std::move(given)),
          halo(transport->open_halo(exec, A.halo.messages, sizeof(V))),
          sums(exec, *transport),
          ghost_plan(A.communicator.collectively([&] { return make_spmv_plan<V>(exec, A.ghost); })) {
      A.communicator.collectively([&] { allocate_rows(exec, A); });
    }
    void allocate_rows(Exec const& exec, Matrix const& A) {
      using Words = Kokkos::View<std::uint32_t*, Device>;
      auto const boundary = A.boundary_rows.extent(0);
      if (boundary == 0) return;
      unused = allocate<Kokkos::View<V*, Device>>(exec, "einkorn::DistributedOperator::unused", boundary);
      auto const words =
          allocate_zeros<Words>("einkorn::DistributedOperator::has_ghosts",
                                ceil_div<std::size_t>(static_cast<std::size_t>(A.num_rows()), 32));
      range_for<std::size_t>(
          "einkorn::DistributedOperator[marks]", exec, boundary,
          detail::MarkRows<std::decay_t<decltype(A.boundary_rows)>, Words>{A.boundary_rows, words});
      exec.fence("einkorn::make_distributed_operator");
      has_ghosts.words = words;
      auto const rows = allocate_on_host("einkorn::DistributedOperator::boundary_rows", A.boundary_rows);
      Kokkos::deep_copy(rows, A.boundary_rows);
      using Longest = detail::LongestBoundaryRow<Matrix>;
      range_reduce<std::size_t>("einkorn::DistributedOperator[longest]", exec, boundary,
                                Longest{A.local.row_offsets, A.ghost.row_offsets, A.boundary_rows},
                                Kokkos::Max<std::size_t>(longest_boundary_row));
      std::size_t off_diagonal = 0;
      if (static_cast<std::size_t>(A.ghost.nnz()) == boundary)
        range_reduce<std::size_t>("einkorn::DistributedOperator[diagonal]", exec, boundary,
                                  detail::CountOffDiagonal<std::decay_t<decltype(A.ghost)>>{A.ghost},
                                  Kokkos::Sum<std::size_t>(off_diagonal));
      ghost_is_diagonal = static_cast<std::size_t>(A.ghost.nnz()) == boundary && off_diagonal == 0;
      std::tie(has_ghosts.begin, has_ghosts.end) =
          detail::longest_gap(rows, static_cast<std::size_t>(A.num_rows()));
    }
  };

  template <class X>
  void start_exchange(Exec const& exec, X const& x) const {
    static_assert(
        std::is_same_v<typename X::non_const_value_type, V>,
        "einkorn::DistributedOperator: the vectors have another scalar than the operator was made for");
    auto& halo = *shared_->halo;
    if constexpr (is_gpu<Exec>)
      if (halo.start_in_kernel(exec, [&](Exec const& side, detail::KernelHalo const& exchange) {
            exchange_rows(side, exchange, x);
          }))
        return;
    detail::pack_rows(halo.pack_instance(exec), x, A_.send_rows, static_cast<V*>(halo.send_buffer()));
    halo.start(exec);
  }
  /// Packs and exchanges entries of x in one kernel.
  template <class X>
  void exchange_rows(Exec const& exec, detail::KernelHalo const& halo, X const& x) const {
    auto const entries = detail::as_input(x);
    using Source = detail::EntriesOfRows<std::decay_t<decltype(entries)>, std::decay_t<decltype(A_.send_rows)>>;
    using Kernel = detail::ExchangeKernel<Exec, V, Source>;
    auto const teams = Kernel::league_for(std::max(A_.send_rows.extent(0), halo.num_received));
    Kokkos::parallel_for("einkorn::spmv[distributed,exchange]",
                         light_weight(typename Kernel::Policy(exec, teams, Kernel::team_size)),
                         Kernel{halo, Source{entries, A_.send_rows}});
  }
  /// y <- local x with the dot products of the epilogue.
  template <class EpilogueOp, class X, class Y>
  void multiply_local(Exec const& exec, EpilogueOp const& epilogue, X const& x, Y const& y) const {
    if (A_.local.nnz() == 0)
      detail::product_and_dots(exec, detail::ZeroOperator(), epilogue, x, y);
    else
      detail::product_and_dots(exec, local_, epilogue, x, y);
  }
  [[nodiscard]] Ghosts ghosts() const {
    return Ghosts(static_cast<V const*>(shared_->halo->ghost_buffer()),
                  static_cast<std::size_t>(A_.num_ghosts()));
  }
  /// Adds ghost g to the boundary rows of y with an epilogue whose beta is 1.
  template <class EpilogueOp, class Y>
  void add_ghosts(Exec const& exec, EpilogueOp const& epilogue, Y const& y) const {
    if (A_.ghost.num_rows == 0) return;
    auto const target = detail::as_output(y);
    using Rows = std::decay_t<decltype(A_.boundary_rows)>;
    spmv_fused(
        exec, shared_->ghost_plan,
        detail::RowsOf<EpilogueOp, Rows, std::decay_t<decltype(target)>>(epilogue, A_.boundary_rows, target),
        ghosts(), shared_->unused);
  }

  Matrix A_;
  Local local_;
  std::shared_ptr<Shared> shared_;
};

/// The operator of a distributed matrix. Collective.
///
/// @param transport    how ranks exchange data; its communicator has the ranks of A
/// @param to_operator  to_operator(A.local) makes the operator of the local part, of any format:
///
///     make_distributed_operator<double>(exec, A, transport,
///         [&](auto const& local) { return make_operator<double>(exec, from_csr<Sell>(exec, local)); });
///
/// V: scalar of the vectors.
/// @throws InvalidArgument (transport: empty, or of another number of ranks), OutOfMemory, and what to_operator
/// throws: on all ranks
/// Cost: the plan of the ghost part; buffers for the entries sent and received; 1 bit per row. Fences exec.
template <class V, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device,
          class ToOperator>
auto make_distributed_operator(Exec const& exec, DistributedCsr<Scalar, Ordinal, Offset, Device> const& A,
                               std::type_identity_t<std::shared_ptr<Transport<Exec>>> transport,
                               ToOperator const& to_operator) {
  auto local = A.communicator.collectively([&] {
    require<InvalidArgument>(transport != nullptr, "make_distributed_operator: transport is empty");
    require<InvalidArgument>(transport->communicator().size() == A.communicator.size(), [&] {
      return "make_distributed_operator: transport has " + std::to_string(transport->communicator().size()) +
             " ranks, A has " + std::to_string(A.communicator.size());
    });
    return to_operator(A.local);
  });
  using Local = decltype(local);
  return DistributedOperator<V, Exec, DistributedCsr<Scalar, Ordinal, Offset, Device>, Local>(
      exec, A, std::move(transport), std::move(local));
}

/// The same with the local part as a Csr, whose values may change between solves.
template <class V, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
auto make_distributed_operator(Exec const& exec, DistributedCsr<Scalar, Ordinal, Offset, Device> const& A,
                               std::type_identity_t<std::shared_ptr<Transport<Exec>>> transport) {
  return make_distributed_operator<V>(exec, A, std::move(transport),
                                      [&](auto const& local) { return make_operator<V>(exec, local); });
}

}  // namespace einkorn
