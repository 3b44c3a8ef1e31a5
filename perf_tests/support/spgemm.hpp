// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/context.hpp"
#include "support/measure.hpp"
#include "support/types.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace einkorn::perf {

/// C as a row of the table leaves it, in double with 32-bit columns.
struct ProductView {
  Kokkos::View<std::int64_t const*, Device> row_offsets;
  Kokkos::View<int const*, Device> columns;
  Kokkos::View<double const*, Device> values;
};

/// One way to multiply. Every phase leaves its result where the next one finds it.
struct SpgemmRow {
  std::string library = "einkorn", algorithm;
  std::function<void()> whole;     // C = A B, everything that it keeps allocated anew
  std::function<void()> symbolic;  // the pattern alone; empty: the library has no such phase
  std::function<void()> numeric;   // new values into the C of the last whole(); empty likewise
  std::function<ProductView()> result;
  std::function<void()> forget;  // frees C and what else whole() has kept
  std::string note, refusal;
  bool allocates_through_kokkos = true;    // or its memory is not seen
  std::size_t offset_bytes = sizeof(int);  // of C's offsets

  [[nodiscard]] bool is_peer() const { return library != "einkorn"; }
};

/// C = A B, what every row computes.
struct SpgemmBench {
  Exec exec;
  Csr<double, int, int, Device> A, B;
  Selection selection;
  std::uint64_t products = 0, entries = 0;  // of C, from ours
  std::vector<SpgemmRow> rows;

  /// Adds the row with what `build` puts into it; where build throws, the row says why instead.
  void add(SpgemmRow row, std::function<void(SpgemmRow&)> const& build);
};

/// Ours. einkorn/spgemm.cpp.
void add_einkorn_spgemm(SpgemmBench& bench);
/// cuSPARSE's default, ALG2 and ALG3, and its reuse. peers/cusparse_spgemm.cpp.
void add_cusparse_spgemm(SpgemmBench& bench);
/// Kokkos Kernels' own SpGEMM. peers/kokkos_kernels_spgemm.cpp.
void add_kokkos_kernels_spgemm(SpgemmBench& bench);
/// Eigen's row-major product, on one thread. peers/eigen_spgemm.cpp.
void add_eigen_spgemm(SpgemmBench& bench);

struct SpgemmResult {
  SpgemmRow row;
  std::optional<double> whole, symbolic, numeric, spread;  // seconds, medians over the rounds; spread of whole
  std::optional<std::size_t> high_water;                   // bytes beside A, B and C while whole() ran
  std::optional<double> error;                             // of C x against A (B x), where it was checked
  bool wrong = false;
};

struct SpgemmTable {
  std::string matrix, suite, product;  // "A A" or "A A^T"
  std::size_t rows = 0, cols = 0, nnz = 0;
  std::uint64_t products = 0, entries = 0;
  int rounds = 0;
  std::vector<SpgemmResult> results;
};

/// Every row checked (C x against A (B x) for a random x, by kernels that share nothing with those measured,
/// and its number of entries against ours), then timed by the clock of the host between fences, in rounds: what
/// is timed allocates and waits by itself. with_transpose: A A^T, else A A.
SpgemmTable bench_spgemm(Exec const& exec, std::string const& name, bool with_transpose,
                         Selection const& selection, Rule const& rule, bool verify);

/// One record a row and phase: operation spgemm (the whole), spgemm_symbolic, spgemm_numeric.
nlohmann::ordered_json records_of(Context const& context, SpgemmTable const& table);
void print_table(std::ostream& out, SpgemmTable const& table);

}  // namespace einkorn::perf
