// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "host_matrix.hpp"

#include <einkorn/core/io/matrix_market.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace einkorn::test {

/// The *.mtx.gz files of a folder, sorted by name.
inline std::vector<std::filesystem::path> files_in(std::filesystem::path const& folder) {
  std::vector<std::filesystem::path> files;
  for (auto const& file : std::filesystem::directory_iterator(folder))
    if (file.path().string().ends_with(".mtx.gz")) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline bool is_complex_file(std::filesystem::path const& path) {
  return read_matrix_market_header(path).field == MatrixMarketField::complex;
}

/// The matrix of a file, with both triangles if symmetric.
template <class S>
Csr<S, int, int, Device> csr_of_file(std::filesystem::path const& path) {
  MatrixMarketOptions options;
  options.triangle = TrianglePolicy::both;
  return csr_from_triplets<int, Device>(read_matrix_market<S, int>(path, options));
}

}  // namespace einkorn::test
