// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Every format on real matrices: those in examples/data, and every *.mtx.gz in the folder that EINKORN_MATRICES
// names. A pair agrees with the oracle, or its format refuses it for its fill; which do what is printed.

#include "../support/battery.hpp"
#include "../support/matrix_files.hpp"
#include "../support/near.hpp"

#include <einkorn/formats/any_matrix.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

/// The names of the formats that took the matrix.
template <class S>
std::string expect_right_products(std::filesystem::path const& path) {
  SCOPED_TRACE(path.filename());
  auto const A = csr_of_file<S>(path);
  auto const host = to_host(A);
  auto const x = numbers<S>(Numbers::reals, host.cols(), 2);
  auto const device_x = to_device(x);
  auto const want = expected<S>(host, x, S(1), S(0));
  auto const before = std::vector<S>(host.rows(), not_a_number<S>());
  std::string taken;
  for (auto const format : all_formats) {
    SCOPED_TRACE(name_of(format));
    try {
      auto const F = make_any_matrix(Space(), A, format);
      auto const y = to_device(before);
      spmv(Space(), S(1), F, device_x, S(0), y);
      EXPECT_TRUE(agrees(to_host(y), want, before, false));
      taken += std::string(" ") + name_of(format);
    } catch (FillLimit const& refusal) {
      bool const pads = format == FormatName::ell || format == FormatName::sell || format == FormatName::dia ||
                        format == FormatName::bdia || format == FormatName::bsr;
      EXPECT_TRUE(pads) << refusal.what();
    }
  }
  return taken;
}

void expect_right_products(std::filesystem::path const& folder, std::size_t at_least) {
  auto const files = files_in(folder);
  ASSERT_GE(files.size(), at_least) << folder;
  for (auto const& file : files) {
    std::cout << file.filename().string() << ':'
              << (is_complex_file(file) ? expect_right_products<Complex>(file)
                                        : expect_right_products<double>(file))
              << '\n';
  }
}

TEST(FormatsOnRealMatrices, OfTheExamples) {
  expect_right_products(EINKORN_TEST_DATA_DIR, 6);
}

TEST(FormatsOnRealMatrices, OfTheFolderInTheEnvironment) {
  char const* const folder = std::getenv("EINKORN_MATRICES");
  if (folder == nullptr) GTEST_SKIP() << "EINKORN_MATRICES is not set";
  expect_right_products(folder, 1);
}

}  // namespace
}  // namespace einkorn::test
