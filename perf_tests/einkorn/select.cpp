// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/candidates.hpp"
#include "support/counts.hpp"

#include <einkorn/formats/analysis/select_by_measuring.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

namespace einkorn::perf {

namespace {

std::string number(char const* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

void add_choice(Candidates& rows, char const* how, einkorn::Selection const& choice) {
  Candidate row;
  row.operation = "select";
  row.format = name_of(choice.format);
  row.algorithm = how;
  row.note = choice.reason + number("; the conversion costs %.1f SpMVs of CSR", choice.conversion_spmvs) +
             number(" and pays after %.1f", choice.pays_after);
  rows.push_back(row);
}

}  // namespace

template <class Scalar, class Ordinal, class Offset>
void add_select(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows) {
  Candidate row;
  row.operation = "conversion";
  row.format = "csr";
  row.algorithm = "structure";
  row.bytes = csr_bytes(counts_of(problem.A));
  row.run = [problem] { (void)structure(problem.exec, problem.A); };
  rows.push_back(row);
  add_choice(rows, "by model", einkorn::select(problem.exec, problem.A));
  add_choice(rows, "by measuring", select_by_measuring(problem.exec, problem.A));
}

template void add_select(Problem<double, int, int> const&, Candidates&);
template void add_select(Problem<float, int, int> const&, Candidates&);
template void add_select(Problem<Kokkos::complex<double>, int, int> const&, Candidates&);
template void add_select(Problem<double, std::int64_t, std::size_t> const&, Candidates&);

}  // namespace einkorn::perf
