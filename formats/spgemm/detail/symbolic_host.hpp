// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/spgemm/choose.hpp>
#include <einkorn/formats/spgemm/detail/column_table.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>
#include <einkorn/formats/spgemm/detail/host_rows.hpp>
#include <einkorn/formats/spgemm/detail/state.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace einkorn::detail {

/// products(i) <- products of row i of A B. Reduces to the largest upper bound of a row's compressed columns.
template <class AMatrix, class BMatrix, class CompressedOffsets, class Products>
struct HostUpperBounds {
  AMatrix A;
  BMatrix B;
  CompressedOffsets compressed_offsets;
  Products products;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::uint64_t& max_keys) const {
    using Ordinal = typename AMatrix::ordinal_type;
    std::uint64_t num_products = 0, num_compressed = 0;
    for (auto k = A.row_begin(static_cast<Ordinal>(i)); k < A.row_end(static_cast<Ordinal>(i)); ++k) {
      Ordinal const j = A.columns(k);
      num_products += static_cast<std::uint64_t>(B.row_end(j) - B.row_begin(j));
      num_compressed += static_cast<std::uint64_t>(compressed_offsets(j + 1) - compressed_offsets(j));
    }
    products(i) = num_products;
    if (num_compressed > max_keys) max_keys = num_compressed;
  }
};

/// The compressed columns of a row of C in a bitmap of all columns per thread, which is zero between rows.
template <class Ordinal, class Memory>
struct BitmapAccumulator {
  PerThread<std::uint32_t, Memory> bits, key_bits;  // [thread][keys], [thread][keys of keys]

  struct Thread {
    std::uint32_t *bits, *key_bits;

    void begin_row(std::size_t /*max_keys*/) const {}
    /// True if the row did not have the key.
    [[nodiscard]] bool add(Ordinal key, std::uint32_t mask) const {
      std::uint32_t const before = bits[key];
      bits[key] = before | mask;
      return before == 0;
    }
    /// Returns the mask of a key and removes it.
    [[nodiscard]] std::uint32_t take(Ordinal key) const { return std::exchange(bits[key], 0u); }
    /// Sorts a list of distinct keys: by a bitmap of the keys if it has at most 8 words per key, else by
    /// comparison.
    void sort(Ordinal* list, std::size_t size) const {
      if (size < 2) return;
      auto const [min_key, max_key] = std::minmax_element(list, list + size);
      Ordinal const first = key_of(*min_key), last = key_of(*max_key);
      if (static_cast<std::size_t>(last - first) > 8 * size) {
        std::sort(list, list + size);
        return;
      }
      for (std::size_t s = 0; s < size; ++s) key_bits[key_of(list[s])] |= bit_of(list[s]);
      for (Ordinal w = first; w <= last; ++w) {
        list = write_indices(w, key_bits[w], list);
        key_bits[w] = 0;
      }
    }
  };
  [[nodiscard]] Thread of(std::size_t thread) const { return {&bits(thread, 0), &key_bits(thread, 0)}; }
};

/// The compressed columns of a row of C in a hash table per thread, sized for the row.
template <class Ordinal, class Memory>
struct HashAccumulator {
  using Entry = CompressedColumns<Ordinal>;
  PerThread<Entry, Memory> entries;  // [thread][slots of the longest row]

  struct Thread {
    ColumnTable<Ordinal, OneThread> table;

    void begin_row(std::size_t max_keys) {
      table.capacity = static_cast<int>(table_capacity(max_keys));
      for (int slot = 0; slot < table.capacity; ++slot) table.clear(slot);
    }
    [[nodiscard]] bool add(Ordinal key, std::uint32_t mask) const {
      Entry& entry = table.columns[table.insert(key, 0)];
      return std::exchange(entry.mask, entry.mask | mask) == 0;
    }
    [[nodiscard]] std::uint32_t take(Ordinal key) const { return table.columns[table.find(key)].mask; }
    static void sort(Ordinal* list, std::size_t size) { std::sort(list, list + size); }
  };
  [[nodiscard]] Thread of(std::size_t thread) const { return {{&entries(thread, 0), 0}}; }
};

