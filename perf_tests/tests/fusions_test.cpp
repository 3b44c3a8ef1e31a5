// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/solve.hpp"
#include "support/solve_reference.hpp"
#include "tests/systems.hpp"

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace einkorn::perf;

bool is_graph(SolveRow const& row) {
  return row.execution == "graph";
}

SolveBench stages() {
  auto bench = path(Method::jacobi_pcg);
  add_fusion_stages(bench);
  return bench;
}

TEST(Fusions, EveryStageGivesTheIteratesOfTheMethod) {
  auto const bench = stages();
  for (int const iterations : {1, 2, 11}) {
    auto const expected = static_cast<double>(reference_history(bench, iterations).back());
    for (auto const& row : bench.rows) {
      if (is_graph(row) && !row.solve) continue;
      ASSERT_TRUE(row.solve) << row.format << ' ' << row.execution << ' ' << row.fusion << ": " << row.refusal;
      Kokkos::deep_copy(bench.x, std::numeric_limits<double>::quiet_NaN());

      EXPECT_EQ(row.solve(iterations), iterations);

      EXPECT_NEAR(true_residual(bench), expected, 1e-9 * expected)
          << row.format << ' ' << row.execution << ' ' << row.fusion << ", " << iterations << " iterations";
    }
  }
}

TEST(Fusions, StagesMoveFewerVectors) {
  auto const bench = stages();

  ASSERT_EQ(bench.rows.size(), 14u);
  std::vector<std::size_t> const expected{19, 19, 14, 12, 11, 8, 8};
  std::set<std::string> names;
  for (std::size_t i = 0; i < bench.rows.size(); ++i) {
    auto const& row = bench.rows[i];
    EXPECT_EQ(row.format, i < 7 ? "csr" : "sell");
    EXPECT_EQ(row.vectors, expected[i % 7]);
    EXPECT_GT(row.matrix_bytes, 0u);
    EXPECT_EQ(row.note.find(std::to_string(row.vectors) + " vectors"), 0u) << row.note;
    names.insert(row.format + row.execution + row.fusion);
  }
  EXPECT_EQ(names.size(), bench.rows.size());
  EXPECT_EQ(bench.rows[6].refusal.empty(), bench.rows[6].solve != nullptr);
}

TEST(Fusions, UseTheSelectedFormats) {
  auto bench = path(Method::jacobi_pcg);
  bench.selection.formats = {"sell"};

  add_fusion_stages(bench);

  ASSERT_EQ(bench.rows.size(), 7u);
  EXPECT_EQ(bench.rows[0].format, "sell");
}

}  // namespace
