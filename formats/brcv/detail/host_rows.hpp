// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/split.hpp>
#include <einkorn/formats/brcv/detail/find_stripe.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// The sum of rows and entries before a stripe.
template <class Format>
struct StepsBeforeStripe {
  Format const& F;

  KOKKOS_FUNCTION std::int64_t operator()(typename Format::ordinal_type stripe) const {
    return static_cast<std::int64_t>(F.rv(stripe)) + static_cast<std::int64_t>(F.b(stripe));
  }
};

/// The first row of part `part` of num_parts, which have equal numbers of rows plus entries. Finds the stripe
/// by binary search; its rows have equal lengths, so that a division gives the row.
template <class Format>
typename Format::ordinal_type first_row_of_part(Format const& F, typename Format::ordinal_type part,
                                                typename Format::ordinal_type num_parts) {
  using Ordinal = typename Format::ordinal_type;
  if (part == num_parts) return F.num_rows;
  auto const wide = [](auto number) { return static_cast<std::int64_t>(number); };
  std::int64_t const steps = wide(F.nnz()) + wide(F.num_rows);
  std::int64_t const target = steps / wide(num_parts) * wide(part);
  StepsBeforeStripe<Format> const steps_before{F};
  Ordinal const stripe = row_of_entry(steps_before, Ordinal(0), F.num_stripes(), target);
  return F.b(stripe) + static_cast<Ordinal>((target - steps_before(stripe)) / (wide(F.row_length(stripe)) + 1));
}

/// Calls body(stripe, first row, last row + 1) for every stripe, or part of one, in the rows of a part.
template <class Format, class Body>
void for_each_stripe_of_part(Format const& F, typename Format::ordinal_type part,
                             typename Format::ordinal_type num_parts, Body const& body) {
  using Ordinal = typename Format::ordinal_type;
  Ordinal row = first_row_of_part(F, part, num_parts);
  Ordinal const end = first_row_of_part(F, static_cast<Ordinal>(part + 1), num_parts);
  if (row >= end) return;
  for (Ordinal stripe = stripe_of_row(F.b, Ordinal(0), F.num_stripes(), row); row < end; ++stripe) {
    Ordinal const next = F.b(stripe + 1) < end ? F.b(stripe + 1) : end;
    body(stripe, row, next);
    row = next;
  }
}

}  // namespace einkorn::detail
