// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/formats/generate/counter_rng.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// Dense aligned blocks of B x B: 4 to 12 blocks (8 on average) per block row, one of them on the diagonal, the
/// others at random positions. If B does not divide N, the last blocks are cut. Values are random.
///
/// Models several unknowns per mesh point (fluid flow, coupled fields) on an unstructured mesh, the case for
/// BSR.
class DenseBlocks {
 public:
  DenseBlocks(std::int64_t num_rows, std::int64_t block, CounterRng const& lengths, CounterRng const& columns,
              CounterRng const& values)
      : num_rows_(num_rows), block_(block), lengths_(lengths), columns_(columns), values_(values) {}

  class Row {
   public:
    KOKKOS_FUNCTION Row(DenseBlocks const& blocks, std::int64_t row)
        : index_(row),
          num_rows_(blocks.num_rows_),
          block_(blocks.block_),
          block_row_(row / block_),
          num_blocks_(ceil_div(num_rows_, block_)),
          count_(blocks.count(block_row_, num_blocks_)),
          strata_(num_blocks_, count_),
          diagonal_(strata_.index_of(block_row_)),
          columns_(blocks.columns_),
          values_(blocks.values_) {}
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t length() const {
      std::int64_t const last = block_column(count_ - 1);
      return (count_ - 1) * block_ + (last + 1 < num_blocks_ ? block_ : num_rows_ - last * block_);
    }
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t column(std::int64_t k) const {
      std::int64_t const block = k / block_;
      return block_column(block) * block_ + (k - block * block_);
    }
    [[nodiscard]] KOKKOS_FUNCTION Numerator value(std::int64_t column) const {
      return values_.value(index_, column);
    }

   private:
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t block_column(std::int64_t k) const {
      return k == diagonal_ ? block_row_ : strata_.column(columns_, block_row_, k);
    }
    std::int64_t index_, num_rows_, block_, block_row_, num_blocks_, count_;
    Strata strata_;
    std::int64_t diagonal_;  // the stratum in which the diagonal block replaces the random one
    CounterRng columns_, values_;
  };

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_rows() const { return num_rows_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_cols() const { return num_rows_; }
  [[nodiscard]] KOKKOS_FUNCTION Row row(std::int64_t index) const { return Row(*this, index); }

 private:
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t count(std::int64_t block_row, std::int64_t num_blocks) const {
    std::int64_t const drawn = 4 + lengths_.below(9, block_row, 0);
    return drawn < num_blocks ? drawn : num_blocks;
  }

  std::int64_t num_rows_, block_;
  CounterRng lengths_, columns_, values_;
};

/// gen:blocks:N:B
[[nodiscard]] inline DenseBlocks make_blocks(GeneratorSpec const& spec, bool with_imag) {
  spec.expect(spec.numbers[1] <= spec.numbers[0], "B at most N");
  return DenseBlocks(spec.numbers[0], spec.numbers[1], CounterRng(spec.seed, length_stream, false),
                     CounterRng(spec.seed, column_stream, false),
                     CounterRng(spec.seed, value_stream, with_imag));
}

}  // namespace einkorn
