// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/brcv/brcv_tuning.hpp>
#include <einkorn/formats/brcv/detail/find_stripe.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// Tables of a plan that replace searches of stripes in GPU kernels; if they are empty, the kernels search.
/// Stripes of more than brcv_chunk_rows() rows are divided into chunks of this many rows; the last chunk of a
/// stripe has the remaining rows.
template <class Ordinal, class Device>
struct StripeChunks {
  Kokkos::View<Ordinal*, Device>
      marks;  // [ceil(num_rows / brcv_rows_per_mark)]: stripe of row brcv_rows_per_mark i
  Kokkos::View<Ordinal*, Device> stripes;  // [chunks]: stripe of a chunk
  Kokkos::View<Ordinal*, Device> rows;     // [chunks]: first row of a chunk

  [[nodiscard]] std::size_t bytes() const {
    return (marks.extent(0) + stripes.extent(0) + rows.extent(0)) * sizeof(Ordinal);
  }
};

template <class Bounds, class List>
struct MarkStripeRows {
  using Ordinal = typename List::non_const_value_type;
  static constexpr int rows_per_mark = brcv_rows_per_mark;

  Bounds b;
  List marks;
  Ordinal num_stripes;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    marks(i) = stripe_of_row(b, Ordinal(0), num_stripes, static_cast<Ordinal>(i) * rows_per_mark);
  }
};

template <class Bounds, class List>
struct CountStripeChunks {
  using Ordinal = typename List::non_const_value_type;

  Bounds b;
  List first_chunk;
  Ordinal max_rows;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    Ordinal const height = b(i + 1) - b(i);
    first_chunk(i) = height / max_rows + (height % max_rows != 0);
  }
};

template <class Bounds, class List>
struct ListStripeChunks {
  using Ordinal = typename List::non_const_value_type;

  Bounds b;
  List first_chunk, stripes, rows;
  Ordinal num_stripes, max_rows;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const chunk = static_cast<Ordinal>(i);
    Ordinal const stripe = row_of_entry(first_chunk, num_stripes, chunk);
    stripes(i) = stripe;
    rows(i) = b(stripe) + (chunk - first_chunk(stripe)) * max_rows;
  }
};

/// Builds the tables on the device: 4 launches. Fences exec to read the number of chunks.
template <class Exec, class Format>
StripeChunks<typename Format::ordinal_type, typename Format::device_type> make_stripe_chunks(Exec const& exec,
                                                                                             Format const& F,
                                                                                             int chunk_rows) {
  using Ordinal = typename Format::ordinal_type;
  using List = Kokkos::View<Ordinal*, typename Format::device_type>;
  StripeChunks<Ordinal, typename Format::device_type> chunks;
  if (F.num_rows == 0) return chunks;
  constexpr int rows_per_mark = brcv_rows_per_mark;
  Ordinal const num_stripes = F.num_stripes(), max_rows = static_cast<Ordinal>(chunk_rows);
  auto const b = F.b;
  auto const num_marks = ceil_div(static_cast<std::size_t>(F.num_rows), std::size_t(rows_per_mark));
  List const marks = allocate<List>(exec, "einkorn::SpmvPlan[brcv]::marks", num_marks);
  range_for<std::size_t>("einkorn::make_spmv_plan[brcv,marks]", exec, num_marks,
                         MarkStripeRows<decltype(F.b), List>{b, marks, num_stripes});
  auto const p = static_cast<std::size_t>(num_stripes);
  List const first_chunk = allocate<List>(exec, "einkorn::SpmvPlan[brcv]::first_chunk", p + 1);
  range_for<std::size_t>("einkorn::make_spmv_plan[brcv,count]", exec, p,
                         CountStripeChunks<decltype(F.b), List>{b, first_chunk, max_rows});
  auto const num_chunks = static_cast<std::size_t>(counts_to_offsets(exec, first_chunk));
  List const stripes = allocate<List>(exec, "einkorn::SpmvPlan[brcv]::stripes", num_chunks);
  List const rows = allocate<List>(exec, "einkorn::SpmvPlan[brcv]::rows", num_chunks);
  range_for<std::size_t>(
      "einkorn::make_spmv_plan[brcv,chunks]", exec, num_chunks,
      ListStripeChunks<decltype(F.b), List>{b, first_chunk, stripes, rows, num_stripes, max_rows});
  chunks.marks = marks;
  chunks.stripes = stripes;
  chunks.rows = rows;
  return chunks;
}

}  // namespace einkorn::detail
