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

/// A library with one of its ways to multiply.
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

/// The library that multiplies fastest, of those that can be made: the least of three samples of ten SpMVs
/// each. Throws InvalidArgument with the last reason where none can.
template <class Library>
Fastest<Library> fastest(SolveBench const& bench, std::vector<Spmv<Library>> const& ways) {
  DenseVector<double> const y("einkorn::perf::fastest", bench.size());
  Fastest<Library> best;
  double least = std::numeric_limits<double>::infinity();
  std::string reason = "no way to multiply";
  for (auto const& [name, make] : ways) {
    try {
      auto const library = make();
      auto const ten = [&] {
        for (int k = 0; k < 10; ++k) library->multiply(bench.b, y);
      };
      wall_seconds_of(bench.exec, ten);
      double seconds = least;
      for (int sample = 0; sample < 3; ++sample) seconds = std::min(seconds, wall_seconds_of(bench.exec, ten));
      if (seconds < least) best = {name, library};
      least = std::min(least, seconds);
    } catch (std::exception const& failure) {
      reason = failure.what();
    }
  }
  require<InvalidArgument>(best.library != nullptr, [&] { return reason; });
  return best;
}

}  // namespace einkorn::perf
