// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/fingerprint.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn::detail {

/// What the pass over the structure of a CSR finds: errors and the fingerprint, or also the order of the columns in the rows.
enum class Inspect { structure, order };

/// The words of the results of InspectCsr, zeros at first.
struct InspectionWords {
  enum : int {
    entry,  // ~k for the first entry k with a column out of range
    at,  // ~0 if row_offsets(0) is not 0, ~1 if the last offset is not nnz, ~(2 + the first row after which offsets decrease)
    offsets_hash,
    columns_hash,
    descents,  // entries whose column is smaller than that of the entry before it in its row
    equals,    // entries with the same column as the entry before it in its row
    size
  };
};

/// The errors that InspectCsr has found, for kernels that run after it; none without words.
struct InspectionErrors {
  std::uint64_t const* words = nullptr;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool any() const {
    return words != nullptr && (words[InspectionWords::entry] != 0 || words[InspectionWords::at] != 0);
  }
};

/// GPU: one pass over row_offsets and columns, whatever they contain. Teams process items cyclically, four integers per load.
template <Inspect what, class Exec, class Matrix>
struct InspectCsr {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Unsigned = std::make_unsigned_t<Ordinal>;
  using Words = InspectionWords;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int team_size = 256;

  Matrix A;
  StructureHash<Offset, Ordinal> hash;
  std::uint64_t* results;  // [InspectionWords::size]

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Found found{};
    std::size_t const stride = static_cast<std::size_t>(team.league_size()) * team_size;
    std::size_t const items = hash.num_items();
    for (std::size_t item = static_cast<std::size_t>(team.league_rank()) * team_size +
                            static_cast<std::size_t>(team.team_rank());
         item < items; item += stride)
      hash.visit(
          item,
          [&](auto const& four, std::size_t g) {
            found.offsets_hash += hash.hash_of_four(four, g);
            inspect_offsets(four, g, found);
          },
          [&](auto const& four, std::size_t g) { inspect_columns(four, g, found); });
    store(team, found);
  }

 private:
  struct Found {
    std::uint64_t entry, at, offsets_hash, columns_hash;
    int descents, equals;  // a thread reads less than 2^31 entries
  };

  template <class Four>
  KOKKOS_FORCEINLINE_FUNCTION void inspect_offsets(Four const& four, std::size_t g, Found& found) const {
    std::size_t const rows = A.row_offsets.extent(0) - 1;
    auto const error = [&](std::uint64_t at) { found.at = found.at > ~at ? found.at : ~at; };
    if (g == 0 && four.entry[0] != 0) error(0);
    if (g == 0 && A.row_offsets(rows) != A.nnz()) error(1);
    for (std::size_t j = 0; j < 4 && 4 * g + j < rows; ++j) {
      Offset const begin = four.entry[j], next = j < 3 ? four.entry[j + 1] : A.row_offsets(4 * g + 4);
      if (next < begin) error(2 + 4 * g + j);
      if constexpr (what == Inspect::order) {  // inspect_columns() counts the first entry too
        if (begin == next || begin <= 0 || begin >= A.nnz()) continue;
        Ordinal const before = A.columns(begin - 1), column = A.columns(begin);
        found.descents -= before > column;
        found.equals -= before == column;
      }
    }
  }

  template <class Four>
  KOKKOS_FORCEINLINE_FUNCTION void check_columns(Four const& four, std::size_t g, Found& found) const {
    found.columns_hash += hash.hash_of_four(four, g);
    Unsigned largest = 0;  // a negative column is larger than all valid ones
    for (auto const column : four.entry) largest = Kokkos::max(largest, static_cast<Unsigned>(column));
    if (largest < static_cast<Unsigned>(A.num_cols)) return;
    for (std::size_t j = 0; j < 4; ++j) {
      bool const is_bad = static_cast<Unsigned>(four.entry[j]) >= static_cast<Unsigned>(A.num_cols);
      std::uint64_t const k = 4 * g + j;
      if (is_bad && k < static_cast<std::uint64_t>(A.nnz()) && ~k > found.entry) found.entry = ~k;
    }
  }

  template <class Four>
  KOKKOS_FORCEINLINE_FUNCTION void inspect_columns(Four const& four, std::size_t g, Found& found) const {
    check_columns(four, g, found);
    if constexpr (what == Inspect::order) {
      std::size_t const left = A.columns.extent(0) - 4 * g;
      Ordinal before = g > 0 ? A.columns(4 * g - 1) : Ordinal(-1);
      for (std::size_t j = 0; j < 4; ++j) {
        if (j < left) {
          found.descents += before > four.entry[j];
          found.equals += before == four.entry[j];
        }
        before = four.entry[j];
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(Member const& team, Found& found) const {
    if (found.entry != 0) Kokkos::atomic_max(&results[Words::entry], found.entry);
    if (found.at != 0) Kokkos::atomic_max(&results[Words::at], found.at);
    auto const add = [&](int word, auto sum) {
      team.team_reduce(Kokkos::Sum<decltype(sum)>(sum));
      if (team.team_rank() == 0 && sum != 0)
        Kokkos::atomic_add(&results[word], static_cast<std::uint64_t>(sum));
    };
    add(Words::offsets_hash, found.offsets_hash);
    add(Words::columns_hash, found.columns_hash);
    if constexpr (what == Inspect::order) {
      add(Words::descents, static_cast<std::int64_t>(found.descents));
      add(Words::equals, static_cast<std::int64_t>(found.equals));
    }
  }
};

/// Launches InspectCsr. Asynchronous on exec.
template <Inspect what, class Exec, class Matrix>
void launch_inspection(Exec const& exec, Matrix const& A, std::uint64_t* results) {
  using Functor = InspectCsr<what, Exec, Matrix>;
  using Hash = StructureHash<typename Matrix::offset_type, typename Matrix::ordinal_type>;
  Hash const hash{vector_loads(A.row_offsets), vector_loads(A.columns)};
  auto const items = ceil_div(static_cast<std::int64_t>(hash.num_items()), std::int64_t(Functor::team_size));
  if (items == 0) return;
  auto const teams = static_cast<int>(std::min(items, max_resident_teams));
  Kokkos::parallel_for("einkorn::validate",
                       light_weight(Kokkos::TeamPolicy<Exec>(exec, teams, Functor::team_size)),
                       Functor{A, hash, results});
}

}  // namespace einkorn::detail
