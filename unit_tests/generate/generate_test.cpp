// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "generated.hpp"

#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

/// The expected matrix, bit for bit, on every backend and for every number of threads.
struct Expected {
  std::string spec;
  std::uint64_t digest;
};
std::vector<Expected> const expected_digests{
    {"gen:stencil5:40x31", 0x17188cff4d4ad75du},
    {"gen:stencil9:40x31", 0x41a1f99d8154dc36u},
    {"gen:stencil7:13x12x11", 0x162bc0e77d885585u},
    {"gen:stencil27:13x12x11", 0x28027e98a7bbbe2fu},
    {"gen:elasticity:7", 0x4031fcc8274d8a35u},
    {"gen:band:1000:31", 0xbdbf8eb710c5f743u},
    {"gen:bands:2000:5:7", 0x50fd2967f29c766eu},
    {"gen:stripes:2000:16:27", 0xabb42b71a8319f11u},
    {"gen:rmat:11", 0xb5aaaa3d259ce743u},
    {"gen:rmat:5:1000", 0xbe985b8ca5a6d36au},
    {"gen:powerlaw:3000:16", 0x53180342a6634b43u},
    {"gen:circuit:9000", 0x1a90bb6f0f7eac75u},
    {"gen:longrows:3:50000:20001", 0xa82971ee41b77c62u},
    {"gen:blocks:2000:3", 0xab2a734bc1e61fe5u},
    {"gen:stencil7:10:seed=7", 0x8ad718968e5f88ebu},
    {"gen:rmat:8:16:45:15:15", 0x1a9c5fb093f4a298u},
    {"gen:surrogate:pdb1HYS:3", 0xdc3b05d33df5959du},
    {"gen:surrogate:rail4284:5", 0x3ead22cf986078eeu},
    {"gen:surrogate:circuit5M:1", 0xf9fc5c41a8e789adu},
    {"gen:surrogate:eu-2005:2", 0x1f07926a8b543305u},
};

TEST(Generate, SameBitsOnEveryBackend) {
  for (auto const& [spec, want] : expected_digests) {
    auto const got = digest(generated(spec));
    EXPECT_EQ(got, want) << spec << " now gives 0x" << std::hex << got;
  }
}

TEST(Generate, DigestsCoverEveryKind) {
  for (auto const& kind : generator_kinds)
    EXPECT_TRUE(std::any_of(expected_digests.begin(), expected_digests.end(), [&](Expected const& expected) {
      return expected.spec.starts_with("gen:" + std::string(kind.name) + ":");
    })) << kind.name;
}

TEST(Generate, SortedUniqueColumnsWithoutStoredZeros) {
  for (auto const& spec : all_specs()) {
    auto const A = generated(spec);
    EXPECT_GT(A.nnz(), 0u) << spec;
    for (auto const& row : A.rows) {
      EXPECT_EQ(std::adjacent_find(row.columns.begin(), row.columns.end(), std::greater_equal<>()),
                row.columns.end())
          << spec;
      EXPECT_EQ(std::count(row.values.begin(), row.values.end(), 0.0), 0) << spec;
    }
  }
}

TEST(Generate, ValuesAreUniformInMinusOneToOne) {
  auto const A = generated("gen:longrows:1:20000:10000");
  double sum = 0, squares = 0, largest = 0;
  for (double const value : A.rows[0].values) {
    EXPECT_EQ(std::ldexp(value, 23), std::trunc(std::ldexp(value, 23)));
    sum += value;
    squares += value * value;
    largest = std::max(largest, std::abs(value));
  }
  EXPECT_NEAR(sum / 10000, 0, 0.025);            // four standard deviations
  EXPECT_NEAR(squares / 10000, 1.0 / 3, 0.012);  // of the mean and the mean square
  EXPECT_LE(largest, 1);
  EXPECT_GT(largest, 0.998);
}

TEST(Generate, OffDiagonalValuesAreAtMostOne) {
  for (auto const& spec : all_specs()) {
    if (spec.starts_with("gen:rmat")) continue;  // sums
    bool const is_definite =
        spec.starts_with("gen:stencil") || spec.starts_with("gen:e") || spec.starts_with("gen:band:");
    auto const A = generated(spec);
    for (std::int64_t i = 0; i < A.num_rows(); ++i)
      for (std::size_t k = 0; k < A.row(i).columns.size(); ++k)
        if (!is_definite || A.row(i).columns[k] != i) {
          EXPECT_LE(std::abs(A.row(i).values[k]), 1) << spec;
        }
  }
}

