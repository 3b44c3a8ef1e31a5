// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/row_order.hpp>
#include <einkorn/formats/spgemm/choose.hpp>
#include <einkorn/formats/spgemm/detail/compress_b.hpp>
#include <einkorn/formats/spgemm/detail/row_classes.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace einkorn::detail {

/// The classes of the rows of C = A B. Only representatives are computed, as rows of F B, where F has the rows
/// of A of the representatives; the other rows are shifted copies.
template <class AMatrix>
struct RowClassesOfC {
  using Ordinal = typename AMatrix::ordinal_type;
  using Device = typename AMatrix::device_type;
  using List = Kokkos::View<Ordinal*, Device>;

  Kokkos::View<RowClass<Ordinal>*, Device> classes_of_B;  // [rows of B]
  List class_of_row;                                      // [rows of C]
  List representatives, bases;                            // [classes]: rows of C, and their bases
  AMatrix F;                                              // without values

  [[nodiscard]] bool found() const { return class_of_row.extent(0) > 0; }
  [[nodiscard]] std::size_t bytes() const {
    return classes_of_B.extent(0) * sizeof(RowClass<Ordinal>) + class_of_row.extent(0) * sizeof(Ordinal) +
           bytes_of_F(F.columns.extent(0), bases.extent(0));
  }
  [[nodiscard]] static std::size_t bytes_of_F(std::size_t entries, std::size_t num_classes) {
    return (entries + 2 * num_classes) * sizeof(Ordinal) +
           (num_classes + 1) * sizeof(typename AMatrix::offset_type);
  }
};

/// numbers(i) <- classes before row i. Total: the number of classes.
template <class List>
struct NumberRowClasses {
  List representative_of_row;  // [rows of C]
  List numbers;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t& before, bool is_final) const {
    if (is_final) numbers(i) = static_cast<typename List::value_type>(before);
    if (static_cast<std::size_t>(representative_of_row(i)) == i) ++before;
  }
};
/// Writes the representatives, their lengths in A and their bases; numbers(i) <- class of row i.
template <class Rows, class List, class Offsets>
struct ListRowClasses {
  Rows rows;
  List numbers, representatives, bases;
  Offsets lengths;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const first = static_cast<std::size_t>(rows.representatives(i));
    if (first != i) {
      numbers(i) = numbers(first);
      return;
    }
    auto const row = rows.row(i);
    auto const class_id = numbers(i);
    representatives(class_id) = rows.representatives(i);
    bases(class_id) = row.base;
    lengths(class_id) = static_cast<typename Offsets::value_type>(row.size);
  }
};
template <class Matrix, class List, class Offsets>
struct CopyRepresentatives {
  Matrix A;
  List representatives;
  Offsets offsets;
  List columns;
  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, std::size_t class_id) const {
    auto const from = A.row_begin(representatives(class_id)), to = offsets(class_id);
    group.for_each(group.is_idle ? 0 : offsets(class_id + 1) - to,
                   [&](auto k) { columns(to + k) = A.columns(from + k); });
  }
};

/// Lanes for a pass over rows, about four entries per lane.
template <class Exec>
int lanes_for_rows(std::size_t entries, std::size_t rows) {
  return lanes_for_mean<Exec>(static_cast<double>(entries) / (4.0 * static_cast<double>(rows)));
}

