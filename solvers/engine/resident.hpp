// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/cooperative.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/scalar.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Entries first, first + 1, .. of a vector, in scratch or elsewhere, by their numbers in the whole.
template <class V>
struct BlockVector {
  using non_const_value_type = typename V::non_const_value_type;
  using device_type = typename V::device_type;
  using const_type = typename V::const_type;

  non_const_value_type* data;
  std::size_t first;

  KOKKOS_FORCEINLINE_FUNCTION non_const_value_type& operator()(std::size_t i) const { return data[i - first]; }
};

/// How the rows of a matrix are shared out: `rows` in a row to each block, `width` entries kept of each.
struct ResidentShape {
  static constexpr int threads = 512, vectors = 3;

  int blocks = 0, rows = 0, width = 0;

  [[nodiscard]] bool exists() const { return blocks > 0; }
  /// Bytes of scratch: entries slot by slot, so that neighbouring rows are neighbours in memory.
  template <class Scalar, class Value>
  [[nodiscard]] std::size_t scratch() const {
    return static_cast<std::size_t>(rows) *
           (vectors * sizeof(Scalar) + static_cast<std::size_t>(width) * (sizeof(Value) + sizeof(int)));
  }
  /// None where the matrix does not fit on the chip.
  template <class Scalar, class Value, class Exec>
  static ResidentShape of(Exec const& exec, std::size_t num_rows, std::size_t width, int max_blocks) {
    constexpr std::size_t together = 64;  // whole warps and wavefronts
    std::size_t const most = max_cooperative_scratch(exec);
    if (num_rows == 0 || num_rows > most * 1024 || width > most) return {};
    ResidentShape shape;
    auto const blocks = static_cast<std::size_t>(std::min(max_blocks, num_multiprocessors(exec)));
    std::size_t const rows = (num_rows + blocks * together - 1) / (blocks * together) * together;
    shape.rows = static_cast<int>(rows);
    shape.width = static_cast<int>(width);
    shape.blocks = static_cast<int>((num_rows + rows - 1) / rows);
    return shape.template scratch<Scalar, Value>() <= most ? shape : ResidentShape();
  }
};

/// A thread's view of its block: rows begin .. end - 1 of the matrix and the vectors, in scratch.
template <class Scalar, class Value>
struct ResidentBlock {
  unsigned char* scratch;
  std::size_t begin, end;
  int rows, thread, threads;

  /// The thread's rows are row(0), row(1), .. as far as they are less than end.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t row(int u) const {
    return begin + static_cast<std::size_t>(thread + u * threads);
  }
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_row(Body const& body) const {
    for (std::size_t i = row(0); i < end; i += static_cast<std::size_t>(threads)) body(i);
  }
  /// The thread's places in the block, those behind its last row too, so that warps stay whole.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_place(Body const& body) const {
    for (int place = thread; place < rows; place += threads) body(place);
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

/// The rows of a matrix, kept in the scratch of the blocks of a cooperative launch, and their product with a
/// vector that is kept likewise. Entries: see formats/spmv_plan.hpp.
template <class Exec, class Entries, class Scalar>
struct ResidentRows {
  using Value = typename Entries::scalar_type;
  using Ordinal = typename Entries::ordinal_type;
  using Block = ResidentBlock<Scalar, Value>;
  using Handed = CooperativeVector<Exec, Scalar>;
  /// Most entries of a row that a warp has, within the block and beyond.
  struct Widths {
    int inside = 0, outside = 0;
    bool fits = true;  // false: a row of this thread has more entries than the block keeps
  };

