// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>

namespace einkorn::test {

/// A path in the temporary folder that no other object has, in this process or another: ctest runs tests concurrently, and
/// the same test with several numbers of threads. The destructor removes the file or folder.
class TemporaryPath {
 public:
  explicit TemporaryPath(std::string const& name) {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("einkorn_" + std::to_string(::getpid()) + "_" + std::to_string(count++) + "_" + name);
  }
  TemporaryPath(TemporaryPath const&) = delete;
  TemporaryPath& operator=(TemporaryPath const&) = delete;
  ~TemporaryPath() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace einkorn::test
