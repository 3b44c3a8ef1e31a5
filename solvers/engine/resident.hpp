// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/cooperative.hpp>
#include <einkorn/core/cooperative_vector.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/row_access.hpp>
#include <einkorn/solvers/engine/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Entries first, first + 1, ... of a vector, in scratch or elsewhere, indexed as in the whole vector.
template <class V>
struct BlockVector {
  using non_const_value_type = typename V::non_const_value_type;
  using device_type = typename V::device_type;
  using const_type = typename V::const_type;

  non_const_value_type* data;
  std::size_t first;

  KOKKOS_FORCEINLINE_FUNCTION non_const_value_type& operator()(std::size_t i) const { return data[i - first]; }
};

/// Partition of the rows of a matrix: `rows` consecutive rows per block, `width` stored entries per row. Columns are in
/// scratch; values too, or in device memory, from which every product reads them. Both are stored as SELL of warps: slot
/// by slot for the rows of a warp.
struct ResidentShape {
  static constexpr int threads = 512, vectors = 3;

  int blocks = 0, rows = 0, width = 0;
  bool values_in_scratch = true;

  [[nodiscard]] bool exists() const { return blocks > 0; }
  /// Bytes of scratch per block.
  template <class Scalar, class Value>
  [[nodiscard]] std::size_t scratch() const {
    return offset_of_columns<Scalar, Value>() + num_places() * sizeof(int);
  }
  /// Where the values and the columns begin in the scratch of a block.
  template <class Scalar>
  [[nodiscard]] KOKKOS_FUNCTION std::size_t offset_of_values() const {
    return static_cast<std::size_t>(rows) * vectors * sizeof(Scalar);
  }
  template <class Scalar, class Value>
  [[nodiscard]] KOKKOS_FUNCTION std::size_t offset_of_columns() const {
    return offset_of_values<Scalar>() + (values_in_scratch ? num_places() * sizeof(Value) : 0);
  }
  /// Entries of a block.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t num_places() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width);
  }
  /// Bytes of device memory for the values of all blocks.
  template <class Value>
  [[nodiscard]] std::size_t streamed_bytes() const {
    return values_in_scratch ? 0 : static_cast<std::size_t>(blocks) * num_places() * sizeof(Value);
  }
  /// exists() is false if vectors and columns do not fit on the chip, or the values fit neither there nor into
  /// SolverTuning::max_streamed_bytes.
  template <class Scalar, class Value, class Exec>
  static ResidentShape of(Exec const& exec, std::size_t num_rows, std::size_t width, int max_blocks) {
    constexpr std::size_t granularity = 64;  // rows; whole warps and wavefronts
    std::size_t const max_scratch = max_cooperative_scratch(exec);
    if (num_rows == 0 || num_rows > max_scratch * 1024 || width > max_scratch) return {};
    ResidentShape shape;
    auto const blocks = static_cast<std::size_t>(std::min(max_blocks, num_multiprocessors(exec)));
    std::size_t const rows = ceil_div(num_rows, blocks * granularity) * granularity;
    shape.rows = static_cast<int>(rows);
    shape.width = static_cast<int>(width);
    shape.blocks = static_cast<int>(ceil_div(num_rows, rows));
    if (shape.template scratch<Scalar, Value>() <= max_scratch) return shape;
    shape.values_in_scratch = false;
    bool const fits = shape.template scratch<Scalar, Value>() <= max_scratch &&
                      shape.template streamed_bytes<Value>() <= solver_tuning(arch_of<Exec>).max_streamed_bytes;
    return fits ? shape : ResidentShape();
  }
};

/// A thread's view of its block: rows begin .. end - 1 of the matrix and of the vectors.
template <class Scalar>
struct ResidentBlock {
  unsigned char* scratch;
  std::size_t begin, end;
  int rows, thread, threads;
  std::size_t first_send = 0, end_of_sends = 0;  // of ResidentSends

