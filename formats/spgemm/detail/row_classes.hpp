// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/mix64.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/spgemm/detail/row_group.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// Classes of translation-equivalent rows: rows whose columns are equal up to a constant shift. A structured
/// grid has few: 27 for a 27-point stencil on a box, 125 for its square, whatever the size of the box. The
/// first row of a class is its representative.
namespace einkorn::detail {

/// The representative of a row, and its first column: -1 for an empty row.
template <class Ordinal>
struct alignas(2 * sizeof(Ordinal)) RowClass {
  Ordinal representative, base;

  friend KOKKOS_FORCEINLINE_FUNCTION bool operator==(RowClass const& a, RowClass const& b) {
    return a.representative == b.representative && a.base == b.base;
  }
};

/// The rows of a matrix by their columns, for find_row_classes().
template <class Matrix>
struct RowsByColumns {
  using Ordinal = typename Matrix::ordinal_type;
  using Class = RowClass<Ordinal>;

  struct Row {
    std::size_t begin, size;
    Ordinal base;
  };

  Matrix A;
  Kokkos::View<Class*, typename Matrix::device_type> classes;  // [rows], written

  KOKKOS_FORCEINLINE_FUNCTION Row row(std::size_t i) const {
    auto const begin = A.row_begin(static_cast<Ordinal>(i)), end = A.row_end(static_cast<Ordinal>(i));
    return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin),
            begin == end ? Ordinal(-1) : A.columns(begin)};
  }
  /// Entry k relative to the base: equal for all rows of a class.
  KOKKOS_FORCEINLINE_FUNCTION Class entry(Row const& row, std::size_t k) const {
    return {0, A.columns(row.begin + k) - row.base};
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Row const& row, std::size_t representative) const {
    classes(i) = {static_cast<Ordinal>(representative), row.base};
  }
};

/// The rows of C = A B by the classes and bases of the rows of B that they are the union of. The shift between
/// two rows of C of one class is the difference of their bases.
template <class AMatrix>
struct RowsByClasses {
  using Ordinal = typename AMatrix::ordinal_type;
  using Class = RowClass<Ordinal>;
  using Row = typename RowsByColumns<AMatrix>::Row;

  AMatrix A;
  Kokkos::View<Class const*, typename AMatrix::device_type> classes;      // [rows of B]
  Kokkos::View<Ordinal*, typename AMatrix::device_type> representatives;  // [rows of A], written

  KOKKOS_FORCEINLINE_FUNCTION Row row(std::size_t i) const {
    auto const begin = A.row_begin(static_cast<Ordinal>(i)), end = A.row_end(static_cast<Ordinal>(i));
    return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin),
            begin == end ? Ordinal(-1) : classes(A.columns(begin)).base};
  }
  KOKKOS_FORCEINLINE_FUNCTION Class entry(Row const& row, std::size_t k) const {
    Class const row_class = classes(A.columns(row.begin + k));
    return {row_class.representative, row_class.base < 0 ? Ordinal(0) : row_class.base - row.base};
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Row const&, std::size_t representative) const {
    representatives(i) = static_cast<Ordinal>(representative);
  }
};

/// Hash table of the row classes found, in device memory: the hash of the rows and the first row of each class.
template <class Device>
struct RowClassTable {
  using Storage = Kokkos::View<std::uint64_t*, Device>;

  /// [2 slots + 1], initially 0: hashes; num_rows minus the first row, which increases; number of classes.
  Storage storage;
  std::size_t slots;  // a power of two
  std::uint64_t num_rows;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t home_slot(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash >> 32) & (slots - 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t next_slot(std::size_t slot) const { return (slot + 1) & (slots - 1); }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t* hash(std::size_t slot) const { return &storage(slot); }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t* first_row(std::size_t slot) const {
    return &storage(slots + slot);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t* count() const { return &storage(2 * slots); }
};

/// hashes(i) <- hash of row first + i, equal for all rows of a class, never 0.
template <class Rows, class Hashes>
struct HashRow {
  Rows rows;
  Hashes hashes;
  std::size_t first;

  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, std::size_t i) const {
    auto const row = rows.row(first + i);
    auto const sum = group.template sum<std::uint64_t>(row.size, [&](std::size_t k) {
      auto const entry = rows.entry(row, k);
      return mix64(0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(entry.representative) +
                   0xbf58476d1ce4e5b9u * static_cast<std::uint64_t>(entry.base) +
                   0x94d049bb133111ebu * static_cast<std::uint64_t>(k + 1));
    });
    std::uint64_t const hash = sum + row.size;
    group.once([&] { hashes(i) = hash == 0 ? 1 : hash; });
  }
};

/// Inserts the rows into the table, except those that follow a row with the same hash within `lookback` rows.
/// Beyond max_classes classes nothing is inserted.
template <class L, class Table, class Hashes>
struct InsertRow {
  static constexpr std::size_t lookback = 8;

