// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

namespace einkorn::detail {

/// Near-null vectors of a matrix of n rows, [n x k] with 1 <= k <= max_near_null: vectors v with A v of small
/// norm, which every coarse level represents.
template <class Scalar, class Device>
using NearNull = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Device>;

/// Kernels hold one number per near-null vector in registers.
inline constexpr int max_near_null = 16;

template <class Vectors>
struct FillConstants {
  Vectors vectors;
  std::size_t block_size;

  KOKKOS_FUNCTION void operator()(std::size_t row) const {
    using Scalar = typename Vectors::non_const_value_type;
    for (std::size_t c = 0; c < block_size; ++c) vectors(row, c) = Scalar(row % block_size == c ? 1 : 0);
  }
};

inline void require_block_size(char const* operation, int block_size, std::size_t num_rows) {
  require<InvalidArgument>(block_size >= 1 && block_size <= max_near_null, [&] {
    return std::string(operation) + ": block_size is " + std::to_string(block_size) + ", expected 1 .. " +
           std::to_string(max_near_null);
  });
  require<InvalidArgument>(num_rows % static_cast<std::size_t>(block_size) == 0, [&] {
    return std::string(operation) + ": block_size is " + std::to_string(block_size) +
           ", which does not divide the " + std::to_string(num_rows) + " rows";
  });
}

/// One constant vector per unknown of a node: entry (i, c) is 1 if i mod block_size = c, otherwise 0.
/// @returns [num_rows x block_size]
/// @throws InvalidArgument unless 1 <= block_size <= max_near_null and block_size divides num_rows
/// 1 launch, asynchronous.
template <class Scalar, class Device, class Exec>
NearNull<Scalar, Device> constant_near_null(Exec const& exec, std::size_t num_rows, int block_size) {
  require_block_size("multigrid", block_size, num_rows);
  auto const columns = static_cast<std::size_t>(block_size);
  auto const vectors =
      allocate<NearNull<Scalar, Device>>(exec, "einkorn::multigrid::near_null", num_rows, columns);
  range_for<std::size_t>("einkorn::multigrid[constant_near_null]", exec, num_rows,
                         FillConstants<NearNull<Scalar, Device>>{vectors, columns});
  return vectors;
}

/// The first entry of a View of rank 2, in the order of rows, that is not finite.
template <class Vectors>
struct FirstNonFinite {
  using Index = std::size_t;
  Vectors vectors;

  KOKKOS_FUNCTION void operator()(Index row, Index& first) const {
    for (Index c = 0; c < vectors.extent(1); ++c) {
      Index const at = row * vectors.extent(1) + c;
      if (!has_finite_parts(vectors(row, c)) && at < first) first = at;
    }
  }
};

/// Throws InvalidArgument, which names the first entry, unless all entries are finite. Fences exec.
template <class Exec, class Vectors>
void require_finite(Exec const& exec, char const* name, Vectors const& vectors) {
  constexpr auto none = std::numeric_limits<std::size_t>::max();
  std::size_t first = none;
  range_reduce<std::size_t>("einkorn::multigrid[require_finite]", exec, vectors.extent(0),
                            FirstNonFinite<Vectors>{vectors}, Kokkos::Min<std::size_t>(first));
  require<InvalidArgument>(first == none, [&] {
    return std::string("multigrid: ") + name + "(" + std::to_string(first / vectors.extent(1)) + ", " +
           std::to_string(first % vectors.extent(1)) + ") is not finite";
  });
}

/// Checks near-null vectors of a user.
/// @throws DimensionMismatch unless near_null has num_rows rows
/// @throws InvalidArgument unless it has 1 .. max_near_null columns and only finite entries, or for block_size
/// Fences exec.
template <class Exec, class Vectors>
void check_near_null(Exec const& exec, Vectors const& near_null, std::size_t num_rows, int block_size) {
  require_block_size("multigrid", block_size, num_rows);
  require<DimensionMismatch>(near_null.extent(0) == num_rows, [&] {
    return "multigrid: near_null has extent(0) = " + std::to_string(near_null.extent(0)) + ", expected " +
           std::to_string(num_rows) + " (rows of A)";
  });
  require<InvalidArgument>(near_null.extent(1) >= 1 && near_null.extent(1) <= max_near_null, [&] {
    return "multigrid: near_null has " + std::to_string(near_null.extent(1)) + " vectors, expected 1 .. " +
           std::to_string(max_near_null);
  });
  require_finite(exec, "near_null", near_null);
}

/// A box that contains all points.
struct BoundingBox {
  double low[3], high[3];
};

template <class Coordinates>
struct ExtendBox {
  using value_type = BoundingBox;
  Coordinates coordinates;
  int dimensions;

