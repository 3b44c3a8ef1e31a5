// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/sort_rows.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace einkorn::detail {

/// The largest number of rows per node.
inline constexpr int max_node_rows = 16;

/// |A_ij| > theta sqrt(|A_ii|) sqrt(|A_jj|), which is |A_ij|^2 > theta^2 |A_ii| |A_jj| without overflow. False
/// for NaN.
/// @param norm |A_ij|, an absolute value or the Frobenius norm of a block
/// @param scale_i sqrt(|A_ii|), see strength_scales()
KOKKOS_FORCEINLINE_FUNCTION bool is_strong(double norm, double scale_i, double scale_j, double theta) {
  return norm > theta * scale_i * scale_j;
}

/// The blocks of a matrix with sorted rows; a node is `block_size` <= max_block consecutive rows. Repeated
/// positions add up, in double. Norms are absolute values (block_size 1) or Frobenius norms.
template <class Matrix, int max_block>
struct BlockRows {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  Ordinal block_size;

  [[nodiscard]] KOKKOS_FUNCTION Ordinal rows_per_node() const {
    if constexpr (max_block == 1)
      return 1;
    else
      return block_size;
  }
  [[nodiscard]] KOKKOS_FUNCTION Ordinal node_of(Offset k) const { return A.columns(k) / rows_per_node(); }

  /// Calls visit(j, |A_ij|) for the stored blocks of block row i, by ascending j.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_block(Ordinal i, Visit const& visit) const {
    auto const rows = rows_per_node();
    Offset at[max_block], end[max_block];
    for (Ordinal r = 0; r < rows; ++r) {
      at[r] = A.row_begin(i * rows + r);
      end[r] = A.row_end(i * rows + r);
    }
    for (;;) {
      Ordinal next = -1;
      for (Ordinal r = 0; r < rows; ++r)
        if (at[r] < end[r] && (next < 0 || node_of(at[r]) < next)) next = node_of(at[r]);
      if (next < 0) return;
      double norm = 0;
      for (Ordinal r = 0; r < rows; ++r) norm = add_entries(at[r], end[r], next, norm);
      visit(next, norm);
    }
  }

  /// |A_ii|; 0 if no entry is stored.
  [[nodiscard]] KOKKOS_FUNCTION double diagonal_norm(Ordinal i) const {
    auto const rows = rows_per_node();
    double norm = 0;
    for (Ordinal r = 0; r < rows; ++r) {
      Ordinal const row = i * rows + r;
      Offset at = lower_bound_index(A.columns, A.row_begin(row), A.row_end(row), i * rows);
      norm = add_entries(at, A.row_end(row), i, norm);
    }
    return norm;
  }

 private:
  /// hypot(norm, the entries of block column j from `at` on); moves `at` behind them.
  KOKKOS_FUNCTION double add_entries(Offset& at, Offset end, Ordinal j, double norm) const {
    while (at < end && node_of(at) == j) {
      Ordinal const column = A.columns(at);
      double sum = 0;
      for (; at < end && A.columns(at) == column; ++at) sum += static_cast<double>(A.values(at));
      if constexpr (max_block == 1)
        norm = Kokkos::fabs(sum);
      else
        norm = Kokkos::hypot(norm, sum);
    }
    return norm;
  }
};

template <class Rows, class Scales>
struct FillStrengthScales {
  Rows rows;
  Scales scales;

  KOKKOS_FUNCTION void operator()(typename Rows::Ordinal i) const {
    scales(i) = Kokkos::sqrt(rows.diagonal_norm(i));
  }
};

/// The scales of strength: scales(i) = sqrt(|A_ii|). 1 launch, asynchronous.
template <class Exec, class Matrix, int max_block>
auto strength_scales(Exec const& exec, BlockRows<Matrix, max_block> const& rows) {
  using Ordinal = typename Matrix::ordinal_type;
  using Scales = Kokkos::View<double*, typename Matrix::device_type>;
  Ordinal const num_nodes = rows.A.num_rows / rows.rows_per_node();
  auto const scales = allocate<Scales>(exec, "einkorn::strength::scales", static_cast<std::size_t>(num_nodes));
  range_for<Ordinal>("einkorn::strength[scales]", exec, num_nodes,
                     FillStrengthScales<BlockRows<Matrix, max_block>, Scales>{rows, scales});
  return scales;
}

template <class Matrix>
void check_strength(char const* operation, Matrix const& A, double threshold, int block_size) {
  static_assert(!is_complex<typename Matrix::scalar_type>,
                "einkorn: multigrid needs a matrix of real scalars (float or double)");
  require_kokkos(operation);
  require_square(operation, A.num_rows, A.num_cols);
  require<InvalidArgument>(std::isfinite(threshold) && threshold >= 0, [&] {
    return std::string(operation) + ": threshold is " + std::to_string(threshold) + ", expected 0 or more";
  });
  require<InvalidArgument>(1 <= block_size && block_size <= max_node_rows, [&] {
    return std::string(operation) + ": block_size is " + std::to_string(block_size) + ", expected 1 .. " +
           std::to_string(max_node_rows);
  });
  require<DimensionMismatch>(A.num_rows % static_cast<typename Matrix::ordinal_type>(block_size) == 0, [&] {
    return std::string(operation) + ": A has " + std::to_string(A.num_rows) +
           " rows, expected a multiple of block_size = " + std::to_string(block_size);
  });
}

/// Calls body(BlockRows) for A with sorted rows: A itself or a sorted copy.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class Body>
auto with_block_rows(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, int block_size,
                     Body const& body) {
  using Matrix = Csr<std::remove_const_t<Scalar> const, Ordinal, Offset, Device>;
  Matrix const sorted = is_sorted_by_column(exec, A) ? Matrix(A) : Matrix(sort_rows(exec, A));
  if (block_size == 1) return body(BlockRows<Matrix, 1>{sorted, 1});
  return body(BlockRows<Matrix, max_node_rows>{sorted, static_cast<Ordinal>(block_size)});
}

template <class Rows, class Scales>
struct CountWeakBlocks {
  using Ordinal = typename Rows::Ordinal;

  Rows rows;
  Scales scales;
  double theta;

  KOKKOS_FUNCTION void operator()(Ordinal i, std::int64_t& weak) const {
    double const scale = scales(i);
    rows.for_each_block(i, [&](Ordinal j, double norm) {
      if (j != i && !is_strong(norm, scale, scales(j), theta)) ++weak;
    });
  }
};

/// The number of weak off-diagonal blocks (i, j), |A_ij|^2 <= theta^2 |A_ii| |A_jj|.
/// @param A n x n, valid (validate()); a node is `block_size` consecutive rows
/// @param threshold theta >= 0
/// @throws DimensionMismatch, InvalidArgument, OutOfMemory
/// Reads A once and its columns once more; fences exec. Deterministic.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
std::int64_t count_weak(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, double threshold,
                        int block_size = 1) {
  check_strength("count_weak", A, threshold, block_size);
  if (A.num_rows == 0) return 0;
  return with_block_rows(exec, A, block_size, [&](auto const& rows) {
    auto const scales = strength_scales(exec, rows);
    using Functor = CountWeakBlocks<std::decay_t<decltype(rows)>, std::decay_t<decltype(scales)>>;
    std::int64_t weak = 0;
    range_reduce<Ordinal>("einkorn::strength[count weak]", exec, A.num_rows / static_cast<Ordinal>(block_size),
                          Functor{rows, scales, threshold}, weak);
    return weak;
  });
}

}  // namespace einkorn::detail
