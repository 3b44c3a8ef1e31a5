// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/analysis/machine_model.hpp>
#include <einkorn/formats/analysis/structure_types.hpp>
#include <einkorn/formats/csr/choose_spmv.hpp>
#include <einkorn/formats/fill_limit.hpp>
#include <einkorn/formats/format_list.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace einkorn {

/// The expected or measured cost of one format for one matrix.
struct Estimate {
  FormatName format = FormatName::csr;
  double bytes = 0;             ///< that one SpMV moves
  double seconds = 0;           ///< per SpMV
  double conversion_spmvs = 0;  ///< cost of from_csr, in SpMVs of CSR
  std::string what;             ///< the property that the estimate depends on, or the reason of the refusal
  bool refused = false;
};

/// Whether no row is much longer than the mean. CSR then assigns whole rows to groups of lanes (GPU) or of
/// consecutive rows to threads (host).
constexpr bool uniform_row_lengths(Arch arch, double longest_row, double mean_row_length) {
  return arch == Arch::host ? longest_row <= 4.0 * mean_row_length + 32.0
                            : rows_suit_lanes(longest_row, mean_row_length);
}

/// Bytes of a CSR up to which select() estimates only ELL and SELL to be faster on a GPU, where fits_cached_rows() holds: the
/// matrix stays in the second-level cache, where latency counts more than bytes. H200, 2026-11, in a graph, double: of 24
/// matrices up to here another format was faster by 5 % or more on 5: ELL by 9 to 19 %, SELL by 11 %. H100: 31 diagonals of
/// 20000 rows took 10.0 us in DIA and 4.2 in CSR. 7 points of 64^3, 22 MB: DIA 5.6, CSR 6.6.
inline constexpr double max_cached_csr_bytes = 16e6;
/// Their time there, relative to CSR.
inline constexpr double cached_ell_time = 0.88, cached_sell_time = 0.93;

/// Whether one thread per row is faster than CSR on a GPU that caches the matrix: there are enough rows, and none is long or
/// much longer than others. ELL of at most 10^6 slots may have more padding: rail_79841 (1.59 slots per entry) takes 3.6 us,
/// in CSR 4.4, cage10 (1.89) 2.75 and 3.05 (H200, 2026-11); these two set the limits.
inline bool fits_cached_rows(FormatName format, Structure const& s) {
  auto const rows = static_cast<double>(s.num_rows), entries = static_cast<double>(s.nnz);
  double const slots = rows * static_cast<double>(s.longest_row);
  if (format == FormatName::ell)
    return s.longest_row <= 32 && ((rows >= 16384 && slots <= 1.35 * entries) ||
                                   (rows >= 8192 && slots <= 1e6 && slots <= 1.9 * entries));
  if (format != FormatName::sell) return false;
  return rows >= 1e5 && s.mean_row_length <= 8 && std::fmin(s.slice_fill, s.sorted_slice_fill) <= 1.3;
}

/// GPU: single sectors of x that an SpMV reads in no order. The rate of the second-level cache, the bytes of x that it holds
/// besides the stream of the matrix, and the bytes of memory traffic per sector that it does not hold. Fitted to the faster of
/// CSR and CSR5 on an H100 and an H200, 2026-11, double, cold: R-MAT, power-law and circuit graphs, meshes, surrogates of webs
/// and of a linear program of 14e6 to 56e6 entries. On nine others, H100, the sum is 0.93 to 1.03 of the measured time. Other
/// GPUs use the same values.
inline constexpr double gathered_bytes_per_second = 7e12, cached_x_bytes = 32e6, missed_sector_bytes = 80;

