// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// The code of docs/choosing_a_format.md, and of float values in docs/kernels/csr_spmv.md.
#include <einkorn/formats/analysis/plan_by_measuring.hpp>
#include <einkorn/formats/analysis/select_by_measuring.hpp>
#include <einkorn/formats/analysis/wisdom_file.hpp>
#include <einkorn/formats/csr/convert_values.hpp>
#include <einkorn/formats/generate/generate.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <filesystem>
#include <string>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = einkorn::Csr<double, int, int, Exec::device_type>;
using Vector = Kokkos::View<double*, Exec::device_type>;

bool look(Exec const& exec, Matrix const& A) {
  // [structure]
  einkorn::Structure const s = einkorn::structure(exec, A);
  std::printf("%.1f entries per row, %lld at most; %lld diagonals in %lld bands\n", s.mean_row_length,
              static_cast<long long>(s.longest_row), static_cast<long long>(s.num_diagonals),
              static_cast<long long>(s.num_bands));
  // [structure]
  return s.num_diagonals == 7 && s.num_bands == 5;
}

bool choose(Exec const& exec, Matrix const& A, Vector const& x, Vector const& y) {
  // [select]
  auto const choice = einkorn::select(exec, A, 1000);  // for 1000 SpMVs, by model: nothing is converted
  std::printf("%s\n", choice.reason.c_str());
  auto matrix = einkorn::make_any_matrix(exec, A, choice.format);
  einkorn::spmv(exec, 1.0, matrix, x, 0.0, y);  // with the plan of that format
  einkorn::update_values(exec, matrix, A);      // new values, same structure
  // [select]
  return matrix.format() == choice.format && matrix.num_rows() == A.num_rows;
}

bool measure(Exec const& exec, Matrix const& A) {
  // [measure]
  auto const choice =
      einkorn::select(exec, A, {.effort = einkorn::Effort::measure, .max_seconds = 0.5, .uses = 1000});
  for (einkorn::Estimate const& e : choice.candidates)
    if (!e.refused)
      std::printf("%-5s %.3g s, conversion %.1f SpMVs\n", name_of(e.format), e.seconds, e.conversion_spmvs);
  // [measure]
  return !choice.reason.empty() && choice.csr_seconds > 0;
}

bool remember(Exec const& exec, Matrix const& A, Vector const& x, Vector const& y, std::string const& path) {
  // [wisdom]
  einkorn::Wisdom wisdom;
  if (std::filesystem::exists(path)) wisdom = einkorn::read_wisdom(path);
  auto const matrix = einkorn::make_any_matrix(
      exec, A, {.effort = einkorn::Effort::measure, .max_seconds = 0.5, .uses = 1000, .wisdom = &wisdom});
  einkorn::write_wisdom(path, wisdom);  // the next run with such a matrix measures nothing
  // [wisdom]
  einkorn::spmv(exec, 1.0, matrix, x, 0.0, y);
  return wisdom.records().size() == 2;  // formats, and algorithms of CSR
}

bool plan_csr(Exec const& exec, Matrix const& A, Vector const& x, Vector const& y) {
  einkorn::Wisdom wisdom;
  // [plan]
  auto const plan = einkorn::make_spmv_plan(
      exec, A, {.effort = einkorn::Effort::measure, .max_seconds = 0.5, .uses = 1000, .wisdom = &wisdom});
  std::printf("%s\n", name_of(plan.algorithm()));
  einkorn::spmv(exec, plan, 1.0, x, 0.0, y);
  // [plan]
  return plan.algorithm() != einkorn::SpmvAlgorithm::automatic && wisdom.records().size() == 1;
}

bool narrow(Exec const& exec, Matrix const& A, Matrix const& B, Vector const& x, Vector const& y) {
  // [convert_values]
  auto const A32 = einkorn::convert_values<float>(exec, A);    // shares row_offsets and columns with A
  auto const F = einkorn::from_csr<einkorn::Sell>(exec, A32);  // or any other format, or CSR
  auto const plan = einkorn::make_spmv_plan<double>(exec, F);  // x and y in double
  einkorn::update_values(exec, F, B);                          // B in double, rounded to float
  // [convert_values]
  einkorn::spmv(exec, plan, 1.0, x, 0.0, y);
  return A32.columns.data() == A.columns.data();
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Exec const exec;
  Matrix const A = einkorn::generate<double, int, int, Exec::device_type>(exec, "gen:stencil7:20");
  Vector const x("x", A.num_cols), y("y", A.num_rows);
  Kokkos::deep_copy(exec, x, 1.0);
  auto const path = (std::filesystem::temp_directory_path() / "einkorn_docs_wisdom").string();
  std::filesystem::remove(path);
  bool const right = look(exec, A) && choose(exec, A, x, y) && measure(exec, A) &&
                     remember(exec, A, x, y, path) && remember(exec, A, x, y, path) &&
                     plan_csr(exec, A, x, y) && narrow(exec, A, A, x, y);
  std::filesystem::remove(path);
  exec.fence();
  return right ? 0 : 1;
}
