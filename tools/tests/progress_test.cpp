// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/progress.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace einkorn::tools {
namespace {

TEST(Progress, WritesOncePerSecond) {
  std::ostringstream out;
  double now = 5.0;
  Progress progress(out, [&now] { return now; });

  for (int i = 0; i < 10; ++i) {  // 0.25 s each
    now += 0.25;
    EXPECT_TRUE(progress(i, 0.5)) << "must not stop a solve";
  }

  EXPECT_EQ(out.str(), "einkorn-solve: iteration 3, residual 0.5\neinkorn-solve: iteration 7, residual 0.5\n");
}

TEST(Progress, WritesEachLevelOfMultigrid) {
  std::ostringstream out;
  Progress progress(out);
  MultigridLevel level;
  level.rows = 4096;
  level.nnz = 27136;
  level.format = "dia";

  progress(level);
  level = {};
  level.format = "inverse";
  progress(level);

  EXPECT_EQ(out.str(),
            "einkorn-solve: multigrid level 0: 4096 rows, 27136 entries, dia\n"
            "einkorn-solve: multigrid level 1: 0 rows, 0 entries, inverse\n");
}

TEST(Progress, WritesNothingInAShortSolve) {
  std::ostringstream out;
  Progress progress(out);

  progress(1, 0.5);

  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace einkorn::tools