template <class Scalar>
void expect_hermitian_and_dominant(std::string const& spec) {
  auto const A = generated<Scalar>(spec);
  ASSERT_EQ(A.num_rows(), A.num_cols) << spec;
  for (std::int64_t i = 0; i < A.num_rows(); ++i) {
    double sum = 0, modulus = 0;
    for (std::size_t k = 0; k < A.row(i).columns.size(); ++k) {
      auto const j = A.row(i).columns[k];
      Scalar const value = A.row(i).values[k];
      EXPECT_EQ(conjugate(A.at(j, i)), value) << spec << " " << i << " " << j;
      if (i == j) continue;
      if constexpr (is_complex<Scalar>) {
        EXPECT_NE(value.imag(), 0);
        sum += std::abs(value.real()) + std::abs(value.imag());
        modulus += Kokkos::abs(value);
      } else {
        sum += std::abs(value);
        modulus = sum;
      }
    }
    double const rest = sum + 1.0 / 16 - Kokkos::abs(A.at(i, i));  // truncated bits
    EXPECT_GE(rest, 0) << spec << " row " << i;
    EXPECT_LT(rest, std::ldexp(1, -13)) << spec << " row " << i;
    EXPECT_GT(Kokkos::abs(A.at(i, i)), modulus) << spec << " row " << i;
  }
}

TEST(Generate, StencilsAndBandAreSymmetricPositiveDefinite) {
  for (auto const& spec : definite_specs()) expect_hermitian_and_dominant<double>(spec);
}

TEST(Generate, ComplexStencilsAreHermitianPositiveDefinite) {
  for (auto const& spec : definite_specs()) expect_hermitian_and_dominant<Kokkos::complex<double>>(spec);
}

template <class Scalar, class Ordinal, class Offset>
void expect_same_as_double(std::string const& spec) {
  auto const want = generated(spec);
  auto const got = generated<Scalar, Ordinal, Offset>(spec);
  ASSERT_EQ(got.num_rows(), want.num_rows()) << spec;
  for (std::int64_t i = 0; i < want.num_rows(); ++i) {
    EXPECT_EQ(got.row(i).columns, want.row(i).columns) << spec << " row " << i;
    for (std::size_t k = 0; k < want.row(i).values.size(); ++k) {
      if constexpr (is_complex<Scalar>) {
        EXPECT_EQ(static_cast<double>(got.row(i).values[k].real()), want.row(i).values[k])
            << spec << " row " << i;
        EXPECT_NE(got.row(i).values[k].imag(), 0) << spec << " row " << i;
      } else {
        EXPECT_EQ(static_cast<double>(got.row(i).values[k]), want.row(i).values[k]) << spec << " row " << i;
      }
    }
  }
}

TEST(Generate, SameValuesInFloatAndForEveryIndexType) {
  for (auto const& spec : all_specs()) expect_same_as_double<float, int, std::size_t>(spec);
  for (auto const& spec : all_specs()) expect_same_as_double<double, std::int64_t, std::int64_t>(spec);
}

TEST(Generate, SameRealPartsInComplexMatricesWithoutSums) {
  for (auto const& spec : general_specs())
    if (!spec.starts_with("gen:rmat")) expect_same_as_double<Kokkos::complex<float>, int, int>(spec);
}

TEST(Generate, UsesTheSeedOfTheSpecification) {
  for (std::string const spec :
       {"gen:stencil7:4", "gen:stripes:100:4:5", "gen:rmat:6", "gen:powerlaw:100:5", "gen:circuit:9000",
        "gen:longrows:4:100:10", "gen:blocks:100:3", "gen:surrogate:dc2:1"}) {
    auto const plain = digest(generated(spec));
    EXPECT_EQ(digest(generated(spec + ":seed=1")), plain) << spec;
    EXPECT_NE(digest(generated(spec + ":seed=2")), plain) << spec;
    EXPECT_NE(digest(generated(spec + ":seed=18446744073709551615")), digest(generated(spec + ":seed=2")))
        << spec;
  }
}

TEST(Generate, OverflowErrorNamesTheTypeThatSuffices) {
  auto const message = [](std::string const& spec) {
    try {
      generated(spec);
    } catch (OverflowError const& error) {
      return std::string(error.what());
    }
    return std::string("no OverflowError");
  };
  struct Case {
    std::string spec, count, index;
  };
  for (auto const& [spec, count, index] :
       std::vector<Case>{{"gen:stencil7:2000", "8000000000 rows", "Ordinal"},
                         {"gen:rmat:31", "2147483648 rows", "Ordinal"},
                         {"gen:longrows:1:3000000000:1", "3000000000 columns", "Ordinal"},
                         {"gen:longrows:100000:100000:30000", "3000000000 entries", "Offset"}})
    EXPECT_EQ(message(spec),
              spec + ": " + count + " do not fit " + index + " of 32 bits; std::int64_t would do");
  EXPECT_NE(message("gen:stencil7:1099511627776").find("any 64-bit type"), std::string::npos);
}

TEST(Generate, OutOfMemoryForATooLargeMatrix) {
  Space const exec;
  auto const too_large = [&] {
    (void)generate<double, std::int64_t, std::int64_t, Space::device_type>(
        exec, "gen:longrows:1000000:1099511627776:1099511627776");
  };
  EXPECT_THROW(too_large(), OutOfMemory);
}

}  // namespace
}  // namespace einkorn::test
