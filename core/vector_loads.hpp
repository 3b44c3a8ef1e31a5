// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// An array of integers, read four at a time: one load of 16 bytes for four of 32 bits. A GPU that goes over
/// an array one integer a step is bound by the steps, not by the memory.
template <class Integer>
class VectorLoads {
 public:
  struct alignas(16) Four {
    Integer entry[4];
  };

  VectorLoads() = default;
  VectorLoads(Integer const* array, std::size_t size)
      : array_(array), size_(size), is_aligned_(reinterpret_cast<std::uintptr_t>(array) % alignof(Four) == 0) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::size_t count() const { return (size_ + 3) / 4; }

  /// Entries 4 i .. 4 i + 3; 0 past the end.
  KOKKOS_FORCEINLINE_FUNCTION Four operator()(std::size_t i) const {
    std::size_t const first = 4 * i;
    if (is_aligned_ && first + 4 <= size_) return *reinterpret_cast<Four const*>(array_ + first);
    Four four;
    for (std::size_t j = 0; j < 4; ++j) four.entry[j] = first + j < size_ ? array_[first + j] : Integer(0);
    return four;
  }

 private:
  Integer const* array_ = nullptr;
  std::size_t size_ = 0;
  bool is_aligned_ = false;
};

/// A View of rank 1 whose entries lie one after another.
template <class View>
VectorLoads<typename View::non_const_value_type> vector_loads(View const& view) {
  return {view.data(), view.extent(0)};
}

}  // namespace einkorn::detail
