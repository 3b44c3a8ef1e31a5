// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/kernel_view.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

namespace einkorn::detail {

/// to[i k + j] <- x(rows(i), j).
template <class X, class Rows>
struct PackColumnsOfRows {
  X x;
  Rows rows;
  typename X::non_const_value_type* to;
  std::size_t width;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { to[i] = x(rows(i / width), i % width); }
};

/// y(rows(i), j) += alpha (ghost g)(i, j), one thread per entry of y.
template <class Matrix, class Rows, class Y, class Sum>
struct AddGhostProducts {
  using V = typename Y::non_const_value_type;
  using Offset = typename Matrix::offset_type;

  Matrix ghost;
  Rows rows;
  V const* g;
  Y y;
  Sum alpha;
  std::size_t width;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    using Ordinal = typename Matrix::ordinal_type;
    auto const row = static_cast<Ordinal>(i / width);
    auto const j = i % width;
    Sum sum(0);
    for (Offset p = ghost.row_begin(row); p < ghost.row_end(row); ++p)
      sum += Sum(ghost.values(p)) * Sum(g[static_cast<std::size_t>(ghost.columns(p)) * width + j]);
    auto& target = y(rows(row), j);
    target = V(Sum(target) + alpha * sum);
  }
};

/// The part of Y <- alpha A X + beta Y that reads entries of X of other ranks, for a DistributedCsr and
/// multivectors. One message per neighbour has the entries of all columns. Copies share the buffers: one product
/// at a time. V: scalar of X and Y.
template <class V, class Exec, class Matrix>
class GhostColumns {
 public:
  using Sum = sum_type<typename Matrix::scalar_type, V>;

  GhostColumns(Matrix const& A, std::shared_ptr<Transport<Exec>> transport)
      : A_(A), shared_(std::make_shared<Shared>(Shared{std::move(transport), {}})) {}

  /// Begins the exchange. Collective. x: [owned rows, k]
  template <class X>
  void start(Exec const& exec, X const& x) const {
    auto& halo = channel(exec, x.extent(1));
    auto const entries = as_input(x);
    auto const width = x.extent(1);
    using Pack = PackColumnsOfRows<std::decay_t<decltype(entries)>, std::decay_t<decltype(A_.send_rows)>>;
    if (auto const sent = A_.send_rows.extent(0) * width; sent > 0)
      range_for<std::size_t>("einkorn::spmv[distributed,pack_columns]", exec, sent,
                             Pack{entries, A_.send_rows, static_cast<V*>(halo.send_buffer()), width});
    halo.start(exec);
  }
  /// Ends the exchange and adds to the boundary rows of y. Collective. y: [owned rows, k]
  template <class Y>
  void finish(Exec const& exec, Sum alpha, Y const& y) const {
    auto& halo = channel(exec, y.extent(1));
    halo.finish(exec);
    auto const width = y.extent(1);
    if (A_.boundary_rows.extent(0) == 0 || alpha == Sum(0)) return;
    auto const target = as_output(y);
    using Add = AddGhostProducts<std::decay_t<decltype(A_.ghost)>, std::decay_t<decltype(A_.boundary_rows)>,
                                 std::decay_t<decltype(target)>, Sum>;
    range_for<std::size_t>(
        "einkorn::spmv[distributed,ghost_columns]", exec, A_.boundary_rows.extent(0) * width,
        Add{A_.ghost, A_.boundary_rows, static_cast<V const*>(halo.ghost_buffer()), target, alpha, width});
  }

 private:
  struct Shared {
    std::shared_ptr<Transport<Exec>> transport;
    std::map<std::size_t, std::unique_ptr<HaloChannel<Exec>>> channels;  // by the number of columns
  };

  HaloChannel<Exec>& channel(Exec const& exec, std::size_t width) const {
    auto& channel = shared_->channels[width];
    if (!channel) channel = shared_->transport->open_halo(exec, A_.halo.messages, width * sizeof(V));
    return *channel;
  }

  Matrix A_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace einkorn::detail