  /// The thread's rows are row(0), row(1), ... while less than end.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t row(int u) const {
    return begin + static_cast<std::size_t>(thread + u * threads);
  }
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_row(Body const& body) const {
    for (std::size_t i = row(0); i < end; i += static_cast<std::size_t>(threads)) body(i);
  }
  /// The thread's local rows, including those beyond the last row of the matrix: all lanes of a warp take part.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_local_row(Body const& body) const {
    for (int local_row = thread; local_row < rows; local_row += threads) body(local_row);
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar* vector_data(int which) const {
    return reinterpret_cast<Scalar*>(scratch) + which * rows;
  }
};

/// An entry of a vector that another rank needs.
struct ResidentSend {
  std::size_t row;
  std::uint64_t* words;  // of the ghost in the CooperativeVector of that rank
};

/// The entries of a vector that other ranks need, by ascending rows.
struct ResidentSends {
  ResidentSend const* list = nullptr;
  std::size_t count = 0;

  /// The first entry of row `row` or later ones.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t first_of(std::size_t row) const {
    return partition_point_index(std::size_t(0), count, [&](std::size_t at) { return list[at].row < row; });
  }
};

/// The rows of a matrix that the blocks of a cooperative launch copied into their scratch, with values there or in device
/// memory, and their product with a vector in scratch.
template <class Exec, RowEntries Entries, class Scalar>
struct ResidentRows {
  using Value = typename Entries::scalar_type;
  using Ordinal = typename Entries::ordinal_type;
  using Block = ResidentBlock<Scalar>;
  using Exchange = CooperativeVector<Exec, Scalar>;
  /// Maximum over the rows of a warp of the entries whose columns are in the block (inside) or not (outside).
  struct Widths {
    int inside = 0, outside = 0;
    bool fits = true;  // false: a row of this thread has more entries than shape.width
  };

  /// Whether other ranks need entries of the vector.
  static constexpr bool has_ranks = requires(Entries const& rows) { rows.sends; };

  Entries entries;
  Exchange exchange;
  std::size_t num_rows;
  ResidentShape shape;
  Value* streamed;  // device memory for the values of all blocks; unused with values_in_scratch

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION Block block(Member const& member) const {
    auto const rows = static_cast<std::size_t>(shape.rows);
    std::size_t const begin = static_cast<std::size_t>(member.block()) * rows;
    Block block{member.scratch(),
                begin,
                begin + rows < num_rows ? begin + rows : num_rows,
                shape.rows,
                member.rank_in_block(),
                member.threads_of_block()};
    if constexpr (has_ranks) {
      block.first_send = entries.sends.first_of(block.begin);
      block.end_of_sends = entries.sends.first_of(block.end);
    }
    return block;
  }
  /// Stores the entries of the block that other ranks need into their memory. Collective over the block, after
  /// sync_block().
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION void send([[maybe_unused]] Block const& block, [[maybe_unused]] V const& vector,
                                        [[maybe_unused]] std::uint32_t tag) const {
    if constexpr (has_ranks) {
      auto const* const list = entries.sends.list;
      for (auto at = block.first_send + static_cast<std::size_t>(block.thread); at < block.end_of_sends;
           at += static_cast<std::size_t>(block.threads))
        Exchange::store_at(list[at].words, vector(list[at].row), tag);
    }
  }
  /// Copies the rows. Entries inside the block are stored in the first slots, with local columns;
  /// the others in the last slots, as -1 - column. Unused slots: the row's own column with value 0.
  KOKKOS_FORCEINLINE_FUNCTION Widths load(Block const& block) const {
    Value* const values = shape.values_in_scratch ? values_on_chip(block) : streamed_values(block);
    int* const columns = columns_of(block);
    Widths widths;
    block.for_each_local_row([&](int local_row) {
      std::size_t const i = block.begin + static_cast<std::size_t>(local_row);
      int inside = 0, outside = 0;
      int const at = first_place(local_row);
      auto const put = [&](int slot, int column, Value const& value) {
        columns[at + slot * L::size] = column;
        values[at + slot * L::size] = value;
      };
      if (i < block.end)
        entries.for_each(static_cast<Ordinal>(i), [&](Ordinal column, Value const& value) {
          auto const j = static_cast<std::size_t>(column);
          if (inside + outside == shape.width) {  // the workspace was made for shorter rows
            widths.fits = false;
            return;
          }
          if (j >= block.begin && j < block.end)
            put(inside++, static_cast<int>(j - block.begin), value);
          else
            put(shape.width - ++outside, -1 - static_cast<int>(column), value);
        });
      for (int slot = inside; slot < shape.width - outside; ++slot) put(slot, local_row, Value(0));
      if (inside > widths.inside) widths.inside = inside;
      if (outside > widths.outside) widths.outside = outside;
    });
    widths.inside = max_over_lanes<L>(widths.inside);
    widths.outside = max_over_lanes<L>(widths.outside);
    return widths;
  }
  /// each(i, sum) for the rows of the thread: sum = (A x)_i. x: the block's own entries. Entries of other
  /// blocks are requested before the sum over the block's own entries, and awaited until they have `tag`; meanwhile the
  /// values of the next row are loaded. Called by whole warps.
  template <class X, class Each>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(Block const& block, Widths const& widths, X const& x,
                                            std::uint32_t tag, Each const& each) const {
    if (block.thread >= shape.rows) return;
    int const step = block.threads * shape.width;
    int at = first_place(block.thread);
    FirstValues next = load_first(block, widths, at);
    block.for_each_local_row([&](int local_row) {
      FirstValues const row = next;
      int const* const columns = columns_of(block) + at;
      typename Exchange::TaggedEntry found[batch];
      request(columns, 0, block.begin, widths, found);
      Sum sum(0);
      add_inside(columns, 0, row.inside, widths, x, sum);
      for (int first = inside_batch; first < widths.inside; first += inside_batch)
        add_inside(columns, first, load_inside(block, widths, at, first), widths, x, sum);
      if (local_row + block.threads < shape.rows) next = load_first(block, widths, at + step);
      add_outside(columns, 0, row.outside, block.begin, widths, tag, found, sum);
      for (int first = batch; first < widths.outside; first += batch) {
        auto const values = load_outside(block, widths, at, first);
        request(columns, first, block.begin, widths, found);
        add_outside(columns, first, values, block.begin, widths, tag, found, sum);
      }
      at += step;
      std::size_t const i = block.begin + static_cast<std::size_t>(local_row);
      if (i < block.end) each(i, Scalar(sum));
    });
  }

