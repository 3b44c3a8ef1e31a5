// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstddef>

/// The bytes that a format must move in y <- A x: each of its arrays, x and y once. Additional traffic of a
/// kernel (x read again, carries between tiles) is overhead and reduces the fraction of copy.
namespace einkorn::perf {

struct MatrixCounts {
  std::size_t rows = 0, cols = 0, nnz = 0;
  std::size_t scalar = 0, ordinal = 0, offset = 0;  // sizes in bytes
};

constexpr std::size_t vector_bytes(MatrixCounts const& a) {
  return (a.rows + a.cols) * a.scalar;
}

constexpr std::size_t csr_bytes(MatrixCounts const& a) {
  return a.nnz * (a.scalar + a.ordinal) + (a.rows + 1) * a.offset + vector_bytes(a);
}

struct Csr5Counts {
  std::size_t tiles = 0, lanes = 0, words = 0;                     // words: 4-byte words per lane descriptor
  std::size_t empty_begin = 0, empty_offsets = 0, empty_rows = 0;  // lengths of the arrays
  std::size_t tail_rows = 0;                                       // rows with entries in the tail
};

/// Without tiles the tail is the whole CSR; the bytes are those of CSR and one row number.
constexpr std::size_t csr5_bytes(MatrixCounts const& a, Csr5Counts const& f) {
  std::size_t const descriptors = (f.tiles + 1) * a.ordinal + f.tiles * f.lanes * f.words * 4;
  std::size_t const empty = f.empty_begin * a.offset + (f.empty_offsets + f.empty_rows) * a.ordinal;
  std::size_t const tail = f.tail_rows == 0 ? 0 : (f.tail_rows + 1) * a.offset;
  return a.nnz * (a.scalar + a.ordinal) + descriptors + empty + tail + vector_bytes(a);
}

constexpr std::size_t coo_bytes(MatrixCounts const& a) {
  return a.nnz * (a.scalar + 2 * a.ordinal) + vector_bytes(a);
}

/// @param stored entries including the padding of the slices
constexpr std::size_t sell_bytes(MatrixCounts const& a, std::size_t stored, std::size_t slices) {
  return stored * (a.scalar + a.ordinal) + (slices + 1) * a.ordinal + vector_bytes(a);
}

/// CSR to CSR5: reads the CSR once and writes the arrays that CSR5 does not share with it once.
constexpr std::size_t csr5_conversion_bytes(MatrixCounts const& a, Csr5Counts const& f) {
  Csr5Counts without_tail = f;
  without_tail.tail_rows = 0;
  return csr_bytes(a) + csr5_bytes(a, without_tail) - 2 * vector_bytes(a);
}

/// update_values(): values read once and written once.
constexpr std::size_t value_update_bytes(MatrixCounts const& a) {
  return 2 * a.nnz * a.scalar;
}

/// Floating-point operations per stored entry: a multiplication and an addition.
constexpr double flops_per_entry(bool complex) {
  return complex ? 8.0 : 2.0;
}

}  // namespace einkorn::perf
