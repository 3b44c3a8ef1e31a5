// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// A sequential host model of the layout of CSR5, written from its definition.

#include "../support/host_matrix.hpp"

#include <einkorn/formats/csr5/csr5.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace einkorn::test {

struct Csr5Model {
  struct Lane {
    std::vector<bool> bit_flag;
    std::size_t y_offset = 0, seg_offset = 0;
  };
  struct Tile {
    std::size_t row = 0;  // of the first entry
    bool spans_empty_row = false;
    std::vector<Lane> lanes;
    std::vector<std::size_t> start_rows;  // row of each start
  };
  std::vector<Tile> tiles;
  std::vector<std::size_t> order;  // order[p]: CSR entry stored at p
  std::size_t tail_row = 0;
  std::vector<std::size_t> empty_rows;  // before the tail
};

template <class Matrix>
Csr5Model model_of(Matrix const& A, Csr5Shape const& shape) {
  auto const lanes = static_cast<std::size_t>(shape.lanes), sigma = static_cast<std::size_t>(shape.sigma);
  auto const size = lanes * sigma, nnz = A.values.size(), tail = nnz / size * size;
  std::vector<std::size_t> row_of(nnz);
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i); k < A.end(i); ++k) row_of[k] = i;

  Csr5Model model;
  model.order.resize(nnz);
  for (std::size_t k = tail; k < nnz; ++k) model.order[k] = k;
  for (std::size_t t = 0; t < nnz / size; ++t) {
    auto const first = t * size;
    Csr5Model::Tile tile;
    tile.row = row_of[first];
    for (auto row = tile.row; row <= row_of[first + size - 1]; ++row)
      if (A.begin(row) == A.end(row)) tile.spans_empty_row = true;
    for (std::size_t i = 0; i < lanes; ++i) {
      Csr5Model::Lane lane;
      lane.y_offset = tile.start_rows.size();
      for (std::size_t j = 0; j < sigma; ++j) {
        auto const k = first + i * sigma + j;
        model.order[first + j * lanes + i] = k;
        bool const starts = k == first || A.begin(row_of[k]) == k;
        lane.bit_flag.push_back(starts);
        if (starts) tile.start_rows.push_back(row_of[k]);
      }
      tile.lanes.push_back(lane);
    }
    auto const has_start = [&](std::size_t i) {
      for (bool const starts : tile.lanes[i].bit_flag)
        if (starts) return true;
      return false;
    };
    for (std::size_t i = 0; i < lanes; ++i)
      if (has_start(i))
        for (auto right = i + 1; right < lanes && !has_start(right); ++right) ++tile.lanes[i].seg_offset;
    model.tiles.push_back(tile);
  }
  model.tail_row = tail < nnz ? row_of[tail] : A.rows();
  for (std::size_t i = 0; i < model.tail_row; ++i)
    if (A.begin(i) == A.end(i)) model.empty_rows.push_back(i);
  return model;
}

}  // namespace einkorn::test
