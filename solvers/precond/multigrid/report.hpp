// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace einkorn {

/// A level of a multigrid hierarchy.
struct MultigridLevel {
  std::int64_t rows = 0, nnz = 0;
  std::string format;  ///< of its matrix; "inverse" for a dense inverse
  std::size_t bytes = 0;
  double spectral_radius = 0;  ///< of D^-1 A, estimated; 0 for a dense inverse
  bool has_boxes = false;      ///< aggregates are boxes of a grid
  bool is_smoothed = false;    ///< the prolongator is smoothed
};

/// Levels, the finest first, and the seconds of the steps of the last set-up or update.
struct MultigridReport {
  std::vector<MultigridLevel> levels;
  double smoother_seconds = 0;     ///< formats, diagonals, spectral radii
  double aggregate_seconds = 0;    ///< strength of connections, aggregates
  double prolongator_seconds = 0;  ///< tentative and smoothed prolongators
  double galerkin_seconds = 0;     ///< R A P
  double coarsest_seconds = 0;     ///< dense inverse
  double total_seconds = 0;
  int singular_rows = 0;  ///< pivots of the coarsest level at rounding level

  /// Entries of all levels per entry of the finest.
  [[nodiscard]] double operator_complexity() const { return ratio(&MultigridLevel::nnz); }
  /// Rows of all levels per row of the finest.
  [[nodiscard]] double grid_complexity() const { return ratio(&MultigridLevel::rows); }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (auto const& level : levels) sum += level.bytes;
    return sum;
  }

  /// The levels, complexities and seconds, one line each; ends with a line feed.
  [[nodiscard]] std::string table() const {
    char line[160];
    std::string text = "level        rows           nnz  nnz/row  format        MB  radius  transfer\n";
    int index = 0;
    for (auto const& level : levels) {
      double const rows = level.rows > 0 ? static_cast<double>(level.rows) : 1.0;
      bool const is_last = static_cast<std::size_t>(index + 1) == levels.size();
      std::snprintf(line, sizeof line, "%5d  %10lld  %12lld  %7.1f  %-8s  %6.1f  %6.3f  %s%s\n", index++,
                    static_cast<long long>(level.rows), static_cast<long long>(level.nnz),
                    static_cast<double>(level.nnz) / rows, level.format.c_str(),
                    static_cast<double>(level.bytes) * 1e-6, level.spectral_radius,
                    is_last             ? "-"
                    : level.is_smoothed ? "smoothed"
                                        : "plain",
                    !is_last && level.has_boxes ? ", boxes" : "");
      text += line;
    }
    std::snprintf(line, sizeof line, "operator complexity %.2f, grid complexity %.2f, %.1f MB\n",
                  operator_complexity(), grid_complexity(), static_cast<double>(bytes()) * 1e-6);
    text += line;
    std::snprintf(
        line, sizeof line,
        "set-up %.3g s: smoother %.3g, aggregates %.3g, prolongator %.3g, R A P %.3g, coarsest %.3g\n",
        total_seconds, smoother_seconds, aggregate_seconds, prolongator_seconds, galerkin_seconds,
        coarsest_seconds);
    return text + line;
  }

 private:
  [[nodiscard]] double ratio(std::int64_t MultigridLevel::* count) const {
    if (levels.empty() || levels[0].*count == 0) return 1;
    double sum = 0;
    for (auto const& level : levels) sum += static_cast<double>(level.*count);
    return sum / static_cast<double>(levels[0].*count);
  }
};

}  // namespace einkorn
