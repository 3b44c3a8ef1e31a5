// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/suites.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/generate/surrogate_features.hpp>

namespace einkorn::perf {

namespace {

/// Ten irregular matrices of 200 MB and more in CSR (double, int32), larger than last-level caches.
std::vector<std::string> const irregular{
    "gen:rmat:21:16:seed=1",              // social network: connected hubs, empty rows, popular columns
    "gen:rmat:21:16:45:15:15:seed=2",     // less skewed: fewer hubs, columns spread more widely
    "gen:powerlaw:2000000:16:seed=3",     // heavy tail, random columns: load balance and gathers
    "gen:powerlaw:8000000:3:seed=4",      // rows of a few entries, with a tail: the cost per row
    "gen:circuit:4000000:seed=5",         // near the diagonal, eight nets of up to N / 8 nodes
    "gen:surrogate:circuit5M:seed=6",     // five rows of over a million
    "gen:surrogate:FullChip:seed=7",      // one row with three quarters of the columns, then a tail
    "gen:surrogate:eu-2005:seed=8",       // web: runs of links, groups of similar pages
    "gen:surrogate:rail4284:200:seed=9",  // linear programme: wide, rows of thousands of entries
    "gen:surrogate:mip1:200:seed=10",     // mixed-integer programme: dense groups and a few full rows
};

/// Structured matrices of 200 MB and more.
std::vector<std::string> const regular{
    "gen:stencil7:256",      "gen:stencil27:160",    "gen:elasticity:80",    "gen:band:1000000:101",
    "gen:bands:1000000:5:7", "gen:blocks:1500000:3", "gen:blocks:1000000:4", "gen:blocks:800000:5",
    "gen:blocks:600000:6",   "gen:blocks:560000:7",  "gen:blocks:500000:8",
};

std::vector<std::string> matrices_of(std::string const& suite) {
  if (suite == "irregular") return irregular;
  if (suite == "regular") return regular;
  require<InvalidArgument>(suite == "csr5", [&] {
    return "unknown suite \"" + suite + "\"; expected suite:csr5, suite:irregular or suite:regular";
  });
  std::vector<std::string> surrogates;
  for (auto const& features : surrogate_features)
    surrogates.push_back("gen:surrogate:" + std::string(features.name));
  return surrogates;
}

}  // namespace

std::vector<NamedMatrix> expand_suites(std::vector<std::string> const& arguments) {
  std::string const prefix = "suite:";
  std::vector<NamedMatrix> matrices;
  for (auto const& argument : arguments) {
    if (argument.rfind(prefix, 0) != 0) {
      matrices.push_back({argument, ""});
      continue;
    }
    auto const suite = argument.substr(prefix.size());
    for (auto const& name : matrices_of(suite)) matrices.push_back({name, suite});
  }
  return matrices;
}

}  // namespace einkorn::perf
