// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors

// libFuzzer target for generator specifications: for any text, the rows of the matrix have increasing columns
// within its size and no stored zeros, or an einkorn::Error is thrown. Rows are computed one by one without
// kernels: compiled against stand_in/Kokkos_Core.hpp.

#include "fuzz.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/generate/banded.hpp>
#include <einkorn/formats/generate/blocks.hpp>
#include <einkorn/formats/generate/circuit.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>
#include <einkorn/formats/generate/long_rows.hpp>
#include <einkorn/formats/generate/power_law.hpp>
#include <einkorn/formats/generate/rmat_edges.hpp>
#include <einkorn/formats/generate/stencil.hpp>
#include <einkorn/formats/generate/stripes.hpp>
#include <einkorn/formats/generate/surrogate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

using einkorn::fuzz::check;

template <class Pattern>
void check_row(Pattern const& pattern, std::int64_t index) {
  auto const row = pattern.row(index);
  std::int64_t const length = row.length();
  check(length >= 0 && length <= pattern.num_cols(), "a length from 0 to the number of columns");
  constexpr std::int64_t max_checked = 40;  // at the begin of the row, and at the end
  // Reading a value on the diagonal of a symmetric pattern reads the whole row.
  constexpr std::int64_t max_length_of_values = 100000;
  for (std::int64_t const start : {std::int64_t(0), std::max<std::int64_t>(0, length - max_checked)}) {
    std::int64_t last = -1;
    for (std::int64_t k = start; k < std::min(length, start + max_checked); ++k) {
      std::int64_t const column = row.column(k);
      check(column > last && column < pattern.num_cols(), "increasing columns in range");
      last = column;
      if (length > max_length_of_values) continue;
      auto const value = row.value(column);
      check(value.real != 0 || value.imag != 0, "no stored zero");
    }
  }
}

template <class Pattern>
void check_rows(Pattern const& pattern) {
  std::int64_t const n = pattern.num_rows();
  check(n >= 1 && pattern.num_cols() >= 1, "rows and columns");
  for (std::int64_t const row : {std::int64_t(0), std::int64_t(1), n / 3, n / 2, n - 2, n - 1})
    if (row >= 0 && row < n) check_row(pattern, row);
}

void check_edges(einkorn::RmatEdges const& graph) {
  std::int64_t const edges = graph.num_edges();
  for (std::int64_t const edge : {std::int64_t(0), edges / 2, edges - 1}) {
    auto const key = graph.key(edge);
    check(graph.row_of(key) >= 0 && graph.row_of(key) < graph.num_nodes(), "row in range");
    check(graph.column_of(key) >= 0 && graph.column_of(key) < graph.num_nodes(), "column in range");
    auto const value = graph.value(key, 1 + edge % 3);
    check(value.real != 0 || value.imag != 0, "no stored zero");
  }
}

void generate(std::string_view text, bool with_imag) {
  auto const spec = einkorn::parse_generator(text);
  check(einkorn::is_generator_spec(text), "recognized as a specification");
  auto const kind = spec.kind.name;
  if (kind == "band") return check_rows(make_band(spec, with_imag));
  if (kind == "bands") return check_rows(make_spread_bands(spec, with_imag));
  if (kind == "stripes") return check_rows(make_stripes(spec, with_imag));
  if (kind == "rmat") return check_edges(make_rmat(spec, with_imag));
  if (kind == "powerlaw") return check_rows(make_power_law(spec, with_imag));
  if (kind == "circuit") return check_rows(make_circuit(spec, with_imag));
  if (kind == "longrows") return check_rows(make_long_rows(spec, with_imag));
  if (kind == "blocks") return check_rows(make_blocks(spec, with_imag));
  if (kind == "surrogate") return check_rows(make_surrogate(spec, with_imag));
  return check_rows(make_stencil(spec, with_imag));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  for (bool const with_imag : {false, true}) {
    try {
      generate(text, with_imag);
    } catch (einkorn::Error const&) {
    }
  }
  return 0;
}
