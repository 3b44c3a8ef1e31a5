// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/formats/spgemm/detail/column_table.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>
#include <einkorn/formats/spgemm/detail/rank_table.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace einkorn::detail {

/// Rows of C in parts of equal products. Gustavson, ACM TOMS 4 (1978), a row on one thread.
template <class Exec>
struct RowParts {
  Kokkos::View<std::uint64_t const*, typename Exec::memory_space> products;  // offsets, [rows + 1]
  std::size_t num_parts;

  /// The first row of a part; for num_parts the number of rows.
  [[nodiscard]] std::size_t first(std::size_t part) const {
    std::size_t const rows = products.extent(0) - 1;
    if (part == 0) return 0;
    if (part >= num_parts) return rows;
    auto const wanted = static_cast<std::uint64_t>(
        static_cast<double>(products(rows)) * (static_cast<double>(part) / static_cast<double>(num_parts)));
    return static_cast<std::size_t>(std::lower_bound(products.data(), products.data() + rows, wanted) -
                                    products.data());
  }

  /// body(row, thread) for every row; `thread` numbers those that run at once, 0 .. concurrency - 1.
  template <class Body>
  void for_each_row(Exec const& exec, char const* label, Body const& body) const {
    Kokkos::Experimental::UniqueToken<Exec, Kokkos::Experimental::UniqueTokenScope::Global> const threads;
    RowParts const parts = *this;
    for_each_part(exec, label, num_parts, [=](std::size_t part) {
      auto const thread = threads.acquire();
      for (std::size_t i = parts.first(part), end = parts.first(part + 1); i < end; ++i)
        body(i, static_cast<std::size_t>(thread));
      threads.release(thread);
    });
  }
  [[nodiscard]] static std::size_t threads() {
    return static_cast<std::size_t>(
        Kokkos::Experimental::UniqueToken<Exec, Kokkos::Experimental::UniqueTokenScope::Global>().size());
  }
};

/// Whether each thread gets an array of `items`, one per column or word of columns of C. That costs memory and
/// time by columns, where a hash table costs them by entries; it is faster where columns are no more than a few
/// per entry. `entries`: those of the matrices known so far.
constexpr bool takes_dense(std::size_t items, std::size_t bytes_per_item, std::size_t threads,
                           std::size_t entries) {
  constexpr std::size_t always_bytes = std::size_t(1) << 16, max_items_per_entry = 4;
  return items <= always_bytes / bytes_per_item ||
         items / max_items_per_entry <= entries / (threads > 0 ? threads : 1);
}

template <class T, class Memory>
using PerThread = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;

/// The words of a row of C, in a bitmap of all columns per thread, which is zero between rows.
template <class Ordinal, class Memory>
struct BitmapOfRow {
  PerThread<std::uint32_t, Memory> bits, words_set;  // [thread][words], [thread][words of words]

  struct Thread {
    std::uint32_t *bits, *words_set;

    void begin_row(std::size_t /*max_words*/) const {}
    /// True where the row has no such word yet.
    [[nodiscard]] bool add(Ordinal key, std::uint32_t mask) const {
      std::uint32_t const before = bits[key];
      bits[key] = before | mask;
      return before == 0;
    }
    /// The mask of a word, which is removed.
    [[nodiscard]] std::uint32_t take(Ordinal key) const { return std::exchange(bits[key], 0u); }
    /// Sorts a list of different keys: through a bitmap of the words that are set, where that has at most 8
    /// words per key to look through.
    void order(Ordinal* list, std::size_t size) const {
      if (size < 2) return;
      auto const [least, most] = std::minmax_element(list, list + size);
      Ordinal const first = word_of(*least), last = word_of(*most);
      if (static_cast<std::size_t>(last - first) > 8 * size) {
        std::sort(list, list + size);
        return;
      }
      for (std::size_t s = 0; s < size; ++s) words_set[word_of(list[s])] |= bit_of(list[s]);
      for (Ordinal w = first; w <= last; ++w) {
        list = write_indices(w, words_set[w], list);
        words_set[w] = 0;
      }
    }
  };
  [[nodiscard]] Thread of(std::size_t thread) const { return {&bits(thread, 0), &words_set(thread, 0)}; }
};

/// The same in a hash table per thread, as large as the row needs.
template <class Ordinal, class Memory>
struct TableOfRow {
  using Word = CompressedColumns<Ordinal>;
  PerThread<Word, Memory> words;  // [thread][slots of the longest row]

  struct Thread {
    ColumnTable<Ordinal, OneThread> table;

    void begin_row(std::size_t max_words) {
      table.capacity = static_cast<int>(capacity_for_words(max_words));
      for (int slot = 0; slot < table.capacity; ++slot) table.clear(slot);
    }
    [[nodiscard]] bool add(Ordinal key, std::uint32_t mask) const {
      Word& word = table.words[table.insert(key, 0)];
      return std::exchange(word.mask, word.mask | mask) == 0;
    }
    [[nodiscard]] std::uint32_t take(Ordinal key) const { return table.words[table.find(key)].mask; }
    static void order(Ordinal* list, std::size_t size) { std::sort(list, list + size); }
  };
  [[nodiscard]] Thread of(std::size_t thread) const { return {{&words(thread, 0), 0}}; }
};

