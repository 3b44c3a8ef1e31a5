// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/bench_matrix.hpp"
#include "support/bench_rows.hpp"

#include <cstdint>
#include <utility>

namespace einkorn::perf {

template <class Scalar, class Ordinal, class Offset>
MatrixReport bench_matrix(Exec const& exec, Bandwidth const& bandwidth, std::string const& name,
                          Selection const& selection, MeasureOptions const& measuring, bool verify) {
  auto const problem = make_problem<Scalar, Ordinal, Offset>(exec, name);
  auto report = report_of(problem, name);
  progress::stage(name, "converting");
  Candidates rows;
  add_csr(problem, selection, rows);
  add_half(problem, selection, rows);
  add_csr5(problem, selection, rows);
  add_coo(problem, selection, rows);
  add_ell(problem, selection, rows);
  add_sell(problem, selection, rows);
  add_hyb(problem, selection, rows);
  add_column_blocks(problem, selection, rows);
  add_dia(problem, selection, rows);
  add_bdia(problem, selection, rows);
  add_bsr(problem, selection, rows);
  add_brcv(problem, selection, rows);
  add_float_values(problem, selection, rows);
  if (selection.select) add_select(problem, selection, rows);
  if (selection.peers) {
    add_kokkos_kernels(problem, rows);
    add_kokkos_kernels_bsr(problem, rows);
    add_cusparse(problem, rows);
    add_cusparse_bsr(problem, rows);
    add_eigen(problem, rows);
  }
  check_and_measure(problem, std::move(rows), bandwidth, measuring, verify, report);
  return report;
}

template MatrixReport bench_matrix<double, int, int>(Exec const&, Bandwidth const&, std::string const&,
                                                     Selection const&, MeasureOptions const&, bool);
template MatrixReport bench_matrix<float, int, int>(Exec const&, Bandwidth const&, std::string const&,
                                                    Selection const&, MeasureOptions const&, bool);
template MatrixReport bench_matrix<Kokkos::complex<double>, int, int>(Exec const&, Bandwidth const&,
                                                                      std::string const&, Selection const&,
                                                                      MeasureOptions const&, bool);
template MatrixReport bench_matrix<double, std::int64_t, std::size_t>(Exec const&, Bandwidth const&,
                                                                      std::string const&, Selection const&,
                                                                      MeasureOptions const&, bool);

}  // namespace einkorn::perf
