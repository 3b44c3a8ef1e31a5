// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// An array of integers that is read four at a time: one load of 16 bytes for four 32-bit integers. A GPU loop
/// that reads one integer per step is limited by instructions, not by memory bandwidth.
template <class Integer>
class VectorLoads {
 public:
  struct alignas(16) Vector4 {
    Integer entry[4];
  };

  VectorLoads() = default;
  VectorLoads(Integer const* array, std::size_t size)
      : array_(array),
        size_(size),
        is_aligned_(reinterpret_cast<std::uintptr_t>(array) % alignof(Vector4) == 0) {}

  /// The number of vectors.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::size_t count() const { return ceil_div(size_, 4); }

  [[nodiscard]] Integer const* data() const { return array_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// The number of work items for for_each_of_item().
  template <int batch>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::size_t num_items() const {
    return ceil_div(count(), batch * item_stride) * item_stride;
  }

  /// visit(vector, number of the vector) for the vectors of a work item, at most `batch`. Loads them before the first
  /// call, so that a thread waits for memory once. Adjacent items have adjacent vectors.
  template <int batch, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_of_item(std::size_t item, Visit const& visit) const {
    std::size_t const first = item / item_stride * (batch * item_stride) + item % item_stride;
    if (is_aligned_ && 4 * (first + (batch - 1) * item_stride) + 4 <= size_) {
      Vector4 vectors[batch];
      for (int u = 0; u < batch; ++u)
        vectors[u] = *reinterpret_cast<Vector4 const*>(array_ + 4 * (first + std::size_t(u) * item_stride));
      for (int u = 0; u < batch; ++u) visit(vectors[u], first + std::size_t(u) * item_stride);
    } else {
      for (std::size_t i = first; i < first + batch * item_stride && i < count(); i += item_stride)
        visit((*this)(i), i);
    }
  }

  /// Entries 4 i .. 4 i + 3; zeros past the end.
  KOKKOS_FORCEINLINE_FUNCTION Vector4 operator()(std::size_t i) const {
    std::size_t const first = 4 * i;
    if (is_aligned_ && first + 4 <= size_) return *reinterpret_cast<Vector4 const*>(array_ + first);
    Vector4 vector;
    for (std::size_t j = 0; j < 4; ++j) vector.entry[j] = first + j < size_ ? array_[first + j] : Integer(0);
    return vector;
  }

 private:
  static constexpr std::size_t item_stride = 64;  // at least the lanes of a warp or wavefront

  Integer const* array_ = nullptr;
  std::size_t size_ = 0;
  bool is_aligned_ = false;
};

/// Vector loads of a contiguous View of rank 1.
template <class View>
VectorLoads<typename View::non_const_value_type> vector_loads(View const& view) {
  return {view.data(), view.extent(0)};
}

}  // namespace einkorn::detail
