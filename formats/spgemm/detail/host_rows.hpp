// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/spgemm/detail/column_table.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn::detail {

/// Rows of C in parts of equal numbers of products (Nagasaka et al., ICPP Workshops 2018), one thread per row.
template <class Exec>
struct RowParts {
  Kokkos::View<std::uint64_t const*, typename Exec::memory_space> products;  // offsets, [rows + 1]
  std::size_t num_parts;

  /// The first row of a part; for num_parts the number of rows.
  [[nodiscard]] std::size_t first(std::size_t part) const {
    std::size_t const rows = products.extent(0) - 1;
    if (part == 0) return 0;
    if (part >= num_parts) return rows;
    auto const target = static_cast<std::uint64_t>(
        static_cast<double>(products(rows)) * (static_cast<double>(part) / static_cast<double>(num_parts)));
    return static_cast<std::size_t>(std::lower_bound(products.data(), products.data() + rows, target) -
                                    products.data());
  }

  /// body(row, thread) for every row. thread: 0 .. threads() - 1, different in concurrent calls.
  template <class Body>
  void for_each_row(Exec const& exec, char const* label, Body const& body) const {
    Kokkos::Experimental::UniqueToken<Exec, Kokkos::Experimental::UniqueTokenScope::Global> const threads;
    for_each_part(exec, label, static_cast<std::int64_t>(num_parts), [&, this](std::size_t part) {
      auto const thread = threads.acquire();
      for (std::size_t i = first(part), end = first(part + 1); i < end; ++i)
        body(i, static_cast<std::size_t>(thread));
      threads.release(thread);
    });
  }
  [[nodiscard]] static std::size_t threads() {
    return static_cast<std::size_t>(
        Kokkos::Experimental::UniqueToken<Exec, Kokkos::Experimental::UniqueTokenScope::Global>().size());
  }
};

/// Slots of a hash table on the host, whose slots are counted in int. Throws OverflowError.
inline std::size_t host_table_slots(std::size_t keys) {
  require<OverflowError>(keys <= std::size_t(1) << 29, [&] {
    return "spgemm: a row of C has up to " + std::to_string(keys) +
           " entries, more than the 2^29 of a hash table on the host";
  });
  return table_capacity(keys);
}

template <class T, class Memory>
using PerThread = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;

}  // namespace einkorn::detail
