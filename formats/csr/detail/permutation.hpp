// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/detail/inspection.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace einkorn::detail {

/// Whether list(i) occurs before i; first(n): the first position of n.
template <class List, class First>
struct IsRepeated {
  List list;
  First first;
  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index i) const {
    return first(list(i)) != i;
  }
};

template <class List, class Inverse>
struct InvertList {
  using Ordinal = typename List::non_const_value_type;

  List list;
  Inverse inverse;

  KOKKOS_FUNCTION void operator()(Ordinal i) const { Kokkos::atomic_min(&inverse(list(i)), i); }
};

/// inverse(list(i)) = i for a permutation of 0 .. n - 1. `what`: name of the list. Throws InvalidStructure for
/// the first entry that is out of range or repeated. Fences exec.
template <class Exec, class List>
Kokkos::View<typename List::non_const_value_type*, typename List::device_type> inverse_permutation(
    Exec const& exec, List const& list, typename List::non_const_value_type n, std::string const& what) {
  using Ordinal = typename List::non_const_value_type;
  using Inverse = Kokkos::View<Ordinal*, typename List::device_type>;
  auto const refuse = [&](Ordinal i, std::string const& reason) {
    auto const value = read_one(list, static_cast<std::size_t>(i));
    throw InvalidStructure(what + "(" + std::to_string(i) + ") is " + std::to_string(value) + reason);
  };
  exec.fence("einkorn::inverse_permutation: what fills the list on exec has run");
  auto const outside =
      first_bad(exec, "einkorn::inverse_permutation[range]", n, OutOfRange<List, Ordinal>{list, n});
  if (outside < n) refuse(outside, ", expected 0 .. " + std::to_string(n) + " - 1");
  auto const inverse = allocate<Inverse>(exec, "einkorn::inverse_permutation", static_cast<std::size_t>(n));
  fill_vector(exec, inverse, n);
  range_for<Ordinal>("einkorn::inverse_permutation", exec, n, InvertList<List, Inverse>{list, inverse});
  auto const second =
      first_bad(exec, "einkorn::inverse_permutation[twice]", n, IsRepeated<List, Inverse>{list, inverse});
  if (second < n) refuse(second, ", which is there twice: not a permutation");
  return inverse;
}

}  // namespace einkorn::detail