/// The columns of row i of C: an OR of words in a BitmapOfRow or TableOfRow, with a list of the words that are
/// set.
template <class AMatrix, class Words, class COffset, class Row>
struct HostColumns {
  using Ordinal = typename AMatrix::ordinal_type;
  using Memory = typename AMatrix::device_type::memory_space;

  AMatrix A;
  Words words;
  Row accumulators;
  PerThread<Ordinal, Memory> lists;                               // [thread][words a row may have]
  Kokkos::View<std::uint64_t const*, Memory> products;            // offsets, [rows + 1]
  Kokkos::View<COffset*, typename AMatrix::device_type> offsets;  // [rows + 1]: counts, then offsets
  Kokkos::View<Ordinal*, typename AMatrix::device_type> columns;  // empty while counting
  bool sorted, counting;

  void operator()(std::size_t i, std::size_t thread) const {
    auto own = accumulators.of(thread);
    auto* const list = &lists(thread, 0);
    auto const row = static_cast<Ordinal>(i);
    own.begin_row(std::min(lists.extent(1), static_cast<std::size_t>(products(i + 1) - products(i))));
    std::size_t set = 0;
    auto const add = [&](Ordinal key, std::uint32_t mask) {
      if (own.add(key, mask)) list[set++] = key;
    };
    for (auto k = A.row_begin(row); k < A.row_end(row); ++k) {
      auto const j = A.columns(k);
      auto const begin = words.offsets(j), end = words.offsets(j + 1);
      if (words.compressed)
        for (auto w = begin; w < end; ++w) add(words.packed(w).key, words.packed(w).mask);
      else
        for (auto w = begin; w < end; ++w) add(word_of(words.columns(w)), bit_of(words.columns(w)));
    }
    if (counting) {
      COffset total = 0;
      for (std::size_t s = 0; s < set; ++s)
        total = static_cast<COffset>(total + static_cast<COffset>(bits_in(own.take(list[s]))));
      offsets(i) = total;
      return;
    }
    if (sorted) own.order(list, set);
    auto* to = columns.data() + offsets(i);
    for (std::size_t s = 0; s < set; ++s) to = write_indices(list[s], own.take(list[s]), to);
  }
};

/// The values of row i of C on its known columns, in the order of A's entries and then B's: into a vector of
/// all columns that the thread keeps, full of zeros between rows.
template <class AMatrix, class BMatrix, class CMatrix>
struct HostDenseSums {
  using Scalar = typename CMatrix::scalar_type;
  using Ordinal = typename AMatrix::ordinal_type;

  AMatrix A;
  BMatrix B;
  CMatrix C;
  Kokkos::View<Scalar**, Kokkos::LayoutRight, typename AMatrix::memory_space> sums;  // [thread][columns]

  void operator()(std::size_t i, std::size_t thread) const {
    auto const row = static_cast<Ordinal>(i);
    auto const first = C.row_begin(row), end = C.row_end(row);
    if (first == end) return;
    Scalar* const sum = &sums(thread, 0);
    auto const* const columns_of_B = B.columns.data();
    auto const* const values_of_B = B.values.data();
    for (auto k = A.row_begin(row); k < A.row_end(row); ++k) {
      Scalar const a(A.values(k));
      auto const j = A.columns(k);
      auto const stop = B.row_end(j);
      for (auto l = B.row_begin(j); l < stop; ++l) sum[columns_of_B[l]] += a * Scalar(values_of_B[l]);
    }
    for (auto p = first; p < end; ++p) {
      auto const column = C.columns(p);
      C.values(p) = sum[column];
      sum[column] = Scalar(0);
    }
  }
};

/// The same into C's row itself, where a hash table of its words says where a column stands: what stays in the
/// first caches however many columns C has.
template <class AMatrix, class BMatrix, class CMatrix>
struct HostHashedSums {
  using Scalar = typename CMatrix::scalar_type;
  using Ordinal = typename AMatrix::ordinal_type;
  using Memory = typename AMatrix::memory_space;
  template <class T>
  using Scratch = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;

  AMatrix A;
  BMatrix B;
  CMatrix C;
  Scratch<Ordinal> keys;         // [thread][slots of the longest row]
  Scratch<RankedColumns> words;  // likewise

  void operator()(std::size_t i, std::size_t thread) const {
    auto const row = static_cast<Ordinal>(i);
    auto const first = C.row_begin(row), end = C.row_end(row);
    if (first == end) return;
    auto const length = static_cast<std::size_t>(end - first);
    auto const capacity = static_cast<int>(capacity_for_words(length));
    RankTable<Ordinal, OneThread> const table{&keys(thread, 0), &words(thread, 0), capacity};
    for (int slot = 0; slot < capacity; ++slot) table.clear(slot);
    auto const* const columns = C.columns.data() + first;
    Scalar* const sum = C.values.data() + first;
    for (std::size_t p = 0; p < length; ++p) {
      sum[p] = Scalar(0);
      table.insert(columns, static_cast<int>(p));
    }
    for (auto k = A.row_begin(row); k < A.row_end(row); ++k) {
      Scalar const a(A.values(k));
      auto const j = A.columns(k);
      for (auto l = B.row_begin(j); l < B.row_end(j); ++l)
        sum[table.place_of(B.columns(l))] += a * Scalar(B.values(l));
    }
  }
};

}  // namespace einkorn::detail
