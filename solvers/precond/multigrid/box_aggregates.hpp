// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/solvers/precond/multigrid/aggregate_members.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace einkorn::detail {

/// A box of x * y * z points, numbered x fastest: (i, j, k) is i + x (j + y k). 2-d: z = 1; 1-d: y = z = 1.
struct Grid {
  std::int64_t x = 0, y = 0, z = 0;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t size() const { return x * y * z; }
  friend bool operator==(Grid const&, Grid const&) = default;
};

/// The grid of box_aggregates(): max(1, floor(extent / width)) along each axis.
inline Grid coarse(Grid const& grid, int width = 3) {
  auto const extent = [width](std::int64_t fine) { return fine < width ? std::int64_t(1) : fine / width; };
  return {extent(grid.x), extent(grid.y), extent(grid.z)};
}

/// Counts the rows that are not those of a stencil on the grid.
template <class Matrix>
struct CountRowsOffGrid {
  using Ordinal = typename Matrix::ordinal_type;

  Matrix A;
  Grid grid;

  KOKKOS_FUNCTION void operator()(Ordinal row, std::int64_t& count) const {
    std::int64_t const extent[] = {grid.x, grid.y, grid.z}, stride[] = {1, grid.x, grid.x * grid.y};
    std::int64_t at[3], rest = static_cast<std::int64_t>(row);
    for (int d = 2; d >= 0; --d) {
      at[d] = rest / stride[d];
      rest -= at[d] * stride[d];
    }
    std::uint32_t required = 1u << 13, found = 0;  // bit 13 + sum over d of 3^d step_d, step_d = -1, 0, 1
    constexpr int weight[] = {1, 3, 9};
    for (int d = 0; d < 3; ++d) {
      if (at[d] > 0) required |= 1u << (13 - weight[d]);
      if (at[d] + 1 < extent[d]) required |= 1u << (13 + weight[d]);
    }
    for (auto k = A.row_begin(row); k < A.row_end(row); ++k) {
      std::int64_t column = static_cast<std::int64_t>(A.columns(k));
      int bit = 13;
      for (int d = 2; d >= 0; --d) {
        std::int64_t const other = column / stride[d], step = other - at[d];
        column -= other * stride[d];
        if (step < -1 || step > 1) {
          ++count;
          return;
        }
        bit += weight[d] * static_cast<int>(step);
      }
      found |= 1u << bit;
    }
    if ((found & required) != required) ++count;
  }
};

/// The grid with which the entries `columns` of the corner, row 0, of n rows are compatible; one of size 0 if
/// there is none. columns: ascending, positive, distinct.
inline Grid grid_of_corner(std::int64_t n, std::int64_t const* columns, int count) {
  if (count == 0 || columns[0] != 1) return {};
  std::int64_t const x = count > 1 ? columns[1] : n;
  int plane = 2;
  while (plane < count && columns[plane] <= x + 1) ++plane;
  std::int64_t const in_plane = plane < count ? columns[plane] : n;
  if (in_plane % x != 0 || n % in_plane != 0) return {};
  return {x, in_plane / x, n / in_plane};
}

/// The grid of a stencil matrix: every row stores its point and the neighbours along the axes inside the grid,
/// and nothing beyond the points that differ by at most 1 along every axis. This includes the 3-, 5-, 7-, 9-,
/// 19- and 27-point stencils without periodic boundaries, numbered x fastest. Empty for other matrices, and for
/// fewer than 2 rows.
///
/// @param A n x n, valid (validate()); rows may be unsorted
/// Extents follow from row 0, a corner; every row is verified, so the result is exact. An axis of extent 1 is
/// dropped: the extents other than 1 come first. A few adjacent diagonals may fit a narrow grid: 5 of them one of
/// 2 x n / 2 points. Cost: 2 copies of at most 128 bytes; 1 launch that reads the
/// pattern once, if row 0 is that of a corner. One thread per row. Fences exec. Deterministic.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
std::optional<Grid> find_grid(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  require_kokkos("find_grid");
  constexpr int max_corner = 8;  // entries of a corner
  auto const n = static_cast<std::int64_t>(A.num_rows);
  if (A.num_rows != A.num_cols || n < 2) return {};
  Offset end = 0;
  Kokkos::deep_copy(exec, end, Kokkos::subview(A.row_offsets, 1));
  exec.fence("einkorn::find_grid: the length of row 0 is read");
  if (end < 2 || end > max_corner) return {};
  Ordinal row[max_corner] = {};
  auto const size = static_cast<std::size_t>(end);
  Kokkos::deep_copy(exec, Kokkos::View<Ordinal*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(row, size),
                    Kokkos::subview(A.columns, std::pair<std::size_t, std::size_t>(0, size)));
  exec.fence("einkorn::find_grid: row 0 is read");
  std::int64_t columns[max_corner];
  int count = 0;
  for (std::size_t k = 0; k < size; ++k) {  // insertion, without repetitions
    auto const column = static_cast<std::int64_t>(row[k]);
    int at = count;
    while (at > 0 && columns[at - 1] > column) --at;
    if (column == 0 || (at > 0 && columns[at - 1] == column)) continue;
    for (int i = count++; i > at; --i) columns[i] = columns[i - 1];
    columns[at] = column;
  }
  Grid const grid = grid_of_corner(n, columns, count);
  if (grid.size() != n) return {};
  std::int64_t off_grid = 0;
  using Functor = CountRowsOffGrid<Csr<Scalar, Ordinal, Offset, Device>>;
  range_reduce<Ordinal>("einkorn::find_grid", exec, A.num_rows, Functor{A, grid}, off_grid);
  if (off_grid > 0) return {};
  return grid;
}

