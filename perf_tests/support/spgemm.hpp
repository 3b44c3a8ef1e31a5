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

/// The C of a row, in double with 32-bit columns.
struct ProductView {
  Kokkos::View<std::int64_t const*, Device> row_offsets;
  Kokkos::View<int const*, Device> columns;
  Kokkos::View<double const*, Device> values;
};

/// One SpGEMM implementation. Its functions share state; each phase uses the result of the previous one.
struct SpgemmRow {
  std::string library = "einkorn", algorithm;
  std::function<void()> whole;     // C = A B with all allocations
  std::function<void()> symbolic;  // the pattern alone; empty: the library has no such phase
  std::function<void()> numeric;   // new values for the C of the last whole(); empty likewise
  std::function<ProductView()> result;
  std::function<void()> release;  // frees C and the state of whole()
  std::string note, refusal;
  bool allocates_through_kokkos = true;    // false: its memory is not measured
  std::size_t offset_bytes = sizeof(int);  // size of an offset of C

  [[nodiscard]] bool is_peer() const { return library != "einkorn"; }
};

/// The product C = A B that every row computes.
struct SpgemmBench {
  Exec exec;
  Csr<double, int, int, Device> A, B;
  Selection selection;
  std::uint64_t products = 0, entries = 0;  // of C, from Einkorn's symbolic phase
  std::vector<SpgemmRow> rows;

  /// Adds the row that `build` completes. If build throws, the row has the reason instead.
  void add(SpgemmRow row, std::function<void(SpgemmRow&)> const& build);
};

/// Einkorn's SpGEMM. einkorn/spgemm.cpp.
void add_einkorn_spgemm(SpgemmBench& bench);
/// cuSPARSE: default, ALG2, ALG3 and SpGEMMreuse. peers/cusparse_spgemm.cpp.
void add_cusparse_spgemm(SpgemmBench& bench);
/// SpGEMM of Kokkos Kernels. peers/kokkos_kernels_spgemm.cpp.
void add_kokkos_kernels_spgemm(SpgemmBench& bench);
/// Eigen's row-major product on one thread. peers/eigen_spgemm.cpp.
void add_eigen_spgemm(SpgemmBench& bench);

struct SpgemmResult {
  SpgemmRow row;
  std::optional<double> whole, symbolic, numeric,
      spread;                             // seconds, medians over the rounds; spread of `whole`
  std::optional<std::size_t> high_water;  // bytes besides A, B and C during whole()
  std::optional<double> error;            // of C x relative to A (B x); empty: not checked
  bool wrong = false;
};

struct SpgemmTable {
  std::string matrix, suite, product;  // "A A" or "A A^T"
  std::size_t rows = 0, cols = 0, nnz = 0;
  std::uint64_t products = 0, entries = 0;
  int rounds = 0;
  std::vector<SpgemmResult> results;
};

/// Checks every row (C x against A (B x) for a random x, by independent kernels; the number of entries), then
/// measures it in rounds by the clock of the host between fences, because the functions allocate and
/// synchronize.
/// @param with_transpose C = A A^T, else C = A A
SpgemmTable bench_spgemm(Exec const& exec, std::string const& name, bool with_transpose,
                         Selection const& selection, MeasureOptions const& measuring, bool verify);

/// One record per row and phase: operation spgemm (the whole), spgemm_symbolic, spgemm_numeric.
nlohmann::ordered_json records_of(Context const& context, SpgemmTable const& table);
void print_table(std::ostream& out, SpgemmTable const& table);

}  // namespace einkorn::perf
