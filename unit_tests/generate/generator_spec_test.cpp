// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "generated.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

TEST(GeneratorSpec, ReadsKindNumbersAndSeed) {
  auto const spec = parse_generator("gen:stripes:100:4:8:seed=7");
  EXPECT_EQ(spec.text, "gen:stripes:100:4:8:seed=7");
  EXPECT_EQ(spec.kind.name, "stripes");
  EXPECT_EQ(spec.numbers, (std::vector<std::int64_t>{100, 4, 8}));
  EXPECT_EQ(spec.seed, 7u);
}

TEST(GeneratorSpec, DefaultSeedIsOne) {
  EXPECT_EQ(parse_generator("gen:rmat:5").seed, 1u);
}

TEST(GeneratorSpec, OneExtentForAllDimensions) {
  EXPECT_EQ(parse_generator("gen:stencil9:8").numbers, (std::vector<std::int64_t>{8, 8}));
  EXPECT_EQ(parse_generator("gen:elasticity:5:seed=2").numbers, (std::vector<std::int64_t>{5, 5, 5}));
  EXPECT_EQ(parse_generator("gen:stencil7:2x3x4").numbers, (std::vector<std::int64_t>{2, 3, 4}));
}

TEST(GeneratorSpec, ReadsTheName) {
  auto const spec = parse_generator("gen:surrogate:webbase-1M:50:seed=3");
  EXPECT_EQ(spec.name, "webbase-1M");
  EXPECT_EQ(spec.numbers, (std::vector<std::int64_t>{50}));
  EXPECT_EQ(spec.seed, 3u);
  EXPECT_TRUE(parse_generator("gen:surrogate:cant").numbers.empty());
}

TEST(GeneratorSpec, TwinIsADeprecatedAliasOfSurrogate) {
  auto const spec = parse_generator("gen:twin:webbase-1M:50:seed=3");
  EXPECT_EQ(spec.text, "gen:twin:webbase-1M:50:seed=3");
  EXPECT_EQ(spec.kind.name, "surrogate");
  EXPECT_EQ(spec.name, "webbase-1M");
  EXPECT_EQ(spec.numbers, (std::vector<std::int64_t>{50}));
  EXPECT_EQ(spec.seed, 3u);
}

TEST(GeneratorSpec, DistinguishesSpecificationsFromFileNames) {
  EXPECT_TRUE(is_generator_spec("gen:what"));
  EXPECT_FALSE(is_generator_spec("gen.mtx"));
  EXPECT_FALSE(is_generator_spec("data/gen:5.mtx"));
}

struct Refused {
  std::string spec, reason;
};