/// The row classes of C; none if there are too many, or if they and the product F B exceed `limit` bytes.
/// workspace <- peak bytes. The search itself must fit (choose_spgemm()).
template <class Exec, class AMatrix, class BMatrix>
RowClassesOfC<AMatrix> find_row_classes_of_C(Exec const& exec, AMatrix const& A, BMatrix const& B,
                                             std::size_t limit, std::size_t& workspace) {
  using RowClasses = RowClassesOfC<AMatrix>;
  using Ordinal = typename RowClasses::Ordinal;
  using Device = typename RowClasses::Device;
  using List = typename RowClasses::List;
  using Offsets = Kokkos::View<typename AMatrix::offset_type*, Device>;
  auto const rows = static_cast<std::size_t>(A.num_rows), rows_B = static_cast<std::size_t>(B.num_rows);
  std::size_t const max_classes_A = max_row_classes(rows), max_classes_B = max_row_classes(rows_B);
  std::size_t const classes_bytes = rows_B * sizeof(RowClass<Ordinal>);
  std::size_t needed = row_class_search_bytes({rows, rows_B, 0, 0, sizeof(Ordinal), false});
  workspace = std::max(workspace, needed);
  auto const list = [&](std::size_t size) {
    return allocate<List>(exec, "einkorn::spgemm::row_classes", size);
  };
  RowClasses found;
  found.classes_of_B =
      allocate<decltype(found.classes_of_B)>(exec, "einkorn::spgemm::row_classes_of_B", rows_B);
  RowsByClasses<AMatrix> by_classes{A, found.classes_of_B, {}};
  int const lanes_A = lanes_for_rows<Exec>(static_cast<std::size_t>(A.nnz()), rows);
  {
    using Words = Kokkos::View<std::uint64_t*, Device>;
    auto const hashes = allocate<Words>(exec, "einkorn::spgemm::hashes", std::max(rows, rows_B));
    auto const table =
        allocate<Words>(exec, "einkorn::spgemm::class_table",
                        row_class_table_bytes(std::max(max_classes_A, max_classes_B)) / sizeof(std::uint64_t));
    int const lanes_B = lanes_for_rows<Exec>(static_cast<std::size_t>(B.nnz()), rows_B);
    if (!find_row_classes(exec, RowsByColumns<BMatrix>{B, found.classes_of_B}, rows_B, lanes_B, max_classes_B,
                          hashes, table))
      return {};
    by_classes.representatives = list(rows);
    if (!find_row_classes(exec, by_classes, rows, lanes_A, max_classes_A, hashes, table)) return {};
    exec.fence("einkorn::spgemm: the hashes of the rows are freed");
  }
  auto const numbers = list(rows);
  std::size_t num_classes = 0;
  range_scan<std::size_t>("einkorn::spgemm[number classes]", exec, rows,
                          NumberRowClasses<List>{by_classes.representatives, numbers}, num_classes);
  found.representatives = list(num_classes);
  auto const offsets = allocate<Offsets>(exec, "einkorn::spgemm::row_classes", num_classes + 1);
  found.bases = list(num_classes);
  range_for<std::size_t>("einkorn::spgemm[list classes]", exec, rows,
                         ListRowClasses<RowsByClasses<AMatrix>, List, Offsets>{
                             by_classes, numbers, found.representatives, found.bases, offsets});
  auto const entries = static_cast<std::size_t>(counts_to_offsets(exec, offsets));
  needed = classes_bytes + 2 * rows * sizeof(Ordinal) + RowClasses::bytes_of_F(entries, num_classes) +
           4 * num_classes * sizeof(Ordinal);
  if (needed > limit) return {};
  workspace = std::max(workspace, needed);
  auto const columns = list(entries);
  for_each_by_lanes(exec, "einkorn::spgemm[copy representatives]", num_classes, lanes_A,
                    CopyRepresentatives<AMatrix, List, Offsets>{A, found.representatives, offsets, columns});
  found.F.num_rows = static_cast<Ordinal>(num_classes);
  found.F.num_cols = A.num_cols;
  found.F.row_offsets = offsets;
  found.F.columns = columns;
  found.class_of_row = numbers;
  exec.fence("einkorn::spgemm: the representatives of all rows are freed");
  return found;
}

