// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/simd.hpp>
#include <einkorn/formats/diagonals/detail/host_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Blocks of rows, and within a block diagonal after diagonal (host): sums(i) += value(i) x(i + offset), all
/// three contiguous. Rows inside all diagonals of a batch are computed for the batch at once. The sum of a row
/// adds its diagonals in ascending order, independently of blocks and batches. Source: Bell & Garland, 2008,
/// section 4.1; departure: blocked, so that the sums stay in the L1 cache.
template <class Format, class X, class Y, class EpilogueOp>
struct SpmvDiagonalsHost {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  static constexpr int block = diagonal_block_rows, lanes = simd_lanes<Sum>, batch = diagonals_per_batch;
  using Group = Simd<Sum, lanes>;

  Format F;
  X x;
  Y y;
  EpilogueOp epilogue;
  std::int64_t num_parts;

  void run(std::int64_t part, Accumulators& accumulators) const {
    auto const num_rows = static_cast<std::int64_t>(F.num_rows);
    auto const blocks = ceil_div(num_rows, block);
    for (auto b = blocks * part / num_parts; b < blocks * (part + 1) / num_parts; ++b) {
      auto const first = b * block;
      auto const rows = static_cast<int>(std::min<std::int64_t>(block, num_rows - first));
      if constexpr (Y::rank() == 1)
        spmv_block(first, rows, x, y, accumulators);
      else
        for (std::size_t j = 0; j < y.extent(1); ++j)
          spmv_block(first, rows, Kokkos::subview(x, Kokkos::ALL, j), Kokkos::subview(y, Kokkos::ALL, j),
                     accumulators);
    }
  }

 private:
  /// A diagonal within a block: rows begin .. end - 1 of the block use x(shift + row).
  struct Part {
    Scalar const* values;
    std::int64_t shift;
    int begin, end;
  };

  template <class From, class To>
  void spmv_block(std::int64_t first, int rows, From const& from, To const& to,
                  Accumulators& accumulators) const {
    alignas(64) Sum sums[block];
    std::fill_n(sums, rows, Sum(0));
    if (from.stride(0) == 1)
      add_diagonals<true>(first, rows, from, sums);
    else
      add_diagonals<false>(first, rows, from, sums);
    for (int i = 0; i < rows; ++i) epilogue(accumulators, to(first + i), first + i, sums[i]);
  }

  template <bool contiguous, class From>
  void add_diagonals(std::int64_t first, int rows, From const& from, Sum* sums) const {
    Part pending[batch];
    int count = 0;
    for (Ordinal band = 0; band < F.num_bands(); ++band) {
      Scalar const* values = F.values.data() + F.band_base(band) + static_cast<Offset>(first);
      auto shift = first + static_cast<std::int64_t>(F.band_offset(band));
      for (Ordinal j = 0; j < F.band_width(band); ++j, ++shift, values += F.stride) {
        auto const begin = std::max<std::int64_t>(0, -shift);
        auto const end = std::min<std::int64_t>(rows, static_cast<std::int64_t>(F.num_cols) - shift);
        if (begin >= end) continue;
        pending[count++] = {values, shift, static_cast<int>(begin), static_cast<int>(end)};
        if (count < batch) continue;
        add_batch<contiguous>(pending, from, sums);
        count = 0;
      }
    }
    for (int u = 0; u < count; ++u)
      add_rows<1, contiguous>(pending + u, pending[u].begin, pending[u].end, from, sums);
  }

  /// Adds a batch of diagonals: at once for the rows that all of them cover, one by one for the others.
  template <bool contiguous, class From>
  static void add_batch(Part const* parts, From const& from, Sum* sums) {
    int begin = parts[0].begin, end = parts[0].end;
    for (int u = 1; u < batch; ++u) {
      begin = std::max(begin, parts[u].begin);
      end = std::min(end, parts[u].end);
    }
    end = std::max(begin, end);
    for (int u = 0; u < batch; ++u)
      add_rows<1, contiguous>(parts + u, parts[u].begin, std::min(begin, parts[u].end), from, sums);
    add_rows<batch, contiguous>(parts, begin, end, from, sums);
    for (int u = 0; u < batch; ++u)
      add_rows<1, contiguous>(parts + u, std::max(end, parts[u].begin), parts[u].end, from, sums);
  }

  template <int count, bool contiguous, class From>
  static void add_rows(Part const* parts, int begin, int end, From const& from, Sum* sums) {
    int i = begin;
    for (; i + lanes <= end; i += lanes) {
      Group sum = Group::load(sums + i);
      unrolled<count>([&]<int... u>() __attribute__((always_inline)) {
        (sum.add_product(Group::load(parts[u].values + i), load_x<contiguous>(from, parts[u].shift + i)), ...);
      });
      sum.store(sums + i);
    }
    for (; i < end; ++i)
      for (int u = 0; u < count; ++u) sums[i] += Sum(parts[u].values[i]) * Sum(from(parts[u].shift + i));
  }

  template <bool contiguous, class From>
  static Group load_x(From const& from, std::int64_t at) {
    if constexpr (contiguous) {
      return Group::load(from.data() + at);
    } else {
      Sum entries[lanes];
      for (int i = 0; i < lanes; ++i) entries[i] = Sum(from(at + i));
      return Group::load(entries);
    }
  }
};

/// y <- alpha A x + beta y for A in diagonal bands, on host threads. 1 launch.
template <class Exec, class Format, class X, class Y, class EpilogueOp>
void spmv_diagonals_host(Exec const& exec, char const* label, EpilogueOp const& epilogue, Format const& F,
                         X const& x, Y const& y) {
  auto const parts = static_cast<std::int64_t>(host_parts(exec));
  epilogue.launch_parts(exec, label, parts,
                        SpmvDiagonalsHost<Format, X, Y, EpilogueOp>{F, x, y, epilogue, parts});
}

}  // namespace einkorn::detail
