// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/analysis/machine_model.hpp>
#include <einkorn/formats/analysis/structure.hpp>
#include <einkorn/formats/csr/choose_spmv.hpp>
#include <einkorn/formats/fill_limit.hpp>
#include <einkorn/formats/format_name.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace einkorn {

/// What one format is expected to cost for one matrix.
struct Estimate {
  FormatName format = FormatName::csr;
  double bytes = 0;             ///< that one SpMV moves
  double seconds = 0;           ///< of one SpMV
  double conversion_spmvs = 0;  ///< cost of from_csr, in SpMVs of CSR
  std::string what;             ///< what the figure rests on, or why the format is out of the question
  bool refused = false;
};

/// How a kernel does against the bytes that its format must move, and what its conversion costs.
struct FormatModel {
  double of_copy;           ///< fraction of the copy bandwidth that it reaches on large matrices
  double conversion_spmvs;  ///< in SpMVs of CSR
  int launches;             ///< a SpMV
};

namespace detail {

/// GPU: cold SpMVs in double on an H200, 2026-11, rows of 7, 27, 81 and 101 entries (stencil7:256,
/// stencil27:160, elasticity:80, band:1000000:101, blocks of 3 to 8), in float of 7, 27 and 81; uneven rows
/// from R-MAT graphs, circuits and webs. is_small: an uneven CSR goes by row_bins, in one launch. AMD takes the
/// same numbers, not measured.
constexpr FormatModel gpu_format_model(FormatName format, double mean, bool alike, double bands, bool is_narrow,
                                       bool is_small) {
  bool const is_short = mean <= 8, is_long = mean > 48;
  switch (format) {
    case FormatName::csr:
      if (!alike) return {mean < 4 ? 0.90 : 0.87, 0, is_small ? 1 : 2};
      return {(is_short ? 1.02 : is_long ? 0.97 : 0.98) * (is_narrow ? 0.88 : 1.0), 0, 1};
    case FormatName::csr5:
      return {mean < 4 ? 0.80 : is_short ? 0.87 : is_long ? 1.0 : 0.95, 5, 2};
    case FormatName::coo:
      return {is_narrow ? 0.51 : 0.70, 5, 2};
    case FormatName::ell:
      return {1.02, 9, 1};
    case FormatName::sell:
      return {(is_short ? 0.95 : is_long ? 1.05 : 0.99) * (alike ? 1.0 : 0.85), 5, 1};
    case FormatName::dia:
      return {(is_short ? 0.95 : 1.01) * (is_narrow ? 0.95 : 1.0), 5, 1};
    case FormatName::bdia:  // several narrow bands are multiplied as diagonals
      if (bands <= 1) return {is_narrow ? 1.0 : 1.07, 6, 1};
      return {(is_short ? 0.94 : mean / bands <= 16 ? 1.0 : 1.04) * (is_narrow ? 0.94 : 1.0), 6, 1};
    case FormatName::bsr:  // short block rows leave lanes without work
      return {(is_long ? 0.87 : 0.72) * (is_narrow ? 0.70 : 1.0), 15, 1};
    default:  // BRCV
      return {(is_long ? 0.55 : 0.60) * (is_narrow ? 0.85 : 1.0), 10, 1};
  }
}

/// Host: warm SpMVs in double on 2 cores of a Xeon with AVX-512, 2026-11 (stencil7:128, stencil27:80,
/// elasticity:40, band:200000:101; rmat:18 for rows that differ).
constexpr FormatModel host_format_model(FormatName format, double mean, bool alike) {
  bool const is_short = mean <= 8, is_long = mean > 48;
  switch (format) {
    case FormatName::csr:
      return {alike ? 0.80 : 0.52, 0, 1};
    case FormatName::csr5:
      return {!alike ? 0.41 : is_short ? 0.54 : is_long ? 0.75 : 0.62, 8, 1};
    case FormatName::coo:
      return {alike ? 0.85 : 0.49, 5, 1};
    case FormatName::ell:  // column by column: a long row is many streams
      return {is_short ? 1.1 : is_long ? 0.33 : 0.43, 9, 1};
    case FormatName::sell:
      return {!alike ? 0.48 : is_long ? 0.62 : 0.81, 9, 1};
    case FormatName::dia:
      return {1.15, 9, 1};
    case FormatName::bdia:
      return {1.17, 11, 1};
    case FormatName::bsr:
      return {is_long ? 0.65 : 0.75, 25, 1};
    default:  // BRCV
      return {alike ? 0.66 : 0.38, 10, 1};
  }
}

}  // namespace detail

/// `mean`: entries a row. alike: rows of like length, for which CSR gives whole rows to groups of lanes. bands:
/// runs of neighbouring diagonals. HYB is not in the tables: nobody estimates it.
constexpr FormatModel format_model(Arch arch, FormatName format, double mean, bool alike, double bands,
                                   std::size_t scalar_bytes, std::size_t nnz) {
  return arch == Arch::host ? detail::host_format_model(format, mean, alike)
                            : detail::gpu_format_model(format, mean, alike, bands, scalar_bytes < 8,
                                                       nnz <= max_row_bins_entries);
}