  KOKKOS_FUNCTION void init(BoundingBox& box) const {
    for (int c = 0; c < 3; ++c) {
      box.low[c] = Kokkos::Experimental::infinity_v<double>;
      box.high[c] = -Kokkos::Experimental::infinity_v<double>;
    }
  }
  KOKKOS_FUNCTION void join(BoundingBox& box, BoundingBox const& other) const {
    for (int c = 0; c < 3; ++c) {
      box.low[c] = other.low[c] < box.low[c] ? other.low[c] : box.low[c];
      box.high[c] = other.high[c] > box.high[c] ? other.high[c] : box.high[c];
    }
  }
  KOKKOS_FUNCTION void operator()(std::size_t node, BoundingBox& box) const {
    for (int c = 0; c < dimensions; ++c) {
      auto const x = static_cast<double>(coordinates(node, c));
      box.low[c] = x < box.low[c] ? x : box.low[c];
      box.high[c] = x > box.high[c] ? x : box.high[c];
    }
  }
};

template <class Coordinates, class Vectors>
struct FillRigidBodyModes {
  using Scalar = typename Vectors::non_const_value_type;
  Coordinates coordinates;
  Vectors vectors;
  double centre[3], scale;
  int dimensions;

  KOKKOS_FUNCTION void operator()(std::size_t node) const {
    double x[3] = {0, 0, 0};
    for (int c = 0; c < dimensions; ++c) x[c] = (static_cast<double>(coordinates(node, c)) - centre[c]) * scale;
    auto const d = static_cast<std::size_t>(dimensions), first = node * d;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t c = 0; c < vectors.extent(1); ++c) vectors(first + i, c) = Scalar(i == c ? 1 : 0);
    if (dimensions == 2) {
      vectors(first, 2) = Scalar(-x[1]);
      vectors(first + 1, 2) = Scalar(x[0]);
    } else {  // e_c x position for the axes c
      vectors(first + 1, 3) = Scalar(-x[2]);
      vectors(first + 2, 3) = Scalar(x[1]);
      vectors(first, 4) = Scalar(x[2]);
      vectors(first + 2, 4) = Scalar(-x[0]);
      vectors(first, 5) = Scalar(-x[1]);
      vectors(first + 1, 5) = Scalar(x[0]);
    }
  }
};

/// The rigid-body modes of an elastic body without supports: translations and linearised rotations. Row d v + i
/// is the displacement of node v in direction i. The rotations are about the centre of the bounding box, divided
/// by a power of two that makes the largest entry at most 1, so coordinates in the middle of a coarse binary grid
/// give exact modes.
/// @param coordinates [nodes x d], d = 2 or 3, real
/// @returns [2 nodes x 3] or [3 nodes x 6]
/// @throws InvalidArgument for another d or a coordinate that is not finite
/// 3 launches; fences exec. Deterministic.
template <class Scalar, class Device, class Exec, class Coordinates>
NearNull<Scalar, Device> rigid_body_modes(Exec const& exec, Coordinates const& coordinates) {
  require<InvalidArgument>(coordinates.extent(1) == 2 || coordinates.extent(1) == 3, [&] {
    return "multigrid: coordinates has extent(1) = " + std::to_string(coordinates.extent(1)) +
           ", expected 2 or 3";
  });
  require_finite(exec, "coordinates", coordinates);
  auto const nodes = coordinates.extent(0), d = coordinates.extent(1);
  auto const vectors = allocate<NearNull<Scalar, Device>>(exec, "einkorn::multigrid::near_null", nodes * d,
                                                          d == 2 ? std::size_t(3) : std::size_t(6));
  if (nodes == 0) return vectors;
  BoundingBox box;
  range_reduce<std::size_t>("einkorn::multigrid[bounding_box]", exec, nodes,
                            ExtendBox<Coordinates>{coordinates, static_cast<int>(d)}, box);
  FillRigidBodyModes<Coordinates, NearNull<Scalar, Device>> fill{
      coordinates, vectors, {0, 0, 0}, 1, static_cast<int>(d)};
  double radius = 0;
  for (std::size_t c = 0; c < d; ++c) {
    fill.centre[c] = box.low[c] / 2 + box.high[c] / 2;
    radius = std::max(radius, box.high[c] / 2 - box.low[c] / 2);
  }
  if (radius > 0) {
    int exponent = 0;
    std::frexp(radius, &exponent);
    fill.scale = std::ldexp(1.0, -std::max(exponent, -1000));
  }
  range_for<std::size_t>("einkorn::multigrid[rigid_body_modes]", exec, nodes, fill);
  return vectors;
}

}  // namespace einkorn::detail
