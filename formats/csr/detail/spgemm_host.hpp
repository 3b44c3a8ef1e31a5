// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/accumulate/index_words.hpp>
#include <einkorn/core/accumulate/place_table.hpp>
#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/host_parts.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

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

/// The columns of row i of C: an OR of words into a bitmap of all columns that the thread keeps, with a list of
/// the words that are set and a bitmap of those, by which they are visited in order unless they lie far apart.
template <class AMatrix, class Words, class COffset>
struct HostColumns {
  using Ordinal = typename AMatrix::ordinal_type;
  using Memory = typename AMatrix::device_type::memory_space;
  using Bits = Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Memory>;

  AMatrix A;
  Words words;
  Bits bits, words_set;                                           // [thread][words], [thread][words of words]
  Kokkos::View<Ordinal**, Kokkos::LayoutRight, Memory> lists;     // [thread][words a row may have]
  Kokkos::View<COffset*, typename AMatrix::device_type> offsets;  // [rows + 1]: counts, then offsets
  Kokkos::View<Ordinal*, typename AMatrix::device_type> columns;  // empty while counting
  bool sorted, counting;

  void operator()(std::size_t i, std::size_t thread) const {
    auto* const own = &bits(thread, 0);
    auto* const list = &lists(thread, 0);
    auto const row = static_cast<Ordinal>(i);
    std::size_t set = 0;
    auto const add = [&](Ordinal key, std::uint32_t mask) {
      std::uint32_t const before = own[key];
      if (before == 0) list[set++] = key;
      own[key] = before | mask;
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
      for (std::size_t s = 0; s < set; ++s) {
        total = static_cast<COffset>(total + static_cast<COffset>(bits_in(own[list[s]])));
        own[list[s]] = 0;
      }
      offsets(i) = total;
      return;
    }
    if (sorted) order(list, set, &words_set(thread, 0));
    auto* to = columns.data() + offsets(i);
    for (std::size_t s = 0; s < set; ++s) {
      for_each_index(list[s], own[list[s]], [&](Ordinal column) { *to++ = column; });
      own[list[s]] = 0;
    }
  }

 private:
  /// Sorts a list of different keys. Through the bitmap where that has at most 8 words a key to look through.
  static void order(Ordinal* list, std::size_t size, std::uint32_t* set) {
    if (size < 2) return;
    auto const [least, most] = std::minmax_element(list, list + size);
    Ordinal const first = word_of(*least), last = word_of(*most);
    if (static_cast<std::size_t>(last - first) > 8 * size) {
      std::sort(list, list + size);
      return;
    }
    for (std::size_t s = 0; s < size; ++s) set[word_of(list[s])] |= bit_of(list[s]);
    for (Ordinal w = first; w <= last; ++w) {
      for_each_index(w, set[w], [&](Ordinal key) { *list++ = key; });
      set[w] = 0;
    }
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
  Scratch<Ordinal> keys;      // [thread][slots of the longest row]
  Scratch<PlacedWord> words;  // likewise

  void operator()(std::size_t i, std::size_t thread) const {
    auto const row = static_cast<Ordinal>(i);
    auto const first = C.row_begin(row), end = C.row_end(row);
    if (first == end) return;
    auto const length = static_cast<std::size_t>(end - first);
    auto const capacity = static_cast<int>(capacity_for_words(length));
    PlaceTable<Ordinal, OneThread> const table{&keys(thread, 0), &words(thread, 0), capacity};
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
