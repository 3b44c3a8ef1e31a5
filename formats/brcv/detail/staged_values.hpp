// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// `count` adjacent values that one instruction of up to 16 bytes loads.
template <class Scalar, int count>
struct alignas(count * sizeof(Scalar)) Pack {
  Scalar part[count];
};

/// Scratch of a group: max_columns columns of a stripe and the values of `rows` rows there, transposed: the
/// values of all rows for one column are adjacent (all lanes read the same ones at a time). 16 bytes of padding
/// between columns reduce bank conflicts of lanes that write neighbouring columns.
template <class Scalar, class Ordinal, int rows, int max_columns>
class StagedValues {
 public:
  static_assert(16 % sizeof(Scalar) == 0, "einkorn: a value of 1, 2, 4, 8 or 16 bytes");

  /// @param address of `bytes` bytes, a multiple of 16
  KOKKOS_FORCEINLINE_FUNCTION explicit StagedValues(char* address)
      : values_(reinterpret_cast<Scalar*>(address)),
        columns_(reinterpret_cast<Ordinal*>(address + values_bytes)) {}

  KOKKOS_FORCEINLINE_FUNCTION Ordinal column(int entry) const { return columns_[entry]; }

  /// values <- the values of the first `count` rows at a staged column.
  template <int count>
  KOKKOS_FORCEINLINE_FUNCTION void values_of(int entry, Scalar (&values)[count]) const {
    constexpr int at_once = count * sizeof(Scalar) < 16 ? count : static_cast<int>(16 / sizeof(Scalar));
    static_assert(count % at_once == 0);
    using Values = Pack<Scalar, at_once>;
    auto const* const packs = reinterpret_cast<Values const*>(values_ + entry * stride);
    for (int i = 0; i < count / at_once; ++i) {
      Values const pack = packs[i];
      for (int part = 0; part < at_once; ++part) values[i * at_once + part] = pack.part[part];
    }
  }

  /// Stages `count` columns: list[j] and values[r * length + j], r < used_rows. Neighbouring lanes load
  /// neighbouring values, `batch` per lane before the first is stored.
  template <class L, int lanes, class Offset>
  KOKKOS_FORCEINLINE_FUNCTION void fill(int lane, Scalar const* values, Offset length, int used_rows,
                                        Ordinal const* list, int count, typename L::CacheHint hint) const {
    constexpr int batch = 8;
    for (int j = lane; j < count; j += lanes) columns_[j] = list[j];
    int const total = used_rows * count, row_step = lanes / count, entry_step = lanes % count;
    int row = lane / count, entry = lane % count;
    for (int next = lane; next < total; next += lanes * batch) {
      Scalar loaded[batch];
      int position[batch];
      for (int u = 0; u < batch; ++u) {  // past the end: loads the first value again and does not store it
        bool const inside = next + u * lanes < total;
        position[u] = inside ? entry * stride + row : -1;
        loaded[u] = L::load_streaming(
            values + (inside ? static_cast<Offset>(row) * length + static_cast<Offset>(entry) : Offset(0)),
            hint);
        row += row_step;
        entry += entry_step;
        if (entry >= count) {
          entry -= count;
          ++row;
        }
      }
      for (int u = 0; u < batch; ++u)
        if (position[u] >= 0) values_[position[u]] = loaded[u];
    }
  }

 private:
  static constexpr int stride =
      static_cast<int>((ceil_div(rows * sizeof(Scalar), 16) * 16 + 16) / sizeof(Scalar));  // values per column
  static constexpr std::size_t values_bytes = max_columns * stride * sizeof(Scalar);

 public:
  static constexpr std::size_t bytes = values_bytes + ceil_div(max_columns * sizeof(Ordinal), 16) * 16;

 private:
  Scalar* values_;
  Ordinal* columns_;
};

}  // namespace einkorn::detail