namespace detail {

/// GPU: the time of an SpMV that reads single entries of x, in addition to that of its bytes. The sectors per entry count
/// squared: those of a window with many entries per sector are mostly in order, so that reading them overlaps the stream.
inline double gather_seconds(EstimateInput const& in, double bytes_of_x, MachineModel const& machine) {
  double const sectors = in.structure.gathered_sectors * in.structure.gathered_sectors * in.entries();
  double const missed = bytes_of_x > cached_x_bytes ? 1.0 - cached_x_bytes / bytes_of_x : 0.0;
  return sectors * (32 / gathered_bytes_per_second + missed * missed_sector_bytes / machine.bytes_per_second);
}

/// An Estimate from what a format states about itself.
///
/// seconds = max(min_seconds, (1 + launches) launch_seconds + bytes / (copy_fraction bytes_per_second)
/// + core_seconds / threads); one launch is added for the time until the memory is at full speed. On a host bytes that
/// fit the caches count 1 / host_cache_speed. gather_seconds is added if the format gathers_x.
[[gnu::noinline]] inline Estimate make_estimate(FormatName format, FormatEstimate&& estimate,
                                                double bytes_of_x_and_y, double gather_seconds, bool is_empty,
                                                MachineModel const& machine, double fill_limit) {
  Estimate e;
  e.format = format;
  e.bytes = estimate.matrix_bytes + bytes_of_x_and_y;
  double const speed = e.bytes <= machine.cache_bytes ? host_cache_speed : 1.0;
  e.seconds = machine.launch_seconds * (1 + estimate.model.launches) +
              e.bytes / (machine.bytes_per_second * estimate.model.copy_fraction * speed) +
              estimate.core_seconds / machine.threads + (estimate.gathers_x ? gather_seconds : 0.0);
  e.seconds = std::fmax(e.seconds, estimate.min_seconds);
  e.conversion_spmvs = estimate.model.conversion_spmvs;
  e.what = std::move(estimate.basis);
  bool const is_overfull = estimate.fill > fill_limit;
  e.refused = is_overfull || estimate.refused || (is_empty && format != FormatName::csr);
  if (is_empty)
    e.what = "a matrix without entries";
  else if (is_overfull)
    e.what += formatted("; the fill limit is %.3g", fill_limit);
  return e;
}

}  // namespace detail

/// The estimates of every format of the list that has a model: all built-in formats except HYB (SELL moves
/// fewer bytes for the same matrices). The efficiencies are in formats/<format>/traits.hpp; for matrices that a GPU
/// caches see max_cached_csr_bytes.
///
/// @param s             structure(exec, A)
/// @param machine       machine_model_of(exec): from the profile, or the constants of the architecture
/// @param scalar_bytes  size of the scalar of the matrix; then of x and y, of Ordinal, of Offset
template <class Formats = BuiltInFormats>
std::vector<Estimate> estimate_formats(Structure const& s, Arch arch, MachineModel const& machine,
                                       std::size_t scalar_bytes, std::size_t vector_scalar_bytes,
                                       std::size_t ordinal_bytes, std::size_t offset_bytes,
                                       double fill_limit = default_fill_limit) {
  EstimateInput const input{s,
                            arch,
                            scalar_bytes,
                            vector_scalar_bytes,
                            ordinal_bytes,
                            offset_bytes,
                            uniform_row_lengths(arch, static_cast<double>(s.longest_row), s.mean_row_length)};
  double const bytes_of_x_and_y = (static_cast<double>(s.num_rows) + static_cast<double>(s.num_cols)) *
                                  static_cast<double>(vector_scalar_bytes);
  double const gather_seconds = detail::gather_seconds(
      input, static_cast<double>(s.num_cols) * static_cast<double>(vector_scalar_bytes), machine);
  std::vector<Estimate> all;
  auto const add = [&](FormatName format, FormatEstimate&& estimate) {
    all.push_back(detail::make_estimate(format, std::move(estimate), bytes_of_x_and_y, gather_seconds,
                                        s.nnz == 0, machine, fill_limit));
  };
  Formats::for_each([&]<template <class, class, class, class> class Format>(FormatTag<Format>) {
    using Traits = FormatTraits<Format>;
    if constexpr (HasEstimate<Traits>) add(Traits::format, Traits::estimate(input));
  });
  auto const csr =
      std::find_if(all.begin(), all.end(), [](Estimate const& e) { return e.format == FormatName::csr; });
  if (arch != Arch::host && csr != all.end() && csr->bytes <= max_cached_csr_bytes) {
    double const seconds = csr->seconds;
    for (auto& e : all) {
      if (!is_built_in(e.format)) continue;
      e.seconds = fits_cached_rows(e.format, s)
                      ? seconds * (e.format == FormatName::ell ? cached_ell_time : cached_sell_time)
                      : std::fmax(e.seconds, seconds);
    }
  }
  return all;
}

}  // namespace einkorn
