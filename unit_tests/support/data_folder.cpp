// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "data_folder.hpp"

namespace einkorn::test {

std::filesystem::path data_folder(char const* name) {
  return std::filesystem::path(EINKORN_TEST_SOURCES) / name;
}

}  // namespace einkorn::test
