// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "operator_bytes.hpp"
#include "support/textbook.hpp"
#include "support/unfused_kokkos.hpp"

#include <einkorn/formats/any_matrix.hpp>
#include <einkorn/formats/format_name.hpp>

#include <memory>

namespace einkorn::perf {

void add_unfused_solvers(SolveBench& bench) {
  for (auto const format : all_formats) {
    SolveRow row;
    row.format = name_of(format);
    row.execution = "host_scalars";
    if (!bench.selection.wants(row.format, "unfused")) continue;
    bench.add(row, [&](SolveRow& built) {
      AnyMatrixOptions options;
      options.checks = Checks::off;
      auto const F = make_any_matrix(bench.exec, bench.A, format, options);
      built.matrix_bytes = operator_bytes(F, bench.A);
      auto const multiply = [exec = bench.exec, F](DenseVector<double const> const& x,
                                                   DenseVector<double> const& y) {
        spmv(exec, 1.0, F, x, 0.0, y);
      };
      run_textbook(built, bench,
                   std::make_shared<UnfusedKokkos const>(bench.exec, bench.inverse_diagonal, multiply));
    });
  }
}

}  // namespace einkorn::perf