/// counts(0), counts(1) <- number of segments with a descent, with equal neighbours. A segment is a row of B
/// for an entry of F.
template <class FMatrix, class BMatrix, class Counts>
struct CountDisorderOfSegment {
  FMatrix F;
  BMatrix B;
  Counts counts;
  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, std::size_t segment) const {
    auto const j = F.columns(segment);
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
/// The order of those rows of B that C depends on: F has an entry for each of their classes.
template <class Exec, class AMatrix, class BMatrix>
RowOrder row_order_of_B(Exec const& exec, RowClassesOfC<AMatrix> const& classes, BMatrix const& B) {
  using Counts = Kokkos::View<unsigned*, typename AMatrix::device_type>;
  auto const counts = allocate_zeros<Counts>(exec, "einkorn::spgemm::disorder", 2);
  int const lanes =
      lanes_for_rows<Exec>(static_cast<std::size_t>(B.nnz()), static_cast<std::size_t>(B.num_rows));
  for_each_by_lanes(exec, "einkorn::spgemm[row order]", classes.F.columns.extent(0), lanes,
                    CountDisorderOfSegment<AMatrix, BMatrix, Counts>{classes.F, B, counts});
  unsigned found[2] = {};
  Kokkos::deep_copy(exec, Kokkos::View<unsigned*, Kokkos::HostSpace>(found, 2), counts);
  exec.fence("einkorn::spgemm: the order of B's rows");
  return {found[0] == 0, found[1] != 0};
}

template <class List, class Products>
struct SumProductsOfClasses {
  List class_of_row;
  Products products;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::uint64_t& sum) const { sum += products(class_of_row(i)); }
};
/// Products of A B: a row of class q has as many as row q of F.
template <class Exec, class AMatrix, class BMatrix>
std::uint64_t count_products_by_class(Exec const& exec, RowClassesOfC<AMatrix> const& classes,
                                      BMatrix const& B) {
  using Products = Kokkos::View<std::uint64_t*, typename AMatrix::device_type>;
  auto const& F = classes.F;
  auto const products =
      allocate<Products>(exec, "einkorn::spgemm::products", static_cast<std::size_t>(F.num_rows));
  compute_upper_bounds(exec, F, uncompressed_rows(B), std::numeric_limits<std::uint64_t>::max(), products);
  std::uint64_t sum = 0;
  range_reduce<std::size_t>(
      "einkorn::spgemm[products]", exec, classes.class_of_row.extent(0),
      SumProductsOfClasses<typename RowClassesOfC<AMatrix>::List, Products>{classes.class_of_row, products},
      sum);
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
  range_for<std::size_t>(label, exec, map.extent(0), Gather<Map, Numbers>{map, from, to});
}

/// Copies the columns of the representative, shifted, to the other rows of its class.
template <class List, class Rows, class Offsets, class Columns>
struct CopyColumns {
  List class_of_row, representatives, bases;
  Rows rows;
  Offsets offsets;
  Columns columns;

  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, std::size_t i) const {
    auto const class_id = class_of_row(i);
    auto const first = representatives(class_id);
    auto const from = offsets(first), to = offsets(i);
    auto const shift = rows.row(i).base - bases(class_id);
    bool const is_copied = from != to && !group.is_idle;
    group.for_each(is_copied ? offsets(i + 1) - to : 0,
                   [&](auto p) { columns(to + p) = columns(from + p) + shift; });
  }
};

/// C's columns from those of the representatives. One launch, asynchronous.
template <class Exec, class AMatrix, class Offsets, class Columns>
void copy_columns(Exec const& exec, AMatrix const& A, RowClassesOfC<AMatrix> const& classes,
                  Offsets const& offsets, Columns const& columns) {
  using Rows = RowsByClasses<AMatrix>;
  auto const rows = classes.class_of_row.extent(0);
  for_each_by_lanes(exec, "einkorn::spgemm[copy columns]", rows, lanes_for_rows<Exec>(columns.extent(0), rows),
                    CopyColumns<typename RowClassesOfC<AMatrix>::List, Rows, Offsets, Columns>{
                        classes.class_of_row, classes.representatives, classes.bases,
                        Rows{A, classes.classes_of_B, {}}, offsets, columns});
}

}  // namespace einkorn::detail
