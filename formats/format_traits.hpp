// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/analysis/structure_types.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <string>

namespace einkorn {

/// Identifies a format at run time. Formats that are not part of the library use values from
/// first_custom_format on.
enum class FormatName { csr, csr5, coo, ell, sell, hyb, dia, bdia, bsr, brcv, column_blocks };

inline constexpr int first_custom_format = 100;

/// Whether the format is part of the library.
constexpr bool is_built_in(FormatName format) {
  return static_cast<int>(format) < first_custom_format;
}

/// The input of FormatTraits<Format>::estimate().
struct EstimateInput {
  Structure const& structure;
  Arch arch;
  std::size_t scalar_bytes, vector_scalar_bytes;  ///< of the values of the matrix; of x and y
  std::size_t ordinal_bytes, offset_bytes;
  bool uniform_rows;  ///< no row is much longer than the mean; see uniform_row_lengths() (select_model.hpp)

  [[nodiscard]] double rows() const { return static_cast<double>(structure.num_rows); }
  [[nodiscard]] double entries() const { return static_cast<double>(structure.nnz); }
  [[nodiscard]] double longest_row() const { return static_cast<double>(structure.longest_row); }
  [[nodiscard]] double scalar() const { return static_cast<double>(scalar_bytes); }
  [[nodiscard]] double vector_scalar() const { return static_cast<double>(vector_scalar_bytes); }
  [[nodiscard]] double ordinal() const { return static_cast<double>(ordinal_bytes); }
  [[nodiscard]] double offset() const { return static_cast<double>(offset_bytes); }
  /// `stored` entries of a padded format per entry of the matrix.
  [[nodiscard]] double fill(double stored) const { return stored / std::fmax(entries(), 1.0); }

  [[nodiscard]] bool on_host() const { return arch == Arch::host; }
  [[nodiscard]] bool has_short_rows() const { return structure.mean_row_length <= 8; }
  [[nodiscard]] bool has_long_rows() const { return structure.mean_row_length > 48; }
  [[nodiscard]] bool is_single() const { return scalar_bytes < 8; }
};

/// The measured efficiency of the SpMV kernel of a format, and the cost of its conversion.
///
/// GPU values: cold SpMVs in double on an H200, 2026-11, rows of 7, 27, 81 and 101 entries (stencil7:256,
/// stencil27:160, elasticity:80, band:1000000:101, blocks of 3 to 8), in float of 7, 27 and 81; uneven rows
/// from R-MAT graphs, circuits and webs. AMD uses the same values, not measured.
/// Conversions on a GPU: geometric means of 11 regular matrices of 0.3 to 1.4 GB, the whole call without checks.
/// Conversions on a host: medians of 69 real matrices on 2 cores of an EPYC with AVX-512, 2026-11.
struct FormatModel {
  double
      copy_fraction;  ///< GPU: fraction of the copy bandwidth that the kernel reaches on large matrices; host: 1
  double conversion_spmvs;  ///< cost of from_csr, in SpMVs of CSR
  int launches;             ///< kernel launches per SpMV
};

/// The cost of one SpMV in a format: time = max(min_seconds, launches + bytes / bandwidth + core_seconds / threads).
///
/// core_seconds: time per stored entry and per row for the instructions of the host kernel, in addition to that of the
/// bytes; fitted to warm SpMVs on 2 cores of an EPYC with AVX2, 2026-11, with 35 real and 12 generated matrices. On 34
/// other real ones in double the chosen format reaches 0.99 of the speed of the fastest (geometric mean; worst 0.92).
struct FormatEstimate {
  double matrix_bytes = 0;  ///< bytes of the format's arrays that one SpMV reads
  double fill = 0;          ///< stored entries per entry, compared with the fill limit; 0: no padding
  std::string basis;        ///< the property of the matrix that the estimate depends on
  FormatModel model{};
  double core_seconds = 0;  ///< in addition to the time of the bytes; host: of one core
  double min_seconds = 0;   ///< lower bound from the longest row, which one thread or a few lanes process
  bool gathers_x = true;    ///< GPU: x is read by columns of single entries or blocks (select_model.hpp)
  bool refused = false;     ///< from_csr would throw with any fill limit, or there is no estimate; basis: why
};

/// Registers a format with AnyMatrix, select() and the solvers. Each format specializes it in
/// formats/<format>/traits.hpp, without including kernels, and is listed in a FormatList (format_list.hpp):
///
///     static constexpr FormatName format;
///     static constexpr char const* name;              // as in option values and reports
///     static constexpr bool has_fused_apply;          // spmv_fused(exec, plan, epilogue, x, y) exists
///     static FormatEstimate estimate(EstimateInput const&);   // optional: select() ignores formats without it
///
/// The conversion and its options are FromCsr<Format> (from_csr.hpp). Row access is found by the function
/// row_entries(plan), if the format has one.
template <template <class, class, class, class> class Format>
struct FormatTraits;

/// A format that select() considers.
template <class Traits>
concept HasEstimate = requires(EstimateInput const& input) {
  { Traits::estimate(input) } -> std::same_as<FormatEstimate>;
};

namespace detail {

/// Text formatted by snprintf, cut off at 199 characters.
inline std::string formatted(char const* format, auto... values) {
  char text[200];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

}  // namespace detail

}  // namespace einkorn
