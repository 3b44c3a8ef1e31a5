// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// Some values that lie side by side and are read with one instruction of up to 16 bytes.
template <class Scalar, int count>
struct alignas(count * sizeof(Scalar)) Pack {
  Scalar part[count];
};

/// A group's scratch: `piece` entries of a stripe's list and the values of `rows` rows there, transposed, so
/// that the values of all rows for one entry lie side by side (all lanes read the same ones at a time). 16
/// bytes stay empty between entries: lanes that write neighbouring entries then meet in few banks.
template <class Scalar, class Ordinal, int rows, int piece>
class StagedValues {
 public:
  static_assert(16 % sizeof(Scalar) == 0, "einkorn: a value of 1, 2, 4, 8 or 16 bytes");

  /// Address: of `bytes` bytes, a multiple of 16.
  KOKKOS_FORCEINLINE_FUNCTION explicit StagedValues(char* address)
      : values_(reinterpret_cast<Scalar*>(address)),
        columns_(reinterpret_cast<Ordinal*>(address + values_bytes)) {}

  KOKKOS_FORCEINLINE_FUNCTION Ordinal column(int entry) const { return columns_[entry]; }

  /// The values of the first `count` rows at an entry of the list.
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

  /// Fills it with `count` entries: list[j] and values[r * length + j], r < used_rows. The lanes go through a
  /// row's entries side by side, `batch` values each before the first is stored.
  template <class L, int lanes, class Offset>
  KOKKOS_FORCEINLINE_FUNCTION void fill(int lane, Scalar const* values, Offset length, int used_rows,
                                        Ordinal const* list, int count) const {
    constexpr int batch = 8;
    for (int j = lane; j < count; j += lanes) columns_[j] = list[j];
    int const total = used_rows * count, row_step = lanes / count, entry_step = lanes % count;
    int row = lane / count, entry = lane % count;
    for (int next = lane; next < total; next += lanes * batch) {
      Scalar loaded[batch];
      int place[batch];
      for (int u = 0; u < batch; ++u) {  // past the end: the first one again, which is not stored
        bool const inside = next + u * lanes < total;
        place[u] = inside ? entry * stride + row : -1;
        loaded[u] = L::load_streaming(
            values + (inside ? static_cast<Offset>(row) * length + static_cast<Offset>(entry) : Offset(0)));
        row += row_step;
        entry += entry_step;
        if (entry >= count) {
          entry -= count;
          ++row;
        }
      }
      for (int u = 0; u < batch; ++u)
        if (place[u] >= 0) values_[place[u]] = loaded[u];
    }
  }

 private:
  static constexpr int stride =
      static_cast<int>(((rows * sizeof(Scalar) + 15) / 16 * 16 + 16) / sizeof(Scalar));  // values an entry
  static constexpr std::size_t values_bytes = piece * stride * sizeof(Scalar);

 public:
  static constexpr std::size_t bytes = values_bytes + (piece * sizeof(Ordinal) + 15) / 16 * 16;

 private:
  Scalar* values_;
  Ordinal* columns_;
};

}  // namespace einkorn::detail
