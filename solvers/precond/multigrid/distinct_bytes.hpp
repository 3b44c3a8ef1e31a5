// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstddef>
#include <set>
#include <type_traits>

namespace einkorn::detail {

/// The sum of the bytes of arrays that matrices may share: an array counts once.
class DistinctBytes {
 public:
  /// The arrays of A are counted elsewhere.
  template <class Matrix>
  void exclude(Matrix const& A) {
    A.visit_arrays([&](char const*, auto const& array) { counted_.insert(array.data()); });
  }
  template <class Matrix>
  void add(Matrix const& A) {
    A.visit_arrays([&](char const*, auto const& array) {
      if (counted_.insert(array.data()).second)
        bytes_ += array.size() * sizeof(typename std::decay_t<decltype(array)>::value_type);
    });
  }
  /// Memory that is not shared.
  void add(std::size_t bytes) { bytes_ += bytes; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::set<void const*> counted_;
  std::size_t bytes_ = 0;
};

/// Bytes of the arrays that x.add_to() adds.
template <class T>
std::size_t distinct_bytes(T const& x) {
  DistinctBytes bytes;
  x.add_to(bytes);
  return bytes.bytes();
}

}  // namespace einkorn::detail