TEST(GeneratorSpec, InvalidSpecificationsNameWhatWasExpected) {
  std::string const one_of = "expected one of gen:stencil5:NXxNY, ";
  std::vector<Refused> const cases{
      {"", one_of},
      {"gen", one_of},
      {"gen:", one_of},
      {"gen::5", one_of},
      {"stencil7:5", one_of},
      {"gen:stencil8:5", one_of},
      {"gen:Band:5:3", one_of},
      {"gen:seed=3", one_of},
      {"gen:stencil7", "it has 0 arguments; expected gen:stencil7:NXxNYxNZ"},
      {"gen:stencil7:seed=2", "it has 0 arguments; expected gen:stencil7:NXxNYxNZ"},
      {"gen:stencil7:4x4", "it has 2 extents, not 1 or 3; expected gen:stencil7:NXxNYxNZ"},
      {"gen:stencil5:4x4x4", "it has 3 extents, not 1 or 2; expected gen:stencil5:NXxNY"},
      {"gen:stencil5:4:4", "it has 2 arguments; expected gen:stencil5:NXxNY"},
      {"gen:stencil5:4x", "\"\" is not a whole number from 1 to 1099511627776; expected gen:stencil5:NXxNY"},
      {"gen:stencil9:4X4", "\"4X4\" is not a whole number"},
      {"gen:stencil27:0", "\"0\" is not a whole number"},
      {"gen:elasticity:-3", "\"-3\" is not a whole number"},
      {"gen:elasticity:+3", "\"+3\" is not a whole number"},
      {"gen:band:10", "it has 1 arguments; expected gen:band:N:D"},
      {"gen:band:10:3:1", "it has 3 arguments; expected gen:band:N:D"},
      {"gen:band:1e6:3", "\"1e6\" is not a whole number"},
      {"gen:band: 10:3", "\" 10\" is not a whole number"},
      {"gen:band:10:", "\"\" is not a whole number"},
      {"gen:band:1099511627777:3", "\"1099511627777\" is not a whole number from 1 to 1099511627776"},
      {"gen:band:99999999999999999999:3", "\"99999999999999999999\" is not a whole number"},
      {"gen:band:10:3:seed=", "\"seed=\" is not seed= and a whole number below 2^64; expected gen:band:N:D"},
      {"gen:band:10:3:seed=-1", "\"seed=-1\" is not seed="},
      {"gen:band:10:3:seed=18446744073709551616", "is not seed="},
      {"gen:band:10:seed=2:3", "it has 3 arguments"},
      {"gen:band:seed=2:3", "\"seed=2\" is not a whole number"},
      {"gen:rmat", "it has 0 arguments; expected gen:rmat:SCALE[:EDGEFACTOR[:A:B:C]]"},
      {"gen:rmat:5:16:1:1:1:1", "it has 6 arguments"},
      {"gen:surrogate", "it has 0 arguments; expected gen:surrogate:NAME[:PERCENT]"},
      {"gen:surrogate:cant:5:5", "it has 3 arguments"},
      {"gen:twin", "it has 0 arguments; expected gen:surrogate:NAME[:PERCENT]"},
      {"gen:surrogate:cant:0", "\"0\" is not a whole number"},
  };
  for (auto const& [spec, reason] : cases) {
    try {
      (void)parse_generator(spec);
      ADD_FAILURE() << spec << " was accepted";
    } catch (InvalidArgument const& error) {
      std::string const message = error.what();
      EXPECT_TRUE(message.starts_with("generator \"" + spec + "\": ")) << message;
      EXPECT_NE(message.find(reason), std::string::npos) << message;
    }
  }
}

TEST(GeneratorSpec, InvalidSizesNameWhatWasExpected) {
  std::vector<Refused> const cases{
      {"gen:band:10:4", "an odd D, at most 2 N - 1, in gen:band:N:D"},
      {"gen:band:10:21", "an odd D, at most 2 N - 1, in gen:band:N:D"},
      {"gen:bands:100:15:7", "K bands that lie apart, W < 2 floor(N / (2 K)), in gen:bands:N:W:K"},
      {"gen:bands:10:1:6", "K bands that lie apart, W < 2 floor(N / (2 K)), in gen:bands:N:W:K"},
      {"gen:stripes:10:2:6", "WIDTH at most N / 2 (so that neighbouring stripes can differ) in gen:stripes"},
      {"gen:rmat:32", "SCALE at most 31 in gen:rmat:SCALE[:EDGEFACTOR[:A:B:C]]"},
      {"gen:rmat:31:1000", "EDGEFACTOR * 2^SCALE at most 2^40 in gen:rmat"},
      {"gen:rmat:5:16:1", "none or all three of A, B and C in gen:rmat"},
      {"gen:rmat:5:16:100:1:1", "A, B and C in percent in gen:rmat"},
      {"gen:rmat:5:16:50:25:25", "A + B + C below 100 percent in gen:rmat"},
      {"gen:surrogate:cant:10001", "PERCENT at most 10000 in gen:surrogate:NAME[:PERCENT]"},
      {"gen:powerlaw:10:11", "MEAN at most N in gen:powerlaw:N:MEAN"},
      {"gen:longrows:10:10:11", "LEN at most M in gen:longrows:N:M:LEN"},
      {"gen:blocks:10:11", "B at most N in gen:blocks:N:B"},
  };
  for (auto const& [spec, reason] : cases) {
    try {
      (void)generated(spec);
      ADD_FAILURE() << spec << " was accepted";
    } catch (InvalidArgument const& error) {
      std::string const message = error.what();
      EXPECT_TRUE(message.starts_with("generator \"" + spec + "\": expected ")) << message;
      EXPECT_NE(message.find(reason), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace einkorn::test