  Entries entries;
  Handed handed;
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
  /// Puts the entries of a row whose columns the block has itself into its first slots, with their places in
  /// the block, and the others into its last. Slots between them: the row itself, times 0.
  /// Widths::fits says whether all rows fit.
  KOKKOS_FORCEINLINE_FUNCTION Widths load(Block const& block) const {
    Value* const values = block.values();
    int* const columns = block.columns(shape.width);
    Widths widths;
    block.for_each_place([&](int place) {
      std::size_t const i = block.begin + static_cast<std::size_t>(place);
      int inside = 0, outside = 0;
      auto const put = [&](int slot, int column, Value const& value) {
        columns[slot * shape.rows + place] = column;
        values[slot * shape.rows + place] = value;
      };
      if (i < block.end)
        entries.for_each(static_cast<Ordinal>(i), [&](Ordinal column, Value const& value) {
          auto const j = static_cast<std::size_t>(column);
          if (inside + outside == shape.width) {  // the workspace was made for an operator of shorter rows
            widths.fits = false;
            return;
          }
          if (j >= block.begin && j < block.end)
            put(inside++, static_cast<int>(j - block.begin), value);
          else
            put(shape.width - ++outside, -1 - static_cast<int>(column), value);
        });
      for (int slot = inside; slot < shape.width - outside; ++slot) put(slot, place, Value(0));
      if (inside > widths.inside) widths.inside = inside;
      if (outside > widths.outside) widths.outside = outside;
    });
    widths.inside = max_over_lanes<L>(widths.inside);
    widths.outside = max_over_lanes<L>(widths.outside);
    return widths;
  }
  /// each(i, sum) for the rows of the thread: sum = (A x)_i. x: the block's own entries; those of others are
  /// awaited under `tag`, asked for before the sum over the block's own. Whole warps come.
  template <class X, class Each>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(Block const& block, Widths const& widths, X const& x,
                                            std::uint32_t tag, Each const& each) const {
    Value const* const values = block.values();
    int const* const columns = block.columns(shape.width);
    block.for_each_place([&](int place) {
      Sum sum(0);
      Outside outside = ask(columns, widths, 0, place);
      for (int slot = 0; slot < widths.inside; ++slot) {
        int const column = columns[slot * shape.rows + place];
        if (column >= 0) sum += Sum(values[slot * shape.rows + place]) * Sum(x.data[column]);
      }
      for (int first = 0; first < widths.outside; first += together) {
        if (first > 0) outside = ask(columns, widths, first, place);
        await(outside, tag);
        for (int e = 0; e < together; ++e)
          if (outside.columns[e] < 0)
            sum += Sum(values[(shape.width - 1 - first - e) * shape.rows + place]) *
                   Sum(Handed::value(outside.found[e]));
      }
      std::size_t const i = block.begin + static_cast<std::size_t>(place);
      if (i < block.end) each(i, Scalar(sum));
    });
  }

 private:
  using L = Lanes<Exec>;
  using Sum = sum_type<Value, Scalar>;
  static constexpr int together = sizeof(Scalar) <= 8 ? 4 : 2;
  /// Some entries of a row whose columns other blocks have; -1 - column, or not negative where there is none.
  struct Outside {
    int columns[together];
    typename Handed::TaggedEntry found[together];
  };

  KOKKOS_FORCEINLINE_FUNCTION Outside ask(int const* columns, Widths const& widths, int first,
                                          int place) const {
    Outside outside;
    for (int e = 0; e < together; ++e) {
      outside.columns[e] =
          first + e < widths.outside ? columns[(shape.width - 1 - first - e) * shape.rows + place] : 0;
      if (outside.columns[e] < 0)
        outside.found[e] = handed.load(static_cast<std::size_t>(-1 - outside.columns[e]));
    }
    return outside;
  }
  /// The lanes of a warp in one loop.
  KOKKOS_FORCEINLINE_FUNCTION void await(Outside& outside, std::uint32_t tag) const {
    bool lacks = true;
    while (lacks) {
      lacks = false;
      for (int e = 0; e < together; ++e)
        if (outside.columns[e] < 0 && !Handed::has_tag(outside.found[e], tag)) {
          outside.found[e] = handed.load(static_cast<std::size_t>(-1 - outside.columns[e]));
          lacks = true;
        }
      lacks = L::ballot(lacks) != 0;
    }
  }
};

}  // namespace einkorn::detail
