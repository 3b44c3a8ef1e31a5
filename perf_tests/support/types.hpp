// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace einkorn::perf {

using Exec = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;

template <class Scalar>
using DenseVector = Kokkos::View<Scalar*, Device>;

/// y <- A x, what every row of the table computes.
template <class Scalar, class Ordinal, class Offset>
struct Problem {
  Exec exec;
  Csr<Scalar, Ordinal, Offset, Device> A;
  DenseVector<Scalar const> x;  // [num_cols]
  DenseVector<Scalar> y;        // [num_rows]
};

/// What the command line asks of our own rows. Empty lists: everything.
struct Selection {
  std::vector<std::string> formats, algorithms;
  int sigma = 0, lanes = 0;
  bool peers = false, select = false;
  bool distinct = false;  // kernels of CSR that are the same here are one row

  [[nodiscard]] bool wants(std::string const& format, std::string const& algorithm) const;
  /// --formats has it.
  [[nodiscard]] bool names(std::string const& format) const;
};

/// One row of the table before it is measured.
struct Candidate {
  std::string operation = "spmv";  // "conversion"; "select": a choice, with its reason as the note
  std::string library = "einkorn", format, algorithm;
  std::size_t bytes = 0;      // that the format must move (traffic.hpp)
  std::function<void()> run;  // enqueues the operation once on the problem's instance; empty: see refusal
  std::string converts_to;    // of from_csr: the algorithm of the format that it makes
  std::string note;           // what an automatic choice chose
  std::string refusal;        // why there is no figure
  bool is_default = false;    // of CSR: what a plan chooses unasked
  double value_epsilon = 0;   // of the values, where they are rounded to less than the problem's scalar
  double value_denorm = 0;    // then also the distance of the values' type's subnormal numbers

  [[nodiscard]] bool rounds_values() const { return value_epsilon > 0; }
  [[nodiscard]] bool is_peer() const { return library != "einkorn"; }
};

/// `row` with what `build` puts into it; where build throws, the row says why instead.
Candidate built_or_refused(Candidate row, std::function<void(Candidate&)> const& build);

}  // namespace einkorn::perf
