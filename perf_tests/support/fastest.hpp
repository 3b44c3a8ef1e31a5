// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/solve.hpp"
#include "support/timing.hpp"

#include <einkorn/core/error.hpp>

#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace einkorn::perf {

/// A library with one of its SpMV algorithms.
template <class Library>
struct Spmv {
  std::string name;
  std::function<std::shared_ptr<Library const>()> make;
};

template <class Library>
struct Fastest {
  std::string name;
  std::shared_ptr<Library const> library;
};

/// The variant with the fastest SpMV: the minimum of three samples of ten SpMVs each. Variants that throw are
/// skipped.
/// @throws InvalidArgument with the last reason if all variants throw
template <class Library>
Fastest<Library> fastest(SolveBench const& bench, std::vector<Spmv<Library>> const& variants) {
  DenseVector<double> const y("einkorn::perf::fastest", bench.size());
  Fastest<Library> best;
  double best_seconds = std::numeric_limits<double>::infinity();
  std::string reason = "no SpMV algorithm";
  for (auto const& [name, make] : variants) {
    try {
      auto const library = make();
      auto const ten = [&] {
        for (int k = 0; k < 10; ++k) library->multiply(bench.b, y);
      };
      wall_seconds_of(bench.exec, ten);
      double seconds = best_seconds;
      for (int sample = 0; sample < 3; ++sample) seconds = std::min(seconds, wall_seconds_of(bench.exec, ten));
      if (seconds < best_seconds) best = {name, library};
      best_seconds = std::min(best_seconds, seconds);
    } catch (std::exception const& failure) {
      reason = failure.what();
    }
  }
  require<InvalidArgument>(best.library != nullptr, [&] { return reason; });
  return best;
}

}  // namespace einkorn::perf
