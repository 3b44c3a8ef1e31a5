// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn {

/// True when a write through one View may change what is read through the other. Exact for vectors of one
/// stride (two columns of a row-major multivector do not overlap); for other shapes the address ranges are
/// compared.
template <class V, class W>
bool overlaps(V const& v, W const& w) {
  if (v.size() == 0 || w.size() == 0) return false;
  auto const first_v = reinterpret_cast<std::uintptr_t>(v.data());
  auto const first_w = reinterpret_cast<std::uintptr_t>(w.data());
  auto const last_v = first_v + v.span() * sizeof(typename V::value_type);
  auto const last_w = first_w + w.span() * sizeof(typename W::value_type);
  if (last_v <= first_w || last_w <= first_v) return false;
  using T = std::remove_cv_t<typename V::value_type>;
  if constexpr (V::rank() == 1 && W::rank() == 1 &&
                std::is_same_v<T, std::remove_cv_t<typename W::value_type>>) {
    auto const stride = static_cast<std::size_t>(v.stride(0));
    if (stride == static_cast<std::size_t>(w.stride(0)) && stride > 0) {
      auto const distance = first_v > first_w ? first_v - first_w : first_w - first_v;
      return distance % (stride * sizeof(T)) < sizeof(T) ||
             distance % (stride * sizeof(T)) > (stride - 1) * sizeof(T);
    }
  }
  return true;
}

}  // namespace einkorn
