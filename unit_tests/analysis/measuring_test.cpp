// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/battery.hpp"

#include <einkorn/formats/analysis/select_by_measuring.hpp>
#include <einkorn/formats/generate/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace einkorn::test {
namespace {

TEST(SelectByMeasuring, MeasuresCsrAndTheFormatsOfTheModel) {
  auto const A = generate<double, int, int, Device>(Space(), "gen:band:5000:31");

  auto const choice = select_by_measuring(Space(), A);

  auto const has = [&](FormatName format) {
    return std::any_of(choice.candidates.begin(), choice.candidates.end(),
                       [format](Estimate const& e) { return e.format == format && e.seconds > 0; });
  };
  EXPECT_TRUE(has(FormatName::csr));
  EXPECT_TRUE(has(FormatName::bdia));
  EXPECT_TRUE(has(choice.format));
  EXPECT_NE(choice.reason.find("measured"), std::string::npos);
  EXPECT_EQ(choice.structure.num_diagonals, 31);
  for (auto const& candidate : choice.candidates)
    if (!candidate.refused) {
      EXPECT_GE(candidate.seconds, choice.seconds) << "for infinitely many uses the fastest is chosen";
    }
}

TEST(SelectByMeasuring, EmptyMatrices) {
  for (auto const& pattern : battery())
    if (pattern.nnz() == 0 && !pattern.is_large()) {
      EXPECT_FALSE(select_by_measuring(Space(), with_numbers<double>(pattern, Numbers::reals).on_device())
                       .reason.empty());
    }
}

}  // namespace
}  // namespace einkorn::test
