// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/bench_rows.hpp"
#include "support/bench_summary.hpp"
#include "support/describe.hpp"

#include <einkorn/formats/analysis/select.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace einkorn::perf {

namespace {

constexpr double model_margin = 2.0;  // accuracy of the model of select()

/// CSR, and the formats that the model estimates within model_margin of the fastest.
std::vector<std::string> plausible_formats(einkorn::Selection const& choice) {
  std::vector<std::string> formats{"csr"};
  double const limit = model_margin * choice.candidates.front().seconds;
  for (auto const& candidate : choice.candidates)
    if (!candidate.refused && candidate.seconds <= limit && candidate.format != FormatName::csr &&
        candidate.format != FormatName::coo)  // never faster than CSR: the same with more bytes
      formats.emplace_back(name_of(candidate.format));
  return formats;
}

void describe(einkorn::Selection const& choice, MatrixReport& report) {
  report.structure = describe_structure(choice.structure);
  for (auto const& candidate : choice.candidates) report.findings[name_of(candidate.format)] = candidate.what;
  Candidate row;
  row.operation = "select";
  row.format = name_of(choice.format);
  row.algorithm = "by model";
  row.note = choice.reason;
  report.results.push_back({std::move(row), {}, {}, 0.0, false});
}

}  // namespace

template <class Scalar, class Ordinal, class Offset>
MatrixReport bench_summary(Exec const& exec, Bandwidth const& bandwidth, std::string const& name,
                           Selection const& selection, MeasureOptions const& measuring, bool verify,
                           AddRows<Scalar, Ordinal, Offset> const& more) {
  auto const problem = make_problem<Scalar, Ordinal, Offset>(exec, name);
  auto report = report_of(problem, name);
  progress::stage(name, "analyzing the structure");
  auto const choice = einkorn::select(exec, problem.A);
  describe(choice, report);
  Selection rows_to_add = selection;
  rows_to_add.distinct = true;
  if (rows_to_add.formats.empty()) rows_to_add.formats = plausible_formats(choice);
  if (!rows_to_add.wants("csr", "")) rows_to_add.formats.emplace_back("csr");

  progress::stage(name, "converting");
  int const formats = 9;
  int done = 0;
  Candidates rows;
  for (auto const add :
       {add_csr<Scalar, Ordinal, Offset>, add_csr5<Scalar, Ordinal, Offset>, add_ell<Scalar, Ordinal, Offset>,
        add_sell<Scalar, Ordinal, Offset>, add_dia<Scalar, Ordinal, Offset>, add_bdia<Scalar, Ordinal, Offset>,
        add_bsr<Scalar, Ordinal, Offset>, add_brcv<Scalar, Ordinal, Offset>}) {
    add(problem, rows_to_add, rows);
    progress::step(++done, formats);
  }
  if (more) more(problem, rows_to_add, rows);
  std::erase_if(rows,
                [](Candidate const& row) { return row.operation == "conversion" && row.converts_to.empty(); });
  check_and_measure(problem, std::move(rows), bandwidth, measuring, verify, report);
  return report;
}

#ifndef EINKORN_BENCH_OTHER_SCALARS
template MatrixReport bench_summary(Exec const&, Bandwidth const&, std::string const&, Selection const&,
                                    MeasureOptions const&, bool, AddRows<double, int, int> const&);
#else
template MatrixReport bench_summary(Exec const&, Bandwidth const&, std::string const&, Selection const&,
                                    MeasureOptions const&, bool, AddRows<float, int, int> const&);
template MatrixReport bench_summary(Exec const&, Bandwidth const&, std::string const&, Selection const&,
                                    MeasureOptions const&, bool,
                                    AddRows<Kokkos::complex<double>, int, int> const&);
template MatrixReport bench_summary(Exec const&, Bandwidth const&, std::string const&, Selection const&,
                                    MeasureOptions const&, bool,
                                    AddRows<double, std::int64_t, std::size_t> const&);
#endif

}  // namespace einkorn::perf
