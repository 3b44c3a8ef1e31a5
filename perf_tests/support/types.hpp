// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace einkorn::perf {

using Exec = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;

template <class Scalar>
using DenseVector = Kokkos::View<Scalar*, Device>;

/// The product y <- A x that every row of the table computes.
template <class Scalar, class Ordinal, class Offset>
struct Problem {
  Exec exec;
  Csr<Scalar, Ordinal, Offset, Device> A;
  DenseVector<Scalar const> x;  // [num_cols]
  DenseVector<Scalar> y;        // [num_rows]
};

/// The rows that the command line selects. Empty lists: all.
struct Selection {
  std::vector<std::string> formats, algorithms;
  int sigma = 0, lanes = 0;
  bool peers = false, select = false;
  std::string effort = "measure", wisdom;  // of the measured choices of --select; wisdom: a file, empty: none
  double max_seconds = 60;                 // of measuring for each choice
  bool distinct = false;                   // one row for CSR algorithms with the same kernel on this backend

  [[nodiscard]] bool wants(std::string const& format, std::string const& algorithm) const;
  /// Whether --formats contains it.
  [[nodiscard]] bool names(std::string const& format) const;
};

/// One row of the table before it is measured.
struct Candidate {
  std::string operation = "spmv";  // or "conversion", or "select": a choice with its reason as note
  std::string library = "einkorn", format, algorithm;
  std::size_t bytes = 0;        // must move (traffic.hpp)
  std::function<void()> run;    // enqueues the operation once on problem.exec; empty: see refusal
  std::function<void()> after;  // frees the result of run; not timed; may be empty
  std::string converts_to;      // of from_csr: the algorithm of the resulting format
  std::string note;             // details, such as the choice of `automatic`
  std::string refusal;          // reason why there is no time
  bool is_default = false;      // of CSR: the default choice of a plan
  double value_epsilon = 0;     // epsilon of rounded values; 0: not rounded
  double value_denorm = 0;      // smallest subnormal of the type of rounded values

  [[nodiscard]] bool rounds_values() const { return value_epsilon > 0; }
  [[nodiscard]] bool is_peer() const { return library != "einkorn"; }
};

/// Sets run to `make`, whose result is freed after the time is taken.
template <class Make>
void time_making(Candidate& row, Make make) {
  using Result = std::decay_t<decltype(make())>;
  auto const result = std::make_shared<std::optional<Result>>();
  row.run = [result, make] { result->emplace(make()); };
  row.after = [result] { result->reset(); };
}

/// Returns the row that `build` completes. If build throws, the row has the reason instead.
Candidate build_row(Candidate row, std::function<void(Candidate&)> const& build);

}  // namespace einkorn::perf
