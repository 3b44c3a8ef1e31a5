// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The boundary rows with their dot products, as a source of sums, against loops over the entries; exact.

#include "../support/battery.hpp"
#include "../support/vectors.hpp"

#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/core/sum_partials.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/solvers/distributed/epilogues.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace einkorn::test {
namespace {

enum class GhostPart { diagonal, one_per_row, several_per_row };

struct Ghost {
  std::vector<int> offsets{0}, columns;
};
/// `rows` boundary rows with as many ghosts.
Ghost ghost_part(GhostPart part, int rows) {
  Ghost ghost;
  for (int b = 0; b < rows; ++b) {
    int const length = part == GhostPart::several_per_row ? b % 4 : 1;
    for (int k = 0; k < length; ++k)
      ghost.columns.push_back(part == GhostPart::diagonal ? b : (5 * b + k + 1) % rows);
    ghost.offsets.push_back(static_cast<int>(ghost.columns.size()));
  }
  return ghost;
}

/// The sums of all threads of `parts` teams of `threads`, on the host.
template <class Source>
std::vector<double> sums_of(Source const& source, std::size_t parts, std::size_t threads) {
  std::vector<double> sums(Source::count);
  for (std::size_t part = 0; part < parts; ++part)
    for (std::size_t thread = 0; thread < threads; ++thread)
      source.add(part, parts, thread, threads, sums.data());
  return sums;
}

template <class S>
void expect_boundary_rows(GhostPart part, int boundary, std::size_t parts, std::size_t threads) {
  SCOPED_TRACE(std::to_string(static_cast<int>(part)) + ", rows " + std::to_string(boundary));
  using Vector = Kokkos::View<S const*, Device>;
  using EpilogueOp = EpilogueWithDots<S, Vector, false>;
  constexpr int count = EpilogueOp::count;
  auto const n = static_cast<std::size_t>(2 * boundary + 3);
  auto const ghost = ghost_part(part, boundary);
  auto const values = numbers<S>(Numbers::integers, ghost.columns.size(), 1),
             g = numbers<S>(Numbers::integers, static_cast<std::size_t>(boundary), 2),
             u = numbers<S>(Numbers::integers, n, 3);
  auto const local = numbers<double>(Numbers::integers, std::size_t(3) * count, 4);
  std::vector<int> rows;
  for (int b = 0; b < boundary; ++b) rows.push_back(b < boundary / 2 ? b : b + boundary + 3);
  auto y = numbers<S>(Numbers::integers, n, 5);

  auto const device_y = to_device(y);
  Csr<S, int, int, Device> A;
  A.num_rows = A.num_cols = boundary;
  A.row_offsets = to_device(ghost.offsets);
  A.columns = to_device(ghost.columns);
  A.values = to_device(values);
  auto const device_local = to_device(local);
  Vector const device_u = to_device(u), device_g = to_device(g);
  auto const device_rows = to_device(rows);
  PartialsLayout layout;
  EpilogueOp const epilogue({Kokkos::View<double*, Device>(), &layout}, S(1), S(0), device_u, device_u);
  using Source = detail::BoundaryRows<EpilogueOp, decltype(A), std::decay_t<decltype(device_rows)>, Vector,
                                      std::decay_t<decltype(device_y)>>;
  Source const source{detail::BlockSums<count>{device_local.data(), 3},
                      epilogue,
                      A,
                      part == GhostPart::diagonal,
                      device_rows,
                      device_g,
                      device_y};
  std::vector<double> got;
  if constexpr (is_gpu<Space>) {
    SumSpace<Device> const space(Space(), 1);
    Kokkos::View<double*, Device> const totals("totals", count);
    detail::sum_source(Space(), "boundary rows", space, source, detail::StoreSums<count>{totals.data()});
    got = to_host(totals);
  } else {
    got = sums_of(source, parts, threads);
  }

  std::vector<double> sums(count);
  for (std::size_t i = 0; i < local.size(); ++i) sums[i % count] += local[i];
  for (std::size_t b = 0; b < rows.size(); ++b) {
    auto const row = static_cast<std::size_t>(rows[b]);
    for (int k = ghost.offsets[b]; k < ghost.offsets[b + 1]; ++k)
      y[row] += values[static_cast<std::size_t>(k)] *
                g[static_cast<std::size_t>(ghost.columns[static_cast<std::size_t>(k)])];
    sums[0] += einkorn::squared(y[row]);
    einkorn::add_product(sums.data() + 1, u[row], y[row]);
  }
  EXPECT_EQ(to_host(device_y), y);
  EXPECT_EQ(got, sums);
}

TEST(BoundaryRows, ExactForIntegers) {
  // 6 threads with batches of 4 and 7 rows: none full, the last one partly, several.
  for (auto const part : {GhostPart::diagonal, GhostPart::one_per_row, GhostPart::several_per_row})
    for (int const boundary : {1, 5, 6, 7, 24, 25, 42, 43, 300, 5000}) {
      expect_boundary_rows<double>(part, boundary, 1, 1);
      expect_boundary_rows<double>(part, boundary, 2, 3);
      expect_boundary_rows<Kokkos::complex<double>>(part, boundary, 2, 3);
    }
}

}  // namespace
}  // namespace einkorn::test