/// The `count` boxes of `width` points of an axis of `extent` points. The points that remain are in the first and the
/// last box.
struct BoxAxis {
  std::int64_t extent, count, width;

  /// The box of a point.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t box(std::int64_t at) const {
    std::int64_t const result = at < remaining_in_first() ? 0 : (at - remaining_in_first()) / width;
    return result < count ? result : count - 1;
  }
  /// The first point of a box; of box `count` the extent.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t begin(std::int64_t box) const {
    return box == 0 ? 0 : box == count ? extent : remaining_in_first() + box * width;
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t remaining_in_first() const { return (extent - count * width) / 2; }
};

/// of_node and the members of box_aggregates(). Box b of the grid c has the points of x0 <= x < x1, ..., in its list;
/// the boxes before b have z0 planes, y0 lines of z1 - z0 planes, and x0 points of (y1 - y0) (z1 - z0) lines.
template <class List>
struct FillBoxes {
  using Ordinal = typename List::non_const_value_type;

  BoxAxis x, y, z;
  List of_node, offsets, nodes;

  KOKKOS_FUNCTION void operator()(Ordinal v) const {
    auto const node = static_cast<std::int64_t>(v);
    std::int64_t const line = node / x.extent, plane = line / y.extent;
    std::int64_t const i = node - line * x.extent, j = line - plane * y.extent;
    std::int64_t const X = x.box(i), Y = y.box(j), Z = z.box(plane), box = X + x.count * (Y + y.count * Z);
    std::int64_t const x0 = x.begin(X), y0 = y.begin(Y), z0 = z.begin(Z);
    std::int64_t const width = x.begin(X + 1) - x0, height = y.begin(Y + 1) - y0, depth = z.begin(Z + 1) - z0;
    std::int64_t const offset = (z0 * y.extent + y0 * depth) * x.extent + x0 * height * depth;
    std::int64_t const rank = ((plane - z0) * height + j - y0) * width + i - x0;
    of_node(v) = static_cast<Ordinal>(box);
    nodes(offset + rank) = v;
    if (rank == 0) offsets(box) = static_cast<Ordinal>(offset);
    if (v == 0) offsets(x.count * y.count * z.count) = static_cast<Ordinal>(nodes.extent(0));
  }
};

template <class Ordinal, class Device>
struct BoxAggregates {
  Aggregates<Ordinal, Device> aggregates;
  AggregateMembers<Ordinal, Device> members;  // as members(exec, aggregates)
};

/// Boxes of `width` points along each axis as aggregates, numbered x fastest, of the grid c = coarse(grid, width).
/// The r = grid.x - width c.x points that remain along an axis are in its first and last box, r / 2 and r - r / 2,
/// so that no box is narrower than width unless the grid is. A prolongator smoothed once does not reach across a
/// wider box: with all r points in the last box, CG took 19 iterations instead of 16 on 110^3 points.
///
/// @param width >= 2. With 3 or more, a 27-point stencil on `grid` and one step of smoothing of the
/// prolongator give a 27-point stencil on coarse(grid, width): A P of a box reaches 2 points beyond the box, P
/// of another box 1 point.
/// @throws InvalidArgument (width, a grid with more points than Ordinal numbers), OutOfMemory
/// 1 launch, asynchronous. Source: own; Trottenberg, Oosterlee & Schueller, Multigrid, 2001, section 5.
template <class Ordinal, class Device, class Exec>
BoxAggregates<Ordinal, Device> box_aggregates(Exec const& exec, Grid const& grid, int width = 3) {
  require_kokkos("box_aggregates");
  require<InvalidArgument>(
      width >= 2, [&] { return "box_aggregates: width is " + std::to_string(width) + ", expected 2 or more"; });
  using List = Kokkos::View<Ordinal*, Device>;
  Grid const boxes = coarse(grid, width);
  BoxAggregates<Ordinal, Device> result;
  auto const size = static_cast<std::size_t>(grid.size());
  if (size == 0) return result;
  result.aggregates.count = static_cast<Ordinal>(boxes.size());
  result.aggregates.of_node = allocate<List>(exec, "einkorn::Aggregates::of_node", size);
  result.members.offsets =
      allocate<List>(exec, "einkorn::multigrid::bucket_offsets", static_cast<std::size_t>(boxes.size()) + 1);
  result.members.nodes = allocate<List>(exec, "einkorn::multigrid::bucket_items", size);
  range_for<Ordinal>("einkorn::box_aggregates", exec, static_cast<Ordinal>(grid.size()),
                     FillBoxes<List>{{grid.x, boxes.x, width},
                                     {grid.y, boxes.y, width},
                                     {grid.z, boxes.z, width},
                                     result.aggregates.of_node,
                                     result.members.offsets,
                                     result.members.nodes});
  return result;
}

}  // namespace einkorn::detail
