// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/row_order.hpp>
#include <einkorn/formats/spgemm/detail/compress_b.hpp>
#include <einkorn/formats/spgemm/detail/row_classes.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace einkorn::detail {

/// The kinds of the rows of C = A B. Only the first row of each kind is worked out, as a row of F B, where F
/// has the first rows of A; the others are copies of it, shifted.
template <class AMatrix>
struct RowClassesOfC {
  using Ordinal = typename AMatrix::ordinal_type;
  using Device = typename AMatrix::device_type;
  using List = Kokkos::View<Ordinal*, Device>;

  Kokkos::View<RowClass<Ordinal>*, Device> shapes;  // [rows of B]
  List kinds;                                       // [rows of C]: the number of the kind
  List first_rows, bases;                           // [kinds]: of A and C, and RowsByShapes::base of them
  AMatrix firsts;                                   // F, without values

  [[nodiscard]] bool found() const { return kinds.extent(0) > 0; }
  [[nodiscard]] std::size_t bytes() const {
    return shapes.extent(0) * sizeof(RowClass<Ordinal>) + kinds.extent(0) * sizeof(Ordinal) +
           bytes_of_firsts(firsts.columns.extent(0), bases.extent(0));
  }
  [[nodiscard]] static std::size_t bytes_of_firsts(std::size_t entries, std::size_t kinds) {
    return (entries + 2 * kinds) * sizeof(Ordinal) + (kinds + 1) * sizeof(typename AMatrix::offset_type);
  }

  /// Rows that are one of a kind gain nothing, so there have to be four of a kind in the mean.
  static constexpr std::size_t max_row_classes = std::size_t(1) << 14;
  [[nodiscard]] static std::size_t max_of(std::size_t rows) { return std::min(max_row_classes, rows / 4); }
};

/// numbers(i) <- the kinds before row i, and the sum of all.
template <class List>
struct NumberRowClasses {
  List kinds;  // [rows of C]: the first row of the kind of each
  List numbers;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t& before, bool is_final) const {
    if (is_final) numbers(i) = static_cast<typename List::value_type>(before);
    if (static_cast<std::size_t>(kinds(i)) == i) ++before;
  }
};
/// From that the list of first rows, the lengths of A's, their bases; and the number of every row's kind.
template <class Rows, class List, class Offsets>
struct ListRowClasses {
  Rows rows;
  List numbers, first_rows, bases;
  Offsets lengths;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const first = static_cast<std::size_t>(rows.kinds(i));
    if (first != i) {
      numbers(i) = numbers(first);
      return;
    }
    auto const row = rows.row(i);
    auto const kind = numbers(i);
    first_rows(kind) = rows.kinds(i);
    bases(kind) = row.base;
    lengths(kind) = static_cast<typename Offsets::value_type>(row.size);
  }
};
template <class Matrix, class List, class Offsets>
struct CopyFirstRows {
  Matrix A;
  List first_rows;
  Offsets offsets;
  List columns;
  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, std::size_t kind) const {
    auto const from = A.row_begin(first_rows(kind)), to = offsets(kind);
    group.for_each(group.is_idle ? 0 : offsets(kind + 1) - to,
                   [&](auto k) { columns(to + k) = A.columns(from + k); });
  }
};

/// Lanes for a pass over rows of so many entries in the mean, a few entries a lane.
template <class Exec>
int lanes_for_rows(std::size_t entries, std::size_t rows) {
  return lanes_for<Exec>(static_cast<double>(entries) / (4.0 * static_cast<double>(rows)));
}

