// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/brcv/detail/find_stripe.hpp>

#include <cstdint>

namespace einkorn::detail {

/// The first row of a part of the rows that has as many entries plus rows as each other part: a search for the
/// stripe, whose rows are equally long, so that a division finds the row.
template <class Format>
typename Format::ordinal_type first_row_of_part(Format const& F, typename Format::ordinal_type part,
                                                typename Format::ordinal_type num_parts) {
  using Ordinal = typename Format::ordinal_type;
  if (part == num_parts) return F.num_rows;
  auto const wide = [](auto number) { return static_cast<std::int64_t>(number); };
  std::int64_t const steps = wide(F.nnz()) + wide(F.num_rows);
  std::int64_t const target = steps / wide(num_parts) * wide(part);
  Ordinal low = 0, high = F.num_stripes();
  while (high - low > 1) {
    Ordinal const middle = low + (high - low) / 2;
    if (wide(F.rv(middle)) + wide(F.b(middle)) <= target)
      low = middle;
    else
      high = middle;
  }
  std::int64_t const into = target - wide(F.rv(low)) - wide(F.b(low));
  return F.b(low) + static_cast<Ordinal>(into / (wide(F.row_length(low)) + 1));
}

/// body(stripe, first row, last row + 1) for every piece of a stripe among the rows of a part.
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
