// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/mix64.hpp>
#include <einkorn/formats/spgemm/detail/row_group.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// Rows are of one kind when their columns are the same but for a shift of all of them. On a structured grid
/// there are few kinds: 27 in a box of 27-point stencils, 125 in its square, whatever its size. The first row
/// of a kind stands for it.
namespace einkorn::detail {

/// A row: the first row of its kind, and its first column, -1 in an empty row.
template <class Ordinal>
struct alignas(2 * sizeof(Ordinal)) RowClass {
  Ordinal kind, first;

  friend KOKKOS_FORCEINLINE_FUNCTION bool operator==(RowClass const& a, RowClass const& b) {
    return a.kind == b.kind && a.first == b.first;
  }
};

/// Rows of a matrix by their columns, for find_kinds().
template <class Matrix>
struct RowsByColumns {
  using Ordinal = typename Matrix::ordinal_type;
  using Shape = RowClass<Ordinal>;

  struct Row {
    std::size_t begin, size;
    Ordinal base;
  };

  Matrix A;
  Kokkos::View<Shape*, typename Matrix::device_type> shapes;  // [rows], written

  KOKKOS_FORCEINLINE_FUNCTION Row row(std::size_t i) const {
    auto const begin = A.row_begin(static_cast<Ordinal>(i)), end = A.row_end(static_cast<Ordinal>(i));
    return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin),
            begin == end ? Ordinal(-1) : A.columns(begin)};
  }
  /// Entry k, the same in all rows of a kind.
  KOKKOS_FORCEINLINE_FUNCTION Shape entry(Row const& row, std::size_t k) const {
    return {0, A.columns(row.begin + k) - row.base};
  }
  KOKKOS_FORCEINLINE_FUNCTION void set(std::size_t i, Row const& row, std::size_t kind) const {
    shapes(i) = {static_cast<Ordinal>(kind), row.base};
  }
};

/// Rows of A B by the rows of B that they are the union of: their kinds, and where they begin. What two rows
/// of C are shifted by is then the difference of their bases.
template <class AMatrix>
struct RowsByShapes {
  using Ordinal = typename AMatrix::ordinal_type;
  using Shape = RowClass<Ordinal>;
  using Row = typename RowsByColumns<AMatrix>::Row;

  AMatrix A;
  Kokkos::View<Shape const*, typename AMatrix::device_type> shapes;  // [rows of B]
  Kokkos::View<Ordinal*, typename AMatrix::device_type> kinds;       // [rows of A], written

  KOKKOS_FORCEINLINE_FUNCTION Row row(std::size_t i) const {
    auto const begin = A.row_begin(static_cast<Ordinal>(i)), end = A.row_end(static_cast<Ordinal>(i));
    return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin),
            begin == end ? Ordinal(-1) : shapes(A.columns(begin)).first};
  }
  KOKKOS_FORCEINLINE_FUNCTION Shape entry(Row const& row, std::size_t k) const {
    Shape const shape = shapes(A.columns(row.begin + k));
    return {shape.kind, shape.first < 0 ? Ordinal(0) : shape.first - row.base};
  }
  KOKKOS_FORCEINLINE_FUNCTION void set(std::size_t i, Row const&, std::size_t kind) const {
    kinds(i) = static_cast<Ordinal>(kind);
  }
};

/// The kinds seen, in device memory: a hash table of the hashes of their rows, and the first row of each.
template <class Device>
struct RowClassTable {
  using Numbers = Kokkos::View<std::uint64_t*, Device>;

  /// [2 slots + 1], all 0 at first: hashes, `behind` less the first row of each, and their count.
  Numbers numbers;
  std::size_t slots;     // a power of two
  std::uint64_t behind;  // more than any row

  [[nodiscard]] static std::size_t slots_for(std::size_t kinds) {
    std::size_t slots = 4;
    while (slots < 2 * kinds) slots *= 2;
    return slots;
  }
  [[nodiscard]] static std::size_t bytes(std::size_t kinds) {
    return (2 * slots_for(kinds) + 1) * sizeof(std::uint64_t);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t home(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash >> 32) & (slots - 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t after(std::size_t slot) const { return (slot + 1) & (slots - 1); }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t* hash(std::size_t slot) const { return &numbers(slot); }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t* to_first(std::size_t slot) const { return &numbers(slots + slot); }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t* count() const { return &numbers(2 * slots); }
};

/// hashes(i) <- a hash of row first + i, the same for all rows of a kind, never 0.
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
      return mix64(0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(entry.kind) +
                   0xbf58476d1ce4e5b9u * static_cast<std::uint64_t>(entry.first) +
                   0x94d049bb133111ebu * static_cast<std::uint64_t>(k + 1));
    });
    std::uint64_t const hash = sum + row.size;
    group.once([&] { hashes(i) = hash == 0 ? 1 : hash; });
  }
};

