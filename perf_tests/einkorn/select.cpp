// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/candidates.hpp"
#include "support/counts.hpp"

#include <einkorn/formats/analysis/plan_by_measuring.hpp>
#include <einkorn/formats/analysis/select_by_measuring.hpp>
#include <einkorn/formats/analysis/wisdom_file.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

namespace einkorn::perf {

namespace {

std::string number(char const* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string lanes_of(int lanes) {
  return lanes > 0 ? ", " + std::to_string(lanes) + " lanes" : "";
}

void add_choice(Candidates& rows, char const* how, einkorn::Selection const& choice) {
  Candidate row;
  row.operation = "select";
  row.format = name_of(choice.format);
  row.algorithm = how;
  if (choice.csr_algorithm != SpmvAlgorithm::automatic)
    row.note = "csr with " + std::string(name_of(choice.csr_algorithm)) + ": ";
  row.note += choice.reason + number("; the conversion costs %.1f SpMVs of CSR", choice.conversion_spmvs) +
              number(" and pays after %.1f", choice.pays_after);
  rows.push_back(row);
}

}  // namespace

template <class Scalar, class Ordinal, class Offset>
void add_select(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows) {
  Candidate row;
  row.operation = "conversion";
  row.format = "csr";
  row.algorithm = "structure";
  row.bytes = csr_bytes(counts_of(problem.A));
  row.run = [problem] { (void)structure(problem.exec, problem.A); };
  rows.push_back(row);
  add_choice(rows, "by model", einkorn::select(problem.exec, problem.A));
  auto const effort = effort_of(selection.effort).value_or(Effort::measure);
  bool const measures_all = effort == Effort::exhaustive;
  Wisdom wisdom;
  Wisdom* const used = selection.wisdom.empty() ? nullptr : &wisdom;
  if (used && std::filesystem::exists(selection.wisdom)) wisdom = read_wisdom(selection.wisdom);
  add_choice(rows, measures_all ? "by measuring all" : "by measuring",
             einkorn::select(problem.exec, problem.A,
                             {.effort = effort, .max_seconds = selection.max_seconds, .wisdom = used}));
  auto const plan = make_spmv_plan(problem.exec, problem.A,
                                   {.effort = effort, .max_seconds = selection.max_seconds, .wisdom = used});
  Candidate planned;
  planned.operation = "select";
  planned.format = "csr";
  planned.algorithm = measures_all ? "plan by measuring all" : "plan by measuring";
  planned.note = name_of(plan.algorithm()) + (is_gpu<Exec> ? lanes_of(plan.lanes()) : std::string());
  rows.push_back(std::move(planned));
  if (used) write_wisdom(selection.wisdom, wisdom);
}

template void add_select(Problem<double, int, int> const&, Selection const&, Candidates&);
template void add_select(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_select(Problem<Kokkos::complex<double>, int, int> const&, Selection const&, Candidates&);
template void add_select(Problem<double, std::int64_t, std::size_t> const&, Selection const&, Candidates&);

}  // namespace einkorn::perf