 private:
  using L = Lanes<Exec>;
  using Sum = sum_type<Value, Scalar>;
  static constexpr int batch = sizeof(Scalar) <= 8 ? 4 : 2, inside_batch = sizeof(Scalar) <= 8 ? 6 : 3;

  /// Values of consecutive slots of a row.
  template <int size>
  struct Values {
    Value values[size];
  };
  /// Of the first slots inside and outside of the block.
  struct FirstValues {
    Values<inside_batch> inside;
    Values<batch> outside;
  };

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value* values_on_chip(Block const& block) const {
    return reinterpret_cast<Value*>(block.scratch + shape.template offset_of_values<Scalar>());
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value* streamed_values(Block const& block) const {
    return streamed + block.begin * static_cast<std::size_t>(shape.width);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int* columns_of(Block const& block) const {
    return reinterpret_cast<int*>(block.scratch + shape.template offset_of_columns<Scalar, Value>());
  }
  /// The place of slot 0 of a row; slot j is j L::size places behind it.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int first_place(int local_row) const {
    int const lane = local_row % L::size;
    return (local_row - lane) * shape.width + lane;
  }
  /// The place of slot j of the entries outside, behind that of slot 0.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int outside_place(int j) const {
    return (shape.width - 1 - j) * L::size;
  }
  /// body(values of the block). Two calls, so that loads from scratch are compiled as such.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION auto with_values(Block const& block, Body const& body) const {
    return shape.values_in_scratch ? body(values_on_chip(block)) : body(streamed_values(block));
  }
  KOKKOS_FORCEINLINE_FUNCTION Values<inside_batch> inside_of(Value const* values, Widths const& widths, int at,
                                                             int first) const {
    Values<inside_batch> result{};
    for (int e = 0; e < inside_batch; ++e)
      if (first + e < widths.inside) result.values[e] = values[at + (first + e) * L::size];
    return result;
  }
  KOKKOS_FORCEINLINE_FUNCTION Values<batch> outside_of(Value const* values, Widths const& widths, int at,
                                                       int first) const {
    Values<batch> result{};
    for (int e = 0; e < batch; ++e)
      if (first + e < widths.outside) result.values[e] = values[at + outside_place(first + e)];
    return result;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION FirstValues load_first(Block const& block, Widths const& widths,
                                                                   int at) const {
    return with_values(block, [&](Value const* values) {
      return FirstValues{inside_of(values, widths, at, 0), outside_of(values, widths, at, 0)};
    });
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Values<inside_batch> load_inside(Block const& block,
                                                                             Widths const& widths, int at,
                                                                             int first) const {
    return with_values(block, [&](Value const* values) { return inside_of(values, widths, at, first); });
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Values<batch> load_outside(Block const& block, Widths const& widths,
                                                                       int at, int first) const {
    return with_values(block, [&](Value const* values) { return outside_of(values, widths, at, first); });
  }
  /// Adds the products of the slots with columns of the block: of another one, the slot is of an entry outside. All
  /// columns, then all entries of x are loaded, so that their latencies overlap.
  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION void add_inside(int const* columns, int first, Values<inside_batch> const& slots,
                                              Widths const& widths, X const& x, Sum& sum) const {
    int column[inside_batch];
    Scalar entry[inside_batch];
    for (int e = 0; e < inside_batch; ++e)
      column[e] = first + e < widths.inside ? columns[(first + e) * L::size] : -1;
    for (int e = 0; e < inside_batch; ++e) entry[e] = x.data[column[e] < 0 ? 0 : column[e]];
    for (int e = 0; e < inside_batch; ++e)
      if (column[e] >= 0) sum += Sum(slots.values[e]) * Sum(entry[e]);
  }
  /// The entry of the exchange for a slot; `own`, which the block stored itself, if the column is in the block.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION typename Exchange::TaggedEntry entry_for(int column,
                                                                                     std::size_t own) const {
    return exchange.template load<has_ranks>(column < 0 ? static_cast<std::size_t>(~column) : own);
  }
  KOKKOS_FORCEINLINE_FUNCTION void request(int const* columns, int first, std::size_t own, Widths const& widths,
                                           typename Exchange::TaggedEntry (&found)[batch]) const {
    int column[batch];
    for (int e = 0; e < batch; ++e)
      column[e] = first + e < widths.outside ? columns[outside_place(first + e)] : 0;
    for (int e = 0; e < batch; ++e)
      if (first + e < widths.outside) found[e] = entry_for(column[e], own);
  }
  /// Awaits the requested entries and adds their products. The lanes of a warp poll together: lanes that poll
  /// separately delay each other.
  KOKKOS_FORCEINLINE_FUNCTION void add_outside(int const* columns, int first, Values<batch> const& slots,
                                               std::size_t own, Widths const& widths, std::uint32_t tag,
                                               typename Exchange::TaggedEntry (&found)[batch], Sum& sum) const {
    auto const is_missing = [&](int e) { return first + e < widths.outside && !found[e].has_tag(tag); };
    for (bool is_waiting = true; is_waiting;) {
      is_waiting = false;
      for (int e = 0; e < batch; ++e) is_waiting = is_waiting || is_missing(e);
      is_waiting = L::ballot(is_waiting) != 0;
      if (!is_waiting) break;
      for (int e = 0; e < batch; ++e)
        if (is_missing(e)) found[e] = entry_for(columns[outside_place(first + e)], own);
    }
    for (int e = 0; e < batch; ++e)
      if (first + e < widths.outside && columns[outside_place(first + e)] < 0)
        sum += Sum(slots.values[e]) * Sum(found[e].value());
  }
};

/// body(entries) if the operator gives access to its rows (SpmvOperator::with_row_entries()).
template <class A, class Body>
void with_row_entries([[maybe_unused]] A const& a, [[maybe_unused]] Body const& body) {
  if constexpr (requires { a.with_row_entries(body); }) a.with_row_entries(body);
}

}  // namespace einkorn::detail