/// Enters the rows into the table, but those that follow closely on a row with the same hash. Past `most` kinds
/// nothing more is entered.
template <class L, class Table, class Hashes>
struct EnterRow {
  static constexpr std::size_t closely = 8;

  Table table;
  Hashes hashes;
  std::uint64_t most;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const hash = hashes(i);
    for (std::size_t d = 1; d <= closely && d <= i; ++d)
      if (hashes(i - d) == hash) return;
    auto slot = table.home(hash);
    for (std::size_t probes = 0; probes < table.slots; ++probes, slot = table.after(slot)) {
      if (probes % 8 == 0 && L::load_volatile(table.count()) > most) return;
      std::uint64_t found = L::load_volatile(table.hash(slot));
      if (found == 0) {
        found = Kokkos::atomic_compare_exchange(table.hash(slot), std::uint64_t(0), hash);
        if (found == 0) Kokkos::atomic_inc(table.count());
      }
      if (found != 0 && found != hash) continue;
      std::uint64_t const own = table.behind - i;
      if (L::load_volatile(table.to_first(slot)) < own) Kokkos::atomic_max(table.to_first(slot), own);
      return;
    }
  }
};

/// Says of each row which one stands for its kind; a row that has the hash of another kind, for itself.
template <class Rows, class Table, class Hashes>
struct SetRowClass {
  Rows rows;
  Table table;
  Hashes hashes;

  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, std::size_t i) const {
    auto const hash = hashes(i);
    auto slot = table.home(hash);
    while (*table.hash(slot) != hash) slot = table.after(slot);
    auto const first = static_cast<std::size_t>(table.behind - *table.to_first(slot));
    auto const row = rows.row(i), other = rows.row(first);
    int const differences = group.template sum<int>(row.size == other.size ? row.size : 0, [&](std::size_t k) {
      return rows.entry(row, k) == rows.entry(other, k) ? 0 : 1;
    });
    bool const is_alike = row.size == other.size && differences == 0;
    group.once([&] { rows.set(i, row, is_alike ? first : i); });
  }
};

/// Enters rows first .. first + count - 1. How many kinds they are of, or more than `most`. Fences exec.
template <class Exec, class Rows, class Hashes, class Table>
std::uint64_t count_kinds(Exec const& exec, Rows const& rows, std::size_t first, std::size_t count, int lanes,
                          std::size_t most, Hashes const& hashes, Table const& table) {
  Kokkos::deep_copy(exec, table.numbers, std::uint64_t(0));
  for_each_by_lanes(exec, "einkorn::spgemm[hash rows]", count, lanes,
                    HashRow<Rows, Hashes>{rows, hashes, first});
  Kokkos::parallel_for("einkorn::spgemm[enter rows]",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, count),
                       EnterRow<Lanes<Exec>, Table, Hashes>{table, hashes, most});
  std::uint64_t kinds = 0;
  Kokkos::deep_copy(exec, Kokkos::View<std::uint64_t, Kokkos::HostSpace>(&kinds),
                    Kokkos::subview(table.numbers, 2 * table.slots));
  exec.fence("einkorn::spgemm: how many kinds of rows there are");
  return kinds;
}

/// Finds the kinds of `count` rows, each compared with the first of its kind: rows.set(i, row, that one).
/// hashes: scratch, [count]; numbers: scratch of a RowClassTable for `most` kinds or more. False, with nothing
/// set, where there are more, as a sample from the middle of many rows shows at once. Reads entries twice; 3
/// launches; fences exec.
template <class Exec, class Rows, class Hashes>
bool find_kinds(Exec const& exec, Rows const& rows, std::size_t count, int lanes, std::size_t most,
                Hashes const& hashes, Hashes const& numbers) {
  constexpr std::size_t sample = 2048, many = 64 * sample;
  using Table = RowClassTable<typename Hashes::device_type>;
  Table const table{numbers, (numbers.extent(0) - 1) / 2, count};
  if (count >= many && count_kinds(exec, rows, count / 2, sample, lanes, sample, hashes, table) > sample / 2)
    return false;
  if (count_kinds(exec, rows, 0, count, lanes, most, hashes, table) > most) return false;
  for_each_by_lanes(exec, "einkorn::spgemm[kinds]", count, lanes,
                    SetRowClass<Rows, Table, Hashes>{rows, table, hashes});
  return true;
}

}  // namespace einkorn::detail