/// Counts or writes the columns of row i of C: an OR of masks in a BitmapAccumulator or HashAccumulator, with a
/// list of the keys that are set (Gustavson, ACM TOMS 4, 1978).
template <class AMatrix, class CompressedB, class COffset, class Accumulator>
struct HostSymbolicKernel {
  using Ordinal = typename AMatrix::ordinal_type;
  using Memory = typename AMatrix::device_type::memory_space;

  AMatrix A;
  CompressedB B;
  Accumulator accumulators;
  PerThread<Ordinal, Memory> lists;                               // [thread][upper bound of a row]
  Kokkos::View<std::uint64_t const*, Memory> products;            // offsets, [rows + 1]
  Kokkos::View<COffset*, typename AMatrix::device_type> offsets;  // [rows + 1]: counts, then offsets
  Kokkos::View<Ordinal*, typename AMatrix::device_type> columns;  // empty while counting
  bool sorted, counting;

  void operator()(std::size_t i, std::size_t thread) const {
    auto accumulator = accumulators.of(thread);
    auto* const list = &lists(thread, 0);
    auto const row = static_cast<Ordinal>(i);
    accumulator.begin_row(std::min(lists.extent(1), static_cast<std::size_t>(products(i + 1) - products(i))));
    std::size_t num_set = 0;
    auto const add = [&](Ordinal key, std::uint32_t mask) {
      if (accumulator.add(key, mask)) list[num_set++] = key;
    };
    for (auto k = A.row_begin(row); k < A.row_end(row); ++k) {
      auto const j = A.columns(k);
      auto const begin = B.offsets(j), end = B.offsets(j + 1);
      if (B.compressed)
        for (auto p = begin; p < end; ++p) add(B.packed(p).key, B.packed(p).mask);
      else
        for (auto p = begin; p < end; ++p) add(key_of(B.columns(p)), bit_of(B.columns(p)));
    }
    if (counting) {
      COffset total = 0;
      for (std::size_t s = 0; s < num_set; ++s)
        total = static_cast<COffset>(total + static_cast<COffset>(count_bits(accumulator.take(list[s]))));
      offsets(i) = total;
      return;
    }
    if (sorted) accumulator.sort(list, num_set);
    auto* to = columns.data() + offsets(i);
    for (std::size_t s = 0; s < num_set; ++s) to = write_indices(list[s], accumulator.take(list[s]), to);
  }
};

template <class Exec, class AMatrix, class BMatrix>
bool uses_bitmap(AMatrix const& A, BMatrix const& B) {
  return uses_dense_accumulator(static_cast<std::size_t>(num_keys_for(B.num_cols)), sizeof(std::uint32_t),
                                RowParts<Exec>::threads(),
                                static_cast<std::size_t>(A.nnz()) + static_cast<std::size_t>(B.nnz()));
}

/// Bytes of temporaries for the pattern, without the compressed B: with lists of `max_keys` keys per thread.
template <class Exec, class AMatrix, class BMatrix>
std::size_t host_pattern_bytes(AMatrix const& A, BMatrix const& B, std::size_t max_keys) {
  using Ordinal = typename AMatrix::ordinal_type;
  auto const all = static_cast<std::size_t>(num_keys_for(B.num_cols));
  std::size_t const accumulators =
      uses_bitmap<Exec>(A, B) ? (all + static_cast<std::size_t>(num_keys_for(all))) * sizeof(std::uint32_t)
                              : table_capacity(max_keys) * sizeof(CompressedColumns<Ordinal>);
  return (static_cast<std::size_t>(A.num_rows) + 1) * sizeof(std::uint64_t) +
         RowParts<Exec>::threads() * (accumulators + max_keys * sizeof(Ordinal));
}
/// The same with the largest possible lists.
template <class Exec, class AMatrix, class BMatrix>
std::size_t host_pattern_bytes(AMatrix const& A, BMatrix const& B) {
  return host_pattern_bytes<Exec>(A, B, static_cast<std::size_t>(num_keys_for(B.num_cols)));
}

