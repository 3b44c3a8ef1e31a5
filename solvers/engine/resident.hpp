// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/cooperative.hpp>
#include <einkorn/core/cooperative_vector.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/row_access.hpp>

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

/// Partition of the rows of a matrix: `rows` consecutive rows per block, `width` stored entries per row.
struct ResidentShape {
  static constexpr int threads = 512, vectors = 3;

  int blocks = 0, rows = 0, width = 0;

  [[nodiscard]] bool exists() const { return blocks > 0; }
  /// Bytes of scratch per block. Entries are stored slot by slot: the rows of a slot are contiguous.
  template <class Scalar, class Value>
  [[nodiscard]] std::size_t scratch() const {
    return static_cast<std::size_t>(rows) *
           (vectors * sizeof(Scalar) + static_cast<std::size_t>(width) * (sizeof(Value) + sizeof(int)));
  }
  /// exists() is false if the matrix does not fit on the chip.
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
    return shape.template scratch<Scalar, Value>() <= max_scratch ? shape : ResidentShape();
  }
};

/// A thread's view of its block: rows begin .. end - 1 of the matrix and of the vectors, in scratch.
template <class Scalar, class Value>
struct ResidentBlock {
  unsigned char* scratch;
  std::size_t begin, end;
  int rows, thread, threads;

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
  KOKKOS_FORCEINLINE_FUNCTION Value* values() const {
    return reinterpret_cast<Value*>(vector_data(ResidentShape::vectors));
  }
  KOKKOS_FORCEINLINE_FUNCTION int* columns(int width) const {
    return reinterpret_cast<int*>(values() + width * rows);
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
    std::size_t low = 0, high = count;
    while (low < high) {
      std::size_t const middle = low + (high - low) / 2;
      if (list[middle].row < row)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// The rows of a matrix in the scratch of the blocks of a cooperative launch, and their product with a vector
/// that is stored likewise.
template <class Exec, RowEntries Entries, class Scalar>
struct ResidentRows {
  using Value = typename Entries::scalar_type;
  using Ordinal = typename Entries::ordinal_type;
  using Block = ResidentBlock<Scalar, Value>;
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

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION Block block(Member const& member) const {
    auto const rows = static_cast<std::size_t>(shape.rows);
    std::size_t const begin = static_cast<std::size_t>(member.block()) * rows;
    return {member.scratch(),
            begin,
            begin + rows < num_rows ? begin + rows : num_rows,
            shape.rows,
            member.rank_in_block(),
            member.threads_of_block()};
  }
  /// Stores the entries of the block that other ranks need into their memory. Collective over the block, after
  /// sync_block().
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION void send([[maybe_unused]] Block const& block, [[maybe_unused]] V const& vector,
                                        [[maybe_unused]] std::uint32_t tag) const {
    if constexpr (has_ranks) {
      auto const& sends = entries.sends;
      for (auto at = sends.first_of(block.begin) + static_cast<std::size_t>(block.thread);
           at < sends.count && sends.list[at].row < block.end; at += static_cast<std::size_t>(block.threads))
        Exchange::store_at(sends.list[at].words, vector(sends.list[at].row), tag);
    }
  }
  /// Copies the rows into scratch. Entries inside the block are stored in the first slots, with local columns;
  /// the others in the last slots, as -1 - column. Unused slots: the row's own column with value 0.
  KOKKOS_FORCEINLINE_FUNCTION Widths load(Block const& block) const {
    Value* const values = block.values();
    int* const columns = block.columns(shape.width);
    Widths widths;
    block.for_each_local_row([&](int local_row) {
      std::size_t const i = block.begin + static_cast<std::size_t>(local_row);
      int inside = 0, outside = 0;
      auto const put = [&](int slot, int column, Value const& value) {
        columns[slot * shape.rows + local_row] = column;
        values[slot * shape.rows + local_row] = value;
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
  /// blocks are requested before the sum over the block's own entries, and awaited until they have `tag`.
  /// Called by whole warps.
  template <class X, class Each>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(Block const& block, Widths const& widths, X const& x,
                                            std::uint32_t tag, Each const& each) const {
    Value const* const values = block.values();
    int const* const columns = block.columns(shape.width);
    block.for_each_local_row([&](int local_row) {
      Sum sum(0);
      Outside outside = request(columns, widths, 0, local_row);
      for (int slot = 0; slot < widths.inside; ++slot) {
        int const column = columns[slot * shape.rows + local_row];
        if (column >= 0) sum += Sum(values[slot * shape.rows + local_row]) * Sum(x.data[column]);
      }
      for (int first = 0; first < widths.outside; first += batch) {
        if (first > 0) outside = request(columns, widths, first, local_row);
        await(outside, tag);
        for (int e = 0; e < batch; ++e)
          if (outside.columns[e] < 0)
            sum += Sum(values[(shape.width - 1 - first - e) * shape.rows + local_row]) *
                   Sum(Exchange::value(outside.found[e]));
      }
      std::size_t const i = block.begin + static_cast<std::size_t>(local_row);
      if (i < block.end) each(i, Scalar(sum));
    });
  }

 private:
  using L = Lanes<Exec>;
  using Sum = sum_type<Value, Scalar>;
  static constexpr int batch = sizeof(Scalar) <= 8 ? 4 : 2;
  /// A batch of entries of a row in other blocks. columns: -1 - column, or nonnegative if there is none.
  struct Outside {
    int columns[batch];
    typename Exchange::TaggedEntry found[batch];
  };

  KOKKOS_FORCEINLINE_FUNCTION Outside request(int const* columns, Widths const& widths, int first,
                                              int local_row) const {
    Outside outside;
    for (int e = 0; e < batch; ++e) {
      outside.columns[e] =
          first + e < widths.outside ? columns[(shape.width - 1 - first - e) * shape.rows + local_row] : 0;
      if (outside.columns[e] < 0)
        outside.found[e] = exchange.load(static_cast<std::size_t>(-1 - outside.columns[e]));
    }
    return outside;
  }
  /// The lanes of a warp poll together: lanes that poll separately delay each other.
  KOKKOS_FORCEINLINE_FUNCTION void await(Outside& outside, std::uint32_t tag) const {
    bool is_waiting = true;
    while (is_waiting) {
      is_waiting = false;
      for (int e = 0; e < batch; ++e)
        if (outside.columns[e] < 0 && !Exchange::has_tag(outside.found[e], tag)) {
          outside.found[e] = exchange.load(static_cast<std::size_t>(-1 - outside.columns[e]));
          is_waiting = true;
        }
      is_waiting = L::ballot(is_waiting) != 0;
    }
  }
};

/// body(entries) if the operator gives access to its rows (SpmvOperator::with_row_entries()).
template <class A, class Body>
void with_row_entries([[maybe_unused]] A const& a, [[maybe_unused]] Body const& body) {
  if constexpr (requires { a.with_row_entries(body); }) a.with_row_entries(body);
}

}  // namespace einkorn::detail
