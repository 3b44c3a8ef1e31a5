// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/formats/generate/counter_rng.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>
#include <einkorn/formats/generate/symmetric.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

namespace einkorn {

/// Coupled points of a grid: those that differ by one step along one axis (star: 5 points in 2-D, 7 in 3-D), or
/// by at most one step along every axis (box: 9 and 27 points).
enum class StencilShape { star, box };

/// Stencils on a grid of nx x ny x nz points (nz = 1: 2-D) with `unknowns` coupled unknowns per point.
/// Neighbours outside the grid are omitted. Symmetric (Hermitian), positive definite: see SymmetricValues.
///
/// Models discretised partial differential equations. Star: finite differences and volumes (atmosmod*,
/// thermal2, poisson3D). Box: trilinear finite elements and high-order stencils (HPCG). Box with 3 unknowns:
/// elasticity, rows of 81 entries in groups of three rows with equal columns (Flan_1565, audikw_1, ldoor). Rows
/// have nearly equal lengths and x is reused from cache, so that memory bandwidth limits a good kernel.
class Stencil {
 public:
  Stencil(std::int64_t nx, std::int64_t ny, std::int64_t nz, StencilShape shape, int unknowns,
          SymmetricValues const& values)
      : nx_(nx), ny_(ny), nz_(nz), unknowns_(unknowns), is_star_(shape == StencilShape::star), values_(values) {
    detail::require_enumerator(shape, StencilShape::box, "Stencil: shape");
  }

  class Row {
   public:
    KOKKOS_FUNCTION Row(Stencil const& grid, std::int64_t row)
        : index_(row), unknowns_(grid.unknowns_), is_star_(grid.is_star_), values_(grid.values_) {
      std::int64_t const point = row / unknowns_;
      std::int64_t const line = point / grid.nx_;
      point_ = point;
      x_ = axis(point % grid.nx_, grid.nx_, 1);
      y_ = axis(line % grid.ny_, grid.ny_, grid.nx_);
      z_ = axis(line / grid.ny_, grid.nz_, grid.nx_ * grid.ny_);
    }
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t length() const {
      return unknowns_ * (is_star_ ? x_.count + y_.count + z_.count - 2 : x_.count * y_.count * z_.count);
    }
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t column(std::int64_t k) const {
      if (unknowns_ == 1) return neighbour(static_cast<int>(k));
      int const nth = static_cast<int>(k) / unknowns_;
      return neighbour(nth) * unknowns_ + (static_cast<int>(k) - nth * unknowns_);
    }
    [[nodiscard]] KOKKOS_FUNCTION Numerator value(std::int64_t column) const {
      return values_.value(index_, column, *this);
    }

   private:
    /// The neighbours along one axis, including the point itself: `count` of them, `step` apart in index, of
    /// which `before` precede the point.
    struct Axis {
      int count, before;
      std::int64_t step;
    };
    KOKKOS_FUNCTION static Axis axis(std::int64_t position, std::int64_t extent, std::int64_t step) {
      int const before = position > 0 ? 1 : 0;
      return {before + 1 + (position + 1 < extent ? 1 : 0), before, step};
    }
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t neighbour(int k) const {
      return is_star_ ? on_star(k) : in_box(k);
    }
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t in_box(int k) const {
      int const line = k / x_.count;
      int const plane = line / y_.count;
      return point_ + (k - line * x_.count - x_.before) * x_.step +
             (line - plane * y_.count - y_.before) * y_.step + (plane - z_.before) * z_.step;
    }
    /// In the order of columns: -z, -y, -x, the point, +x, +y, +z.
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t on_star(int k) const {
      int const centre = z_.before + y_.before + x_.before;
      if (k < z_.before) return point_ - z_.step;
      if (k < z_.before + y_.before) return point_ - y_.step;
      if (k < centre) return point_ - x_.step;
      if (k == centre) return point_;
      int const x_after = x_.count - 1 - x_.before, y_after = y_.count - 1 - y_.before;
      if (k <= centre + x_after) return point_ + x_.step;
      return point_ + (k <= centre + x_after + y_after ? y_.step : z_.step);
    }

    std::int64_t index_, point_ = 0;
    int unknowns_;
    bool is_star_;
    Axis x_{}, y_{}, z_{};
    SymmetricValues values_;
  };

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_rows() const { return nx_ * ny_ * nz_ * unknowns_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_cols() const { return num_rows(); }
  [[nodiscard]] KOKKOS_FUNCTION Row row(std::int64_t index) const { return Row(*this, index); }

 private:
  std::int64_t nx_, ny_, nz_;
  int unknowns_;
  bool is_star_;
  SymmetricValues values_;
};

/// gen:stencil5:NXxNY, gen:stencil9:NXxNY, gen:stencil7:NXxNYxNZ, gen:stencil27:NXxNYxNZ,
/// gen:elasticity:NXxNYxNZ. Throws OverflowError if the number of unknowns exceeds 2^63 - 1.
[[nodiscard]] inline Stencil make_stencil(GeneratorSpec const& spec, bool with_imag) {
  bool const is_star = spec.kind.name == "stencil5" || spec.kind.name == "stencil7";
  int const unknowns = spec.kind.name == "elasticity" ? 3 : 1;
  std::int64_t rows = unknowns;
  for (auto const extent : spec.numbers) {
    require<OverflowError>(rows <= std::numeric_limits<std::int64_t>::max() / extent,
                           [&] { return spec.text + ": the number of rows does not fit any 64-bit type"; });
    rows *= extent;
  }
  return Stencil(spec.numbers[0], spec.numbers[1], spec.numbers.size() > 2 ? spec.numbers[2] : 1,
                 is_star ? StencilShape::star : StencilShape::box, unknowns,
                 SymmetricValues(spec.seed, with_imag));
}

}  // namespace einkorn