namespace detail {

inline std::string sentence(char const* format, auto... values) {
  char text[200];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

}  // namespace detail

/// The estimates of every format but HYB (SELL moves fewer bytes for the same matrices), by the bytes that each
/// must move and the tables above. sizes in bytes of a scalar of the matrix and of x and y, of an ordinal and
/// an offset. machine: the constants of the architecture, or what a profile says (machine_profile.hpp).
inline std::vector<Estimate> estimate_formats(Structure const& s, Arch arch, MachineModel const& machine,
                                              std::size_t scalar_bytes, std::size_t vector_scalar_bytes,
                                              std::size_t ordinal_bytes, std::size_t offset_bytes,
                                              double fill_limit = default_fill_limit) {
  using detail::sentence;
  auto const S = static_cast<double>(scalar_bytes), I = static_cast<double>(ordinal_bytes),
             P = static_cast<double>(offset_bytes);
  auto const m = static_cast<double>(s.num_rows), n = static_cast<double>(s.num_cols),
             nnz = static_cast<double>(s.nnz);
  double const vectors = (m + n) * static_cast<double>(vector_scalar_bytes);
  auto const longest_row = static_cast<double>(s.longest_row);
  bool const alike =
      arch == Arch::host ? longest_row <= 4.0 * s.mean_row + 32.0 : rows_suit_lanes(longest_row, s.mean_row);
  std::vector<Estimate> all;
  auto const add = [&](FormatName format, double matrix_bytes, std::string what, double fill) {
    auto const model = format_model(arch, format, s.mean_row, alike, static_cast<double>(s.num_bands),
                                    scalar_bytes, static_cast<std::size_t>(s.nnz));
    Estimate e;
    e.format = format;
    e.bytes = matrix_bytes + vectors;
    e.seconds = machine.launch_seconds * (1 + model.launches) +  // one for the way to full speed
                e.bytes / (machine.bytes_per_second * model.of_copy);
    auto const longest = static_cast<double>(s.longest_row);
    bool const a_thread_a_row = format == FormatName::ell || format == FormatName::sell;
    bool const lanes_by_mean = format == FormatName::bsr || format == FormatName::brcv;
    if (arch != Arch::host && a_thread_a_row) e.seconds = std::fmax(e.seconds, longest * 0.1e-6);
    if (arch != Arch::host && lanes_by_mean && !alike) e.seconds = std::fmax(e.seconds, longest * 0.06e-6);
    e.conversion_spmvs = model.conversion_spmvs;
    e.what = std::move(what);
    e.refused = fill > fill_limit || (s.nnz == 0 && format != FormatName::csr);
    if (s.nnz == 0)
      e.what = "a matrix without entries";
    else if (e.refused)
      e.what += sentence("; the fill limit is %.3g", fill_limit);
    all.push_back(std::move(e));
  };
  double const entries = std::fmax(nnz, 1.0);
  add(FormatName::csr, nnz * (S + I) + (m + 1) * P,
      alike ? "rows of like length" : "rows of very different lengths", 0);
  add(FormatName::csr5, nnz * (S + I) * 1.015, "equal tiles, 1.5 % of descriptors", 0);
  add(FormatName::coo, nnz * (S + 2 * I), "an index more an entry", 0);
  double const ell = m * static_cast<double>(s.longest_row);
  add(FormatName::ell, ell * (S + I), sentence("fill %.2f", ell / entries), ell / entries);
  bool const sorts = s.slice_fill > 1.05;
  double const sell = sorts ? s.sorted_slice_fill : s.slice_fill;
  add(FormatName::sell,
      nnz * sell * (S + I) + m / std::fmax(static_cast<double>(s.slice_rows), 1.0) * P + (sorts ? m * I : 0),
      sentence("slices of %lld rows, fill %.3f", static_cast<long long>(s.slice_rows), sell), sell);
  double const dia = m * static_cast<double>(s.num_diagonals);
  add(FormatName::dia, dia * S,
      sentence("%lld diagonals, fill %.2f", static_cast<long long>(s.num_diagonals), dia / entries),
      dia / entries);
  add(FormatName::bdia, dia * S,
      sentence("%lld diagonals in %lld bands, fill %.2f", static_cast<long long>(s.num_diagonals),
               static_cast<long long>(s.num_bands), dia / entries),
      dia / entries);
  std::size_t b = 2;
  auto const block_bytes = [&](std::size_t size) {
    auto const area = static_cast<double>(size * size);
    return s.block_fill[size] * (S + I / area);
  };
  for (std::size_t i = 3; i < s.block_fill.size(); ++i)
    if (block_bytes(i) < block_bytes(b)) b = i;
  add(FormatName::bsr, nnz * block_bytes(b) + m / static_cast<double>(b) * P,
      sentence("%zu x %zu blocks, fill %.2f", b, b, s.block_fill[b]), s.block_fill[b]);
  add(FormatName::brcv,
      nnz * S + static_cast<double>(s.stripe_columns) * I + static_cast<double>(s.num_stripes) * (I + 2 * P),
      sentence("%lld stripes of %.1f rows", static_cast<long long>(s.num_stripes),
               m / std::fmax(static_cast<double>(s.num_stripes), 1.0)),
      0);
  return all;
}

}  // namespace einkorn
