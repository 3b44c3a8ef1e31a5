// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/solvers/precond/detail/blocks.hpp>
#include <einkorn/solvers/precond/detail/checks.hpp>
#include <einkorn/solvers/precond/detail/first_fault.hpp>
#include <einkorn/solvers/precond/detail/invert_blocks.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace einkorn {

struct BlockJacobiOptions {
  /// Rows per block, 1 .. 32; the last block may be smaller. Usually the unknowns per node.
  int block_size = 4;
};

namespace detail {

/// One row per thread: consecutive threads read consecutive values of a column of their block.
template <class Ordinal, class Blocks, class Inverses, class R, class Z>
struct ApplyBlockRow {
  using Sum = sum_type<typename Inverses::value_type, typename R::value_type>;
  Blocks blocks;
  Inverses inverses;
  R r;
  Z z;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    Ordinal const block = blocks.of_row(row), begin = blocks.begin(block);
    int const n = blocks.rows(block);
    auto const* const values = inverses.data() + blocks.values_at(block) + (row - begin);
    Sum sum(0);
    for (int j = 0; j < n; ++j) sum += Sum(values[j * n]) * Sum(r(begin + j));
    z(row) = typename Z::non_const_value_type(sum);
  }
};

}  // namespace detail

/// M = the diagonal blocks of A, of at most 32 rows each. Holds their inverses, dense, block after block, each
/// column-major: sum over blocks of n_k^2 Scalars, n b for n rows in blocks of b. Made by make_block_jacobi().
/// Source: Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., sections 4.1 and 10.2; Anzt, Dongarra,
/// Flegar & Quintana-Orti, Parallel Computing 81, 2019, who invert one block per warp by Gauss-Jordan.
/// Departures: the block is in scratch, not in registers; it is equilibrated; the inversion is in double for
/// every Scalar.
///
/// status(): non_finite (a row of a block has NaN or infinity), zero_pivot (a block is singular to working
/// precision: after equilibration its condition number exceeds 1 / (n_k epsilon) of double; or its inverse is
/// infinite in Scalar) with the row of the smallest pivot, or a zero row; indefinite_preconditioner (a diagonal
/// entry is not real and positive up to rounding, so that M is not definite; an indefinite M with a positive
/// diagonal is detected by the solver). A block with non_finite or zero_pivot becomes the identity, so that
/// apply() is defined. Entries outside the blocks are ignored.
template <class Scalar, class Ordinal, class Device>
class BlockJacobi {
 public:
  using scalar_type = Scalar;
  using device_type = Device;

  BlockJacobi() = default;
  /// As make_block_jacobi().
  template <ExecutionSpace Exec, class From, class Offset, class MatrixDevice>
  BlockJacobi(Exec const& exec, Csr<From, Ordinal, Offset, MatrixDevice> const& A,
              BlockJacobiOptions const& options)
      : uniform_{A.num_rows, options.block_size} {
    require_kokkos("make_block_jacobi");
    detail::require_square("make_block_jacobi", A.num_rows, A.num_cols);
    require<InvalidArgument>(options.block_size >= 1 && options.block_size <= detail::max_jacobi_block_rows,
                             [&] {
                               return "make_block_jacobi: block_size is " + std::to_string(options.block_size) +
                                      ", expected 1 .. " + std::to_string(detail::max_jacobi_block_rows);
                             });
    set_up(exec, A);
  }
  template <ExecutionSpace Exec, class From, class Offset, class MatrixDevice, Vector List>
  BlockJacobi(Exec const& exec, Csr<From, Ordinal, Offset, MatrixDevice> const& A, List const& block_offsets)
      : uniform_{A.num_rows, 0} {
    require_kokkos("make_block_jacobi");
    detail::require_square("make_block_jacobi", A.num_rows, A.num_cols);
    listed_ = detail::list_blocks<Ordinal, Device>(exec, A.num_rows, block_offsets);
    set_up(exec, A);
  }

  /// z <- M^-1 r: z_k = (A_kk)^-1 r_k for every block. r, z: [n]; z must not overlap r. Sums in sum_type of
  /// Scalar and r.
  /// @throws DimensionMismatch, InvalidArgument (overlap)
  /// Cost: 2 n b operations; reads the inverses (n b Scalars) and r, writes z; with listed blocks n + count
  /// Ordinals and count size_t more. 1 launch, asynchronous on exec, no allocation.
  template <ExecutionSpace Exec, Vector R, WritableVector Z>
  requires AccessibleFrom<R, Exec> && AccessibleFrom<Z, Exec> && (R::rank() == 1 && Z::rank() == 1)
  void apply(Exec const& exec, R const& r, Z const& z) const {
    detail::check_apply("BlockJacobi", num_rows(), r, z, false);
    if (num_rows() == 0) return;
    if (is_listed())
      apply_blocks(exec, listed_, r, z);
    else
      apply_blocks(exec, uniform_, r, z);
  }

