// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/dia/dia.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn {

namespace detail {

/// True for a diagonal that does not ascend or lies outside the matrix.
template <class Offsets, class Ordinal>
struct IsInvalidDiagonal {
  Offsets offsets;
  Ordinal num_rows, num_cols;

  KOKKOS_FUNCTION bool operator()(std::size_t d) const {
    return offsets(d) <= -num_rows || offsets(d) >= num_cols || (d > 0 && offsets(d) <= offsets(d - 1));
  }
};

}  // namespace detail

/// Checks the invariants of Dia, for a struct filled by the caller. Slots outside the matrix are not checked.
/// @throws InvalidStructure, naming the first invalid diagonal and its value
/// Cost: reads offsets once, on the device; fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
void validate(Exec const& exec, Dia<Scalar, Ordinal, Offset, Device> const& F) {
  require_kokkos("validate");
  auto const text = [](auto number) { return std::to_string(number); };
  require<InvalidStructure>(F.num_rows >= 0 && F.num_cols >= 0, [&] {
    return "Dia: negative size " + text(F.num_rows) + " x " + text(F.num_cols);
  });
  auto const diagonals = F.offsets.extent(0);
  auto const stride = static_cast<std::size_t>(F.stride);
  require<InvalidStructure>(diagonals == 0 || stride >= static_cast<std::size_t>(F.num_rows), [&] {
    return "Dia: stride is " + text(F.stride) + ", expected num_rows = " + text(F.num_rows) + " or more";
  });
  require<InvalidStructure>(F.values.extent(0) == stride * diagonals, [&] {
    return "Dia: values has " + text(F.values.extent(0)) +
           " entries, expected stride * diagonals = " + text(stride * diagonals);
  });
  exec.fence("einkorn::validate: what fills the matrix on exec has run");
  using IsBad = detail::IsInvalidDiagonal<decltype(F.offsets), Ordinal>;
  auto const bad =
      detail::first_bad(exec, "einkorn::validate[dia]", diagonals, IsBad{F.offsets, F.num_rows, F.num_cols});
  require<InvalidStructure>(bad == diagonals, [&] {
    return "Dia: diagonal " + text(bad) + " is " + text(detail::read_one(F.offsets, bad)) +
           ", expected more than " + text(bad == 0 ? -F.num_rows : detail::read_one(F.offsets, bad - 1)) +
           " and less than num_cols = " + text(F.num_cols);
  });
}

}  // namespace einkorn
