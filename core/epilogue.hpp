// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/team_launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn {

/// The epilogue of a row of a product: y <- alpha sum + beta y as in BLAS. beta == 0 overwrites y, NaNs
/// included.
///
/// Kernels are written against this interface, so that EpilogueWithDots can accumulate dot products in the same
/// pass: a kernel passes each sum with its row and the accumulators of the thread, has the members that
/// TeamKernel (launch.hpp) lists, and is launched by launch() or launch_parts(). Epilogue accumulates nothing.
template <class Sum>
struct Epilogue {
  using sum_type = Sum;
  struct Accumulators {};
  static constexpr bool accumulates = false;

  Sum alpha, beta;

  template <class Target>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Target& y, Sum const& sum) const {
    if (beta == Sum(0))
      y = Target(alpha * sum);
    else
      y = Target(alpha * sum + beta * Sum(y));
  }
  /// Adds another partial sum of a row to which operator() was applied: y <- y + alpha rest.
  template <class Target>
  KOKKOS_FORCEINLINE_FUNCTION void add(Target& y, Sum const& rest) const {
    y = Target(Sum(y) + alpha * rest);
  }

  /// The operands of the epilogue of a row, loaded before the row is summed to hide their latency.
  struct Prefetched {};
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION static Prefetched prefetch(Row) {
    return {};
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Accumulators&, Target& y, Row, Sum const& sum,
                                              Prefetched = {}) const {
    (*this)(y, sum);
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void add(Accumulators&, Target& y, Row, Sum const& rest) const {
    add(y, rest);
  }

  template <class Policy, class Kernel>
  void launch(char const* label, Policy const& policy, Kernel const& kernel) const {
    launch_team_kernel(label, policy, kernel);
  }
  template <class Exec, class Index, class Kernel>
  void launch_parts(Exec const& exec, char const* label, Index num_parts, Kernel const& kernel) const {
    for_each_part(exec, label, static_cast<std::int64_t>(num_parts), [&kernel](std::int64_t part) {
      Accumulators unused{};
      kernel.run(static_cast<Index>(part), unused);
    });
  }
};

/// Entry i of a vector or (i, column) of a multivector.
template <class View, class Index>
KOKKOS_FORCEINLINE_FUNCTION typename View::reference_type entry(View const& view, Index i,
                                                                [[maybe_unused]] std::size_t column) {
  if constexpr (View::rank() == 1)
    return view(i);
  else
    return view(i, column);
}

/// Whether multivectors of these types can be row-major. Not LayoutLeft, so that kernels for row-major multivectors
/// are not compiled for it.
template <class... Views>
inline constexpr bool may_be_row_major =
    (!std::is_same_v<typename Views::array_layout, Kokkos::LayoutLeft> && ...);

/// True if the entries of each row of a multivector are contiguous. LayoutLeft: false, also for a single row.
template <class View>
bool is_row_major(View const& view) {
  return may_be_row_major<View> && view.stride(1) == 1;
}

namespace detail {

template <class Sum, class Y>
struct ScaleEntries {
  using Target = typename Y::value_type;

  Epilogue<Sum> epilogue;
  Y y;
  std::size_t columns;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    for (std::size_t j = 0; j < columns; ++j) {
      Target& target = entry(y, i, j);
      epilogue(target, Sum(0));
    }
  }
};

}  // namespace detail

/// y <- beta y; beta == 0 writes zeros. 1 launch, asynchronous on exec.
template <class Exec, class Y, class Sum>
void scale(Exec const& exec, Sum const& beta, Y const& y) {
  auto const columns = Y::rank() == 1 ? std::size_t(1) : y.extent(1);
  Epilogue<Sum> const epilogue{Sum(0), beta};
  range_for<std::size_t>("einkorn::scale", exec, y.extent(0),
                         detail::ScaleEntries<Sum, Y>{epilogue, y, columns});
}

}  // namespace einkorn