  Table table;
  Hashes hashes;
  std::uint64_t max_classes;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const hash = hashes(i);
    for (std::size_t d = 1; d <= lookback && d <= i; ++d)
      if (hashes(i - d) == hash) return;
    auto slot = table.home_slot(hash);
    for (std::size_t probes = 0; probes < table.slots; ++probes, slot = table.next_slot(slot)) {
      if (probes % 8 == 0 && L::load_volatile(table.count()) > max_classes) return;
      std::uint64_t found = L::load_volatile(table.hash(slot));
      if (found == 0) {
        found = Kokkos::atomic_compare_exchange(table.hash(slot), std::uint64_t(0), hash);
        if (found == 0) Kokkos::atomic_inc(table.count());
      }
      if (found != 0 && found != hash) continue;
      std::uint64_t const own = table.num_rows - i;
      if (L::load_volatile(table.first_row(slot)) < own) Kokkos::atomic_max(table.first_row(slot), own);
      return;
    }
  }
};

/// Stores the representative of each row: the first row with its hash if all entries are equal, else the row
/// itself.
template <class Rows, class Table, class Hashes>
struct AssignRowClass {
  Rows rows;
  Table table;
  Hashes hashes;

  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, std::size_t i) const {
    auto const hash = hashes(i);
    auto slot = table.home_slot(hash);
    while (*table.hash(slot) != hash) slot = table.next_slot(slot);
    auto const first = static_cast<std::size_t>(table.num_rows - *table.first_row(slot));
    auto const row = rows.row(i), other = rows.row(first);
    int const differences = group.template sum<int>(row.size == other.size ? row.size : 0, [&](std::size_t k) {
      return rows.entry(row, k) == rows.entry(other, k) ? 0 : 1;
    });
    bool const is_same = row.size == other.size && differences == 0;
    group.once([&] { rows.store(i, row, is_same ? first : i); });
  }
};

/// Inserts rows first .. first + count - 1. Returns their number of classes, or a number above max_classes.
/// Fences exec.
template <class Exec, class Rows, class Hashes, class Table>
std::uint64_t count_row_classes(Exec const& exec, Rows const& rows, std::size_t first, std::size_t count,
                                int lanes, std::size_t max_classes, Hashes const& hashes, Table const& table) {
  Kokkos::deep_copy(exec, table.storage, std::uint64_t(0));
  for_each_by_lanes(exec, "einkorn::spgemm[hash rows]", count, lanes,
                    HashRow<Rows, Hashes>{rows, hashes, first});
  range_for<std::size_t>("einkorn::spgemm[insert rows]", exec, count,
                         InsertRow<Lanes<Exec>, Table, Hashes>{table, hashes, max_classes});
  std::uint64_t num_classes = 0;
  Kokkos::deep_copy(exec, Kokkos::View<std::uint64_t, Kokkos::HostSpace>(&num_classes),
                    Kokkos::subview(table.storage, 2 * table.slots));
  exec.fence("einkorn::spgemm: the host reads the number of row classes");
  return num_classes;
}

/// Finds the classes of `count` rows: rows.store(i, row, representative), after comparing all entries. Returns
/// false, with nothing stored, if there are more than max_classes, or more than 1024 in a sample of 2048 rows
/// from the middle of at least 131072 rows.
/// @param hashes scratch, [count]
/// @param storage scratch of a RowClassTable for at least max_classes classes
/// Reads entries twice; 3 launches, and 2 for the sample; fences exec.
template <class Exec, class Rows, class Hashes>
bool find_row_classes(Exec const& exec, Rows const& rows, std::size_t count, int lanes, std::size_t max_classes,
                      Hashes const& hashes, Hashes const& storage) {
  constexpr std::size_t sample = 2048, min_rows_to_sample = 64 * sample;
  using Table = RowClassTable<typename Hashes::device_type>;
  Table const table{storage, (storage.extent(0) - 1) / 2, count};
  if (count >= min_rows_to_sample &&
      count_row_classes(exec, rows, count / 2, sample, lanes, sample, hashes, table) > sample / 2)
    return false;
  if (count_row_classes(exec, rows, 0, count, lanes, max_classes, hashes, table) > max_classes) return false;
  for_each_by_lanes(exec, "einkorn::spgemm[row classes]", count, lanes,
                    AssignRowClass<Rows, Table, Hashes>{rows, table, hashes});
  return true;
}

}  // namespace einkorn::detail