/// Counts and columns of C, with lists of `max_keys` keys per thread.
template <class Exec, class State, class AMatrix, class CompressedB, class Accumulator>
void fill_pattern_on_host(Exec const& exec, State& plan, AMatrix const& A, CompressedB compressed_B,
                          Accumulator const& accumulators, std::size_t max_keys) {
  using COffset = typename decltype(plan.row_offsets)::non_const_value_type;
  using Kernel = HostSymbolicKernel<AMatrix, CompressedB, COffset, Accumulator>;
  RowParts<Exec> const parts{plan.host_scratch.products, static_cast<std::size_t>(host_parts(exec))};
  auto const lists =
      allocate<decltype(Kernel::lists)>(exec, "einkorn::spgemm::lists", RowParts<Exec>::threads(), max_keys);
  Kernel kernel{A,
                std::move(compressed_B),
                accumulators,
                lists,
                plan.host_scratch.products,
                plan.row_offsets,
                {},
                plan.options.rows == SpgemmRows::sorted,
                true};
  parts.for_each_row(exec, "einkorn::spgemm[symbolic count,host]", kernel);
  allocate_pattern(exec, plan);
  kernel.columns = plan.columns;
  kernel.counting = false;
  parts.for_each_row(exec, "einkorn::spgemm[symbolic fill,host]", kernel);
  exec.fence("einkorn::spgemm: the temporaries of the pattern are freed");
}

/// The pattern of C by host_rows.
template <class Exec, class State, class AMatrix, class BMatrix, class CompressedB>
void compute_pattern_on_host(Exec const& exec, State& plan, AMatrix const& A, BMatrix const& B,
                             CompressedB compressed_B) {
  using Ordinal = typename AMatrix::ordinal_type;
  using Memory = typename AMatrix::device_type::memory_space;
  auto const rows = static_cast<std::size_t>(A.num_rows);
  auto& scratch = plan.host_scratch;
  using Products = std::remove_cvref_t<decltype(scratch.products)>;
  scratch.products = allocate<Products>(exec, "einkorn::spgemm::products", rows + 1);
  std::uint64_t max_bound = 0;
  range_reduce<std::size_t>("einkorn::spgemm[upper bounds]", exec, rows,
                            HostUpperBounds<AMatrix, BMatrix, decltype(compressed_B.offsets), Products>{
                                A, B, compressed_B.offsets, scratch.products},
                            Kokkos::Max<std::uint64_t>(max_bound));
  plan.report.products = counts_to_offsets(exec, scratch.products);
  auto const threads = RowParts<Exec>::threads();
  auto const all = static_cast<std::size_t>(num_keys_for(B.num_cols));
  auto const max_keys = std::min<std::size_t>(all, max_bound);
  std::size_t const needed = compressed_B.bytes() + host_pattern_bytes<Exec>(A, B, max_keys);
  require_workspace(plan.options, needed);
  if (uses_bitmap<Exec>(A, B)) {
    BitmapAccumulator<Ordinal, Memory> bitmap;
    using Bits = decltype(bitmap.bits);
    bitmap.bits = allocate_zeros<Bits>(exec, "einkorn::spgemm::bits", threads, all);
    bitmap.key_bits = allocate_zeros<Bits>(exec, "einkorn::spgemm::key_bits", threads, num_keys_for(all));
    fill_pattern_on_host(exec, plan, A, std::move(compressed_B), bitmap, max_keys);
  } else {
    HashAccumulator<Ordinal, Memory> table;
    table.entries = allocate<decltype(table.entries)>(exec, "einkorn::spgemm::column_tables", threads,
                                                      host_table_slots(max_keys));
    fill_pattern_on_host(exec, plan, A, std::move(compressed_B), table, max_keys);
  }
  plan.report.workspace = needed;
}

}  // namespace einkorn::detail