/// Found where C's rows are of few kinds and `limit` bytes allow it, those that the small product needs at
/// least included. workspace: what was in use at most.
template <class Exec, class AMatrix, class BMatrix>
RowClassesOfC<AMatrix> row_classes_of_C(Exec const& exec, AMatrix const& A, BMatrix const& B, std::size_t limit,
                                        std::size_t& workspace) {
  using RowClasses = RowClassesOfC<AMatrix>;
  using Ordinal = typename RowClasses::Ordinal;
  using Device = typename RowClasses::Device;
  using List = typename RowClasses::List;
  using Offsets = Kokkos::View<typename AMatrix::offset_type*, Device>;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;
  auto const rows = static_cast<std::size_t>(A.num_rows), rows_of_B = static_cast<std::size_t>(B.num_rows);
  std::size_t const most = RowClasses::max_of(rows), max_of_B = RowClasses::max_of(rows_of_B);
  std::size_t const shapes = rows_of_B * sizeof(RowClass<Ordinal>);
  std::size_t needed = std::max(rows, rows_of_B) * sizeof(std::uint64_t) + shapes + rows * sizeof(Ordinal) +
                       RowClassTable<Device>::bytes(std::max(most, max_of_B));
  if (most == 0 || max_of_B == 0 || needed > limit) return {};
  workspace = std::max(workspace, needed);
  auto const list = [&](std::size_t size) { return allocate<List>(exec, "einkorn::spgemm::kinds", size); };
  RowClasses found;
  found.shapes = allocate<decltype(found.shapes)>(exec, "einkorn::spgemm::shapes", rows_of_B);
  RowsByShapes<AMatrix> by_shapes{A, found.shapes, {}};
  int const lanes_of_A = lanes_for_rows<Exec>(static_cast<std::size_t>(A.nnz()), rows);
  {
    using Words = Kokkos::View<std::uint64_t*, Device>;
    auto const hashes = allocate<Words>(exec, "einkorn::spgemm::hashes", std::max(rows, rows_of_B));
    auto const table =
        allocate<Words>(exec, "einkorn::spgemm::kind_table",
                        RowClassTable<Device>::bytes(std::max(most, max_of_B)) / sizeof(std::uint64_t));
    int const lanes_of_B = lanes_for_rows<Exec>(static_cast<std::size_t>(B.nnz()), rows_of_B);
    if (!find_kinds(exec, RowsByColumns<BMatrix>{B, found.shapes}, rows_of_B, lanes_of_B, max_of_B, hashes,
                    table))
      return {};
    by_shapes.kinds = list(rows);
    if (!find_kinds(exec, by_shapes, rows, lanes_of_A, most, hashes, table)) return {};
    exec.fence("einkorn::spgemm: the hashes of the rows are freed");
  }
  auto const numbers = list(rows);
  std::size_t kinds = 0;
  Kokkos::parallel_scan("einkorn::spgemm[number kinds]", Range(exec, 0, rows),
                        NumberRowClasses<List>{by_shapes.kinds, numbers}, kinds);
  found.first_rows = list(kinds);
  auto const offsets = allocate<Offsets>(exec, "einkorn::spgemm::kinds", kinds + 1);
  found.bases = list(kinds);
  Kokkos::parallel_for("einkorn::spgemm[list kinds]", Range(exec, 0, rows),
                       ListRowClasses<RowsByShapes<AMatrix>, List, Offsets>{
                           by_shapes, numbers, found.first_rows, found.bases, offsets});
  auto const entries = static_cast<std::size_t>(counts_to_offsets(exec, offsets));
  needed = shapes + 2 * rows * sizeof(Ordinal) + RowClasses::bytes_of_firsts(entries, kinds) +
           4 * kinds * sizeof(Ordinal);
  if (needed > limit) return {};
  workspace = std::max(workspace, needed);
  auto const columns = list(entries);
  for_each_by_lanes(exec, "einkorn::spgemm[copy first rows]", kinds, lanes_of_A,
                    CopyFirstRows<AMatrix, List, Offsets>{A, found.first_rows, offsets, columns});
  found.firsts.num_rows = static_cast<Ordinal>(kinds);
  found.firsts.num_cols = A.num_cols;
  found.firsts.row_offsets = offsets;
  found.firsts.columns = columns;
  found.kinds = numbers;
  exec.fence("einkorn::spgemm: the first row of every row's kind is freed");
  return found;
}