  /// Inverts the same blocks of another matrix of this size.
  /// @throws DimensionMismatch
  /// Cost: reads the rows of A once, writes the inverses; 2 n b^2 operations. No allocation; fences exec.
  template <ExecutionSpace Exec, class From, class Offset, class MatrixDevice>
  void update(Exec const& exec, Csr<From, Ordinal, Offset, MatrixDevice> const& A) {
    detail::require_size("BlockJacobi::update", num_rows(), A);
    if (num_rows() == 0) return;
    Kokkos::Profiling::ScopedRegion region("einkorn::BlockJacobi::update");
    faults_.reset(exec);
    if (is_listed())
      detail::invert_blocks(exec, listed_, A, inverses_, faults_);
    else
      detail::invert_blocks(exec, uniform_, A, inverses_, faults_);
    status_ = faults_.status(exec);
  }
  template <ExecutionSpace Exec, CrsMatrixLike Matrix>
  void update(Exec const& exec, Matrix const& A) {
    update(exec, as_csr(A));
  }

  [[nodiscard]] std::int64_t num_rows() const { return static_cast<std::int64_t>(uniform_.num_rows); }
  [[nodiscard]] std::int64_t num_blocks() const {
    if (num_rows() == 0) return 0;
    return static_cast<std::int64_t>(is_listed() ? listed_.count() : uniform_.count());
  }
  /// Memory held: the inverses, 8 bytes for the status, and the lists of listed blocks.
  [[nodiscard]] std::size_t bytes() const {
    if (num_rows() == 0) return 0;
    return inverses_.extent(0) * sizeof(Scalar) + 8 + listed_.bytes();
  }
  [[nodiscard]] SetupStatus status() const { return status_; }
  /// "block_jacobi(4)"; "block_jacobi(listed)".
  [[nodiscard]] std::string name() const {
    return "block_jacobi(" + (is_listed() ? std::string("listed") : std::to_string(uniform_.size)) + ")";
  }

 private:
  [[nodiscard]] bool is_listed() const { return uniform_.size == 0; }

  template <class Exec, class Matrix>
  void set_up(Exec const& exec, Matrix const& A) {
    if (num_rows() == 0) return;
    inverses_ = allocate<Kokkos::View<Scalar*, Device>>(
        exec, "einkorn::BlockJacobi::inverses", is_listed() ? listed_.num_values() : uniform_.num_values());
    faults_ = detail::FirstFault<Device>(exec);
    update(exec, A);
  }

  template <class Exec, class Blocks, class R, class Z>
  void apply_blocks(Exec const& exec, Blocks const& blocks, R const& r, Z const& z) const {
    using Inverses = Kokkos::View<Scalar const*, Device>;
    range_for<Ordinal>("einkorn::BlockJacobi::apply", exec, uniform_.num_rows,
                       detail::ApplyBlockRow<Ordinal, Blocks, Inverses, R, Z>{blocks, inverses_, r, z});
  }

  detail::UniformBlocks<Ordinal> uniform_{0, 1};  // size 0: listed
  detail::ListedBlocks<Ordinal, Device> listed_;
  Kokkos::View<Scalar*, Device> inverses_;
  detail::FirstFault<Device> faults_;
  SetupStatus status_;
};

/// Inverts the diagonal blocks of a square A, rows 0 .. b - 1, b .. 2b - 1 and so on; duplicates are summed.
/// Blocks that cannot be inverted are reported by status(), not by an exception.
/// @pre A is valid (validate()); its rows need not be sorted.
/// @throws DimensionMismatch (not square), InvalidArgument (block_size), OutOfMemory
/// Cost: as update(), and two allocations.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
BlockJacobi<sum_type<Scalar>, Ordinal, Device> make_block_jacobi(Exec const& exec,
                                                                 Csr<Scalar, Ordinal, Offset, Device> const& A,
                                                                 BlockJacobiOptions const& options = {}) {
  return BlockJacobi<sum_type<Scalar>, Ordinal, Device>(exec, A, options);
}

/// The same for blocks of different sizes: block k has the rows block_offsets(k) .. block_offsets(k + 1) - 1, 0
/// to 32 of them.
/// @param block_offsets  [number of blocks + 1], any integer type, from 0 to n, non-decreasing; copied
/// @throws also InvalidArgument, which names the first invalid block
/// Fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, Vector List>
requires AccessibleFrom<List, Exec> &&
         (List::rank() == 1 && std::is_integral_v<typename List::non_const_value_type>)
BlockJacobi<sum_type<Scalar>, Ordinal, Device> make_block_jacobi(Exec const& exec,
                                                                 Csr<Scalar, Ordinal, Offset, Device> const& A,
                                                                 List const& block_offsets) {
  return BlockJacobi<sum_type<Scalar>, Ordinal, Device>(exec, A, block_offsets);
}

template <ExecutionSpace Exec, CrsMatrixLike Matrix, class OptionsOrList = BlockJacobiOptions>
auto make_block_jacobi(Exec const& exec, Matrix const& A, OptionsOrList const& options_or_list = {}) {
  return make_block_jacobi(exec, as_csr(A), options_or_list);
}

}  // namespace einkorn
