// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/convert.hpp"
#include "solve/finish.hpp"
#include "solve/input.hpp"
#include "solve/method.hpp"
#include "solve/methods.hpp"
#include "solve/progress.hpp"
#include "solve/result.hpp"
#include "solve/run.hpp"
#include "solve/stopwatch.hpp"
#include "solve/system.hpp"

#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <functional>
#include <iostream>
#include <new>
#include <string>
#include <utility>

namespace einkorn::tools {

namespace {

template <class Scalar>
Exit run_with(Settings const& settings, Exec const& exec, Stopwatch& watch, InputFiles&& files,
              std::string& step) {
  auto const system = load_system<Scalar>(exec, settings.matrix, std::move(files));
  Result result;
  result.matrix = system.matrix;
  result.right_hand_side = system.right_hand_side;
  result.num_rows = system.A.num_rows;
  result.num_entries = system.A.nnz();
  result.tolerance = settings.tolerance;
  result.machine = std::string(Exec::name()) + ", concurrency " + std::to_string(exec.concurrency());
  result.read_seconds = watch.lap();

  step = "choosing a method";
  auto const method = method_for(exec, settings, system.A, true);
  step = "converting the matrix to the format of the solve";
  auto const converted = convert(exec, system.A, settings.format, expected_products(settings));
  DenseVector<Scalar> const x("einkorn::tools::x", static_cast<std::size_t>(system.A.num_rows));
  result.setup_seconds = watch.lap();

  auto options = solver_options(settings);
  Progress progress(std::cerr);
  LevelCallback on_level;
  if (shows_progress(settings)) {
    options.callback = std::ref(progress);
    on_level = std::ref(progress);
  }
  step = "solving";
  auto const solved = solve_by(method.solver, Task<Scalar>{exec, system.A, converted.A, system.b, x,
                                                           method.preconditioner, options, on_level});
  step = "writing the results";
  result.format = converted.reason;
  return finish<Scalar>(settings, exec, std::move(result), method, solved, x, system.solution_is_ones);
}

}  // namespace

Exit run(Settings const& settings) {
  std::string step = "reading " + settings.matrix;
  try {
    Exec const exec;
    Stopwatch watch(exec);
    auto files = read_input(settings.matrix, settings.right_hand_side);
    if (files.is_complex())
      return run_with<Kokkos::complex<double>>(settings, exec, watch, std::move(files), step);
    return run_with<double>(settings, exec, watch, std::move(files), step);
  } catch (std::bad_alloc const& failure) {  // from Kokkos or the standard library, without a purpose
    throw OutOfMemory("no memory while " + step + " (" + failure.what() + ")");
  }
}

}  // namespace einkorn::tools
