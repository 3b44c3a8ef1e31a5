// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <filesystem>

namespace einkorn::test {

/// The absolute path of a folder that is named relative to unit_tests. In a source file of its own, because only
/// that file depends on where the clone is: clones in different directories share a compiler cache for the others.
std::filesystem::path data_folder(char const* name);

}  // namespace einkorn::test
