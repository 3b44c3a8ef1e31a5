// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Every format on real matrices: those in examples/data, and every *.mtx.gz in the folder that EINKORN_MATRICES
// names. A product agrees with the reference, or the format throws FillLimit; prints which formats multiplied.

#include "../support/battery.hpp"
#include "../support/data_folder.hpp"
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

/// The names of the formats that stored the matrix.
template <class S>
std::string expect_right_products(std::filesystem::path const& path) {
  SCOPED_TRACE(path.filename());
  auto const A = csr_of_file<S>(path);
  auto const host = to_host(A);
  auto const x = numbers<S>(Numbers::reals, host.cols(), 2);
  auto const device_x = to_device(x);
  auto const reference = expected<S>(host, x, S(1), S(0));
  auto const before = std::vector<S>(host.rows(), not_a_number<S>());
  std::string stored;
  for (auto const format : all_formats) {
    SCOPED_TRACE(name_of(format));
    try {
      auto const F = make_any_matrix(Space(), A, format);
      auto const y = to_device(before);
      spmv(Space(), S(1), F, device_x, S(0), y);
      EXPECT_TRUE(agrees(to_host(y), reference, before, false));
      stored += std::string(" ") + name_of(format);
    } catch (FillLimit const& refusal) {
      bool const has_fill_limit = format == FormatName::ell || format == FormatName::sell ||
                                  format == FormatName::dia || format == FormatName::bdia ||
                                  format == FormatName::bsr;
      EXPECT_TRUE(has_fill_limit) << refusal.what();
    }
  }
  return stored;
}

void expect_right_products(std::filesystem::path const& folder, std::size_t min_files) {
  auto const files = files_in(folder);
  ASSERT_GE(files.size(), min_files) << folder;
  for (auto const& file : files) {
    std::cout << file.filename().string() << ':'
              << (is_complex_file(file) ? expect_right_products<Complex>(file)
                                        : expect_right_products<double>(file))
              << '\n';
  }
}

TEST(FormatsOnRealMatrices, Examples) {
  expect_right_products(data_folder("../examples/data"), 6);
}

TEST(FormatsOnRealMatrices, FolderInTheEnvironment) {
  char const* const folder = std::getenv("EINKORN_MATRICES");
  if (folder == nullptr) GTEST_SKIP() << "EINKORN_MATRICES is not set";
  expect_right_products(folder, 1);
}

}  // namespace
}  // namespace einkorn::test
