// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/spmm/choose.hpp>
#include <einkorn/formats/spmm/detail/row_tile.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace einkorn::detail {

/// Calls to(row, column, from(row, column)) for every entry of a multivector, `from` along the columns and `to`
/// along the rows, or the reverse, so that both are coalesced. Tiles of 2048 entries go through scratch: 1 <<
/// column_bits columns, at most 32.
template <bool from_columns, class Exec, class Value, class From, class To>
struct TransposePackTiles {
  static constexpr int team_size = 256, entry_bits = 11, entries = 1 << entry_bits,
                       entries_per_thread = entries / team_size;
  static constexpr int scratch_bytes = (entries + entries / 4) * static_cast<int>(sizeof(Value));
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team_size, 4>>;

  From from;
  To to;
  std::size_t num_rows, num_columns;
  int column_bits;

  [[nodiscard]] int column_tiles() const { return tiles(num_columns, column_bits); }
  [[nodiscard]] int row_tiles() const { return tiles(num_rows, entry_bits - column_bits); }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    std::size_t const bytes = scratch_bytes;
    auto* const tile = static_cast<Value*>(team.team_scratch(0).get_shmem_aligned(bytes, 16));
    int const across = tiles(num_columns, column_bits);
    std::size_t const first_row = static_cast<std::size_t>(team.league_rank() / across)
                                  << (entry_bits - column_bits),
                      first_column = static_cast<std::size_t>(team.league_rank() % across) << column_bits;
    Value values[entries_per_thread];
    each<from_columns>(team.team_rank(), [&](int u, int r, int c) {
      std::size_t const row = first_row + static_cast<std::size_t>(r),
                        column = first_column + static_cast<std::size_t>(c);
      if (row < num_rows && column < num_columns) values[u] = from(row, column);
    });
    each<from_columns>(team.team_rank(), [&](int u, int r, int c) { tile[bank_index(r, c)] = values[u]; });
    team.team_barrier();
    each<!from_columns>(team.team_rank(), [&](int, int r, int c) {
      std::size_t const row = first_row + static_cast<std::size_t>(r),
                        column = first_column + static_cast<std::size_t>(c);
      if (row < num_rows && column < num_columns) to(row, column, tile[bank_index(r, c)]);
    });
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION int tiles(std::size_t size, int bits) {
    return static_cast<int>((size + (std::size_t(1) << bits) - 1) >> bits);
  }
  /// One element of padding per row: entries of a column are in different banks.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int bank_index(int row, int column) const {
    return (row << column_bits) + row + column;
  }
  /// Calls body(u, row, column) for the u-th entry of this thread.
  template <bool along_columns, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void each(int thread, Body const& body) const {
    int const row_bits = entry_bits - column_bits;
    for (int u = 0; u < entries_per_thread; ++u) {
      int const i = u * team_size + thread;
      if constexpr (along_columns)
        body(u, i & ((1 << row_bits) - 1), i >> row_bits);
      else
        body(u, i >> column_bits, i & ((1 << column_bits) - 1));
    }
  }
};

/// 1 launch.
template <bool from_columns, class Value, class Exec, class From, class To>
void transpose_tiles(Exec const& exec, char const* label, std::size_t num_rows, std::size_t num_columns,
                     From const& from, To const& to) {
  using Functor = TransposePackTiles<from_columns, Exec, Value, From, To>;
  int column_bits = 2;
  while (column_bits < 5 && std::size_t(1) << column_bits < num_columns) ++column_bits;
  Functor const functor{from, to, num_rows, num_columns, column_bits};
  typename Functor::Policy policy(exec, functor.row_tiles() * functor.column_tiles(), Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(Functor::scratch_bytes + 16));
  Kokkos::parallel_for(label, light_weight(policy), functor);
}

/// Reads the columns of a multivector from `first` on, converted to Value.
template <class Value, class View>
struct EntriesFrom {
  View view;
  std::size_t first;
  KOKKOS_FORCEINLINE_FUNCTION Value operator()(std::size_t row, std::size_t column) const {
    return Value(view(row, first + column));
  }
};
template <class View>
struct EntriesTo {
  View view;
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::size_t row, std::size_t column, Value const& value) const {
    view(row, column) = value;
  }
};
/// y <- alpha sum + beta y in the columns from `first` on.
template <class Sum, class View>
struct SumsTo {
  Epilogue<Sum> epilogue;
  View view;
  std::size_t first;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::size_t row, std::size_t column, Sum const& sum) const {
    epilogue(view(row, first + column), sum);
  }
};

/// Memory for some columns of X and of Y in row-major order.
template <class Sum, class Device>
class PackBuffer {
 public:
  using Rows = Kokkos::View<Sum**, Kokkos::LayoutRight, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  static constexpr std::size_t min_columns = min_row_tile_columns;

  PackBuffer() = default;
  /// columns: columns per pass, raised to min_columns. Throws OutOfMemory.
  template <class Exec>
  PackBuffer(Exec const& exec, std::size_t rows, std::size_t cols, std::size_t columns)
      : columns_(std::max(columns, min_columns)),
        x_size_((cols * columns_ + 15) / 16 * 16),
        memory_(
            allocate<Kokkos::View<Sum*, Device>>(exec, "einkorn::SpmvPlan::rows", x_size_ + rows * columns_)) {}

  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t bytes() const { return memory_.extent(0) * sizeof(Sum); }
  [[nodiscard]] Rows x_rows(std::size_t cols, std::size_t columns) const {
    return Rows(memory_.data(), cols, columns);
  }
  [[nodiscard]] Rows y_rows(std::size_t rows, std::size_t columns) const {
    return Rows(memory_.data() + x_size_, rows, columns);
  }

 private:
  std::size_t columns_ = 0, x_size_ = 0;
  Kokkos::View<Sum*, Device> memory_;
};

/// Y <- alpha A X + beta Y with row-major copies of some columns at a time: a row of X is then read
/// contiguously, whatever its layout, which pays where the columns of a row of A are far apart. Additional
/// bytes: X and Y are each read and written once more. Launches: those of spmm_row_tile and 2, per
/// buffer.columns() columns.
template <bool conjugated, class Exec, class Rows, class X, class Y, class Sum, class Device>
void spmm_packed(Exec const& exec, char const* label, Epilogue<Sum> const& epilogue, Rows const& A, X const& x,
                 Y const& y, PackBuffer<Sum, Device> const& buffer, typename Rows::Offset longest) {
  std::size_t const k = y.extent(1), width = std::min(buffer.columns(), k);
  auto const x_rows = buffer.x_rows(x.extent(0), width), y_rows = buffer.y_rows(y.extent(0), width);
  using XRows = std::decay_t<decltype(x_rows)>;
  for (std::size_t done = 0; done < k; done += width) {
    std::size_t const first = std::min(done, k - width);  // the last pass may repeat columns
    transpose_tiles<true, Sum>(exec, "einkorn::spmv[columns to rows]", x.extent(0), width,
                               EntriesFrom<Sum, X>{x, first}, EntriesTo<XRows>{x_rows});
    spmm_row_tile<conjugated>(exec, label, Epilogue<Sum>{Sum(1), Sum(0)}, A, x_rows, y_rows, longest);
    transpose_tiles<false, Sum>(
        exec, "einkorn::spmv[rows to columns]", y.extent(0), k - done < width ? k - done : width,
        EntriesFrom<Sum, XRows>{y_rows, done - first}, SumsTo<Sum, Y>{epilogue, y, done});
  }
}

}  // namespace einkorn::detail