/// counts(0), counts(1) <- descents and equal neighbours in the rows of B that a run, an entry of F, names.
template <class FMatrix, class BMatrix, class Counts>
struct CountDisorderOfRun {
  FMatrix F;
  BMatrix B;
  Counts counts;
  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, std::size_t run) const {
    auto const j = F.columns(run);
    auto const begin = B.row_begin(j), end = B.row_end(j);
    auto const disorder = group.template sum<std::uint64_t>(end - begin, [&](auto l) -> std::uint64_t {
      if (l == 0) return 0;
      auto const before = B.columns(begin + l - 1), column = B.columns(begin + l);
      return before > column ? 1 : before == column ? std::uint64_t(1) << 32 : 0;
    });
    group.once([&] {
      if ((disorder & 0xffffffffu) != 0) Kokkos::atomic_inc(&counts(0));
      if (disorder >> 32 != 0) Kokkos::atomic_inc(&counts(1));
    });
  }
};
/// The order of the rows of B that matter to C: every kind of them is in a row of F.
template <class Exec, class AMatrix, class BMatrix>
RowOrder row_order_of(Exec const& exec, RowClassesOfC<AMatrix> const& kinds, BMatrix const& B) {
  using Counts = Kokkos::View<unsigned*, typename AMatrix::device_type>;
  auto const counts = allocate_zeros<Counts>(exec, "einkorn::spgemm::disorder", 2);
  int const lanes =
      lanes_for_rows<Exec>(static_cast<std::size_t>(B.nnz()), static_cast<std::size_t>(B.num_rows));
  for_each_by_lanes(exec, "einkorn::spgemm[order]", kinds.firsts.columns.extent(0), lanes,
                    CountDisorderOfRun<AMatrix, BMatrix, Counts>{kinds.firsts, B, counts});
  unsigned found[2] = {};
  Kokkos::deep_copy(exec, Kokkos::View<unsigned*, Kokkos::HostSpace>(found, 2), counts);
  exec.fence("einkorn::spgemm: the order of B's rows");
  return {found[0] == 0, found[1] != 0};
}

template <class List, class Products>
struct SumOfRowClasses {
  List kinds;
  Products products;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::uint64_t& sum) const { sum += products(kinds(i)); }
};
/// Products of A with B: a row of kind q has as many as the columns of B that row q of F names, each a word.
template <class Exec, class AMatrix, class BMatrix>
std::uint64_t count_products_of(Exec const& exec, RowClassesOfC<AMatrix> const& kinds, BMatrix const& B) {
  using Products = Kokkos::View<std::uint64_t*, typename AMatrix::device_type>;
  auto const& F = kinds.firsts;
  auto const products =
      allocate<Products>(exec, "einkorn::spgemm::products", static_cast<std::size_t>(F.num_rows));
  bound_words(exec, F, columns_as_words(B), std::numeric_limits<std::uint64_t>::max(), products);
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce(
      "einkorn::spgemm[products]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, kinds.kinds.extent(0)),
      SumOfRowClasses<typename RowClassesOfC<AMatrix>::List, Products>{kinds.kinds, products}, sum);
  return sum;
}

/// to(i) <- from(map(i)).
template <class Map, class Numbers>
struct Gather {
  Map map;
  Numbers from, to;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { to(i) = from(map(i)); }
};
template <class Exec, class Map, class Numbers>
void gather(Exec const& exec, char const* label, Map const& map, Numbers const& from, Numbers const& to) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, map.extent(0)),
                       Gather<Map, Numbers>{map, from, to});
}

/// The columns of the rows of C that are not the first of their kind.
template <class RowClasses, class Rows, class Offsets, class Columns>
struct CopyColumns {
  RowClasses kinds, first_rows, bases;
  Rows rows;
  Offsets offsets;
  Columns columns;

  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, std::size_t i) const {
    auto const kind = kinds(i);
    auto const first = first_rows(kind);
    auto const from = offsets(first), to = offsets(i);
    auto const shift = rows.row(i).base - bases(kind);
    bool const is_copied = from != to && !group.is_idle;
    group.for_each(is_copied ? offsets(i + 1) - to : 0,
                   [&](auto p) { columns(to + p) = columns(from + p) + shift; });
  }
};

/// C's columns, once those of the first rows are there.
template <class Exec, class AMatrix, class Offsets, class Columns>
void copy_columns(Exec const& exec, AMatrix const& A, RowClassesOfC<AMatrix> const& kinds,
                  Offsets const& offsets, Columns const& columns) {
  using Rows = RowsByShapes<AMatrix>;
  auto const rows = kinds.kinds.extent(0);
  for_each_by_lanes(
      exec, "einkorn::spgemm[copy columns]", rows, lanes_for_rows<Exec>(columns.extent(0), rows),
      CopyColumns<typename RowClassesOfC<AMatrix>::List, Rows, Offsets, Columns>{
          kinds.kinds, kinds.first_rows, kinds.bases, Rows{A, kinds.shapes, {}}, offsets, columns});
}

}  // namespace einkorn::detail
