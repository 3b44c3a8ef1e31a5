// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Real matrices: those in examples/data, and every *.mtx.gz in the folder that EINKORN_MATRICES names.

#include "../csr/approaches.hpp"
#include "../support/data_folder.hpp"
#include "../support/matrix_files.hpp"
#include "../support/near.hpp"
#include "shapes.hpp"

#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/csr5/to_csr.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace einkorn::test {
namespace {

template <class S>
void expect_right_products(std::filesystem::path const& path, std::vector<Csr5Shape> const& shapes) {
  SCOPED_TRACE(path.filename());
  auto const A = csr_of_file<S>(path);
  auto const host = to_host(A);
  auto const x = numbers<S>(Numbers::reals, host.cols(), 2);
  auto const device_x = to_device(x);
  auto const want = expected<S>(host, x, S(1), S(0));
  auto const before = std::vector<S>(host.rows(), not_a_number<S>());
  for (auto const& approach : all_approaches()) {
    auto const y = to_device(before);
    Multiply<Csr<S, int, int, Device>, S>(A, approach)(S(1), device_x, S(0), y);
    EXPECT_TRUE(agrees(to_host(y), want, before, false)) << approach.name;
  }
  for (auto const& shape : shapes) {
    SCOPED_TRACE(to_string(shape));
    auto const F = from_csr<Csr5>(Space(), A, options_of(shape));
    auto const y = to_device(before), planned_y = to_device(before);
    spmv(Space(), S(1), F, device_x, S(0), y);
    spmv(Space(), make_spmv_plan(Space(), F), S(1), device_x, S(0), planned_y);
    EXPECT_TRUE(agrees(to_host(y), want, before, false));
    EXPECT_TRUE(agrees(to_host(planned_y), want, before, false)) << "plan";
    auto const back = to_host(to_csr(Space(), F));
    EXPECT_TRUE(back.columns == host.columns && back.values == host.values);
  }
}

TEST(RealMatrices, Examples) {
  auto const files = files_in(data_folder("../examples/data"));
  ASSERT_GE(files.size(), 6u);
  for (auto const& file : files) {
    expect_right_products<double>(file, runnable_shapes());
    expect_right_products<Complex>(file, few_shapes());
  }
}

TEST(RealMatrices, FolderInTheEnvironment) {
  char const* const folder = std::getenv("EINKORN_MATRICES");
  if (folder == nullptr) GTEST_SKIP() << "EINKORN_MATRICES is not set";
  auto const files = files_in(folder);
  ASSERT_FALSE(files.empty()) << folder;
  for (auto const& file : files) {
    if (!is_complex_file(file)) expect_right_products<double>(file, {Csr5Shape{}});
    if (is_complex_file(file)) expect_right_products<Complex>(file, {Csr5Shape{}});
  }
}

}  // namespace
}  // namespace einkorn::test
