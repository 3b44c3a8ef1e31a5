// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/candidates.hpp"
#include "support/counts.hpp"

#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/from_csr.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

namespace einkorn::perf {

/// Bytes of the arrays that an SpMV reads: all, unless the format has spmv_bytes().
template <class Format>
std::size_t bytes_of_spmv(Format const& F) {
  if constexpr (requires { F.spmv_bytes(); })
    return F.spmv_bytes();
  else
    return F.bytes();
}

/// Adds the rows of a format with one kernel: SpMV with a plan, conversion from CSR, update of values. note(F)
/// describes the result of the conversion. The bytes of an SpMV are those of the format and of the vectors.
template <template <class, class, class, class> class Format, class Scalar, class Ordinal, class Offset,
          class Options, class Note>
void add_format(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows,
                Candidate row, Options options, Note const& note) {
  if (!selection.wants(row.format, row.algorithm)) return;
  using F = Format<Scalar, Ordinal, Offset, Device>;
  options.checks = Checks::off;
  auto const counts = counts_of(problem.A);
  auto const matrix = std::make_shared<F>();
  rows.push_back(build_row(row, [&](Candidate& built) {
    *matrix = from_csr<Format>(problem.exec, problem.A, options);
    auto const plan = make_spmv_plan(problem.exec, *matrix);
    auto const shared_plan = std::make_shared<std::decay_t<decltype(plan)>>(plan);
    built.bytes = bytes_of_spmv(*matrix) + vector_bytes(counts);
    built.note = note(*matrix);
    built.run = [shared_plan, problem] {
      spmv(problem.exec, *shared_plan, Scalar(1), problem.x, Scalar(0), problem.y);
    };
  }));
  if (!rows.back().run) return;

  Candidate conversion;
  conversion.operation = "conversion";
  conversion.format = row.format;
  conversion.algorithm = row.algorithm + " from_csr";
  conversion.converts_to = row.algorithm;
  conversion.bytes = matrix->bytes() + csr_bytes(counts) - vector_bytes(counts);
  time_making(conversion, [problem, options] { return from_csr<Format>(problem.exec, problem.A, options); });
  rows.push_back(conversion);
  conversion.after = {};
  conversion.algorithm = row.algorithm + " update_values";
  conversion.converts_to.clear();
  conversion.bytes = value_update_bytes(counts);
  conversion.run = [problem, matrix] { update_values(problem.exec, *matrix, problem.A, Checks::off); };
  rows.push_back(conversion);
}

/// The fraction of tiles with 16-bit column codes, as text. @param tiles number of tiles of the format
template <class Format, class Count>
std::string share_of_codes(Format const& F, Count tiles) {
  double const share =
      tiles == 0 ? 0.0 : static_cast<double>(F.compressed.num_tiles) / static_cast<double>(tiles);
  char text[64];
  std::snprintf(text, sizeof text, ", %.4g %% compressed", 100.0 * share);
  return text;
}

inline Candidate row_of(std::string format, std::string algorithm) {
  Candidate row;
  row.format = std::move(format);
  row.algorithm = std::move(algorithm);
  return row;
}

}  // namespace einkorn::perf
