// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../../unit_tests/support/temporary_path.hpp"
#include "program/output.hpp"
#include "program/run_program.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/core/io/detail/matrix_market_lines.hpp>
#include <einkorn/core/io/detail/text_file.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace einkorn::program {
namespace {

// Internal exceptions of the library are derived from einkorn::Error too.
static_assert(std::derived_from<detail::TextError, Error> && std::derived_from<detail::GzipError, Error>);

/// The exit code and the stderr of a program that throws.
template <class Exception>
std::pair<int, std::string> result_of_throwing(Exception const& exception) {
  testing::internal::CaptureStderr();
  int const code = run_program("name", [&]() -> int { throw exception; });
  return {code, testing::internal::GetCapturedStderr()};
}

TEST(RunProgram, ReturnsTheCodeOfItsBody) {
  EXPECT_EQ(run_program("name", [] { return 0; }), 0);
  EXPECT_EQ(run_program("name", [] { return 1; }), 1);
}

TEST(RunProgram, ConvertsExceptionsToExitCodes) {
  using Result = std::pair<int, std::string>;
  EXPECT_EQ(result_of_throwing(IoError("A.mtx: what")), (Result{3, "name: A.mtx: what\n"}));
  EXPECT_EQ(result_of_throwing(OutOfMemory("8 bytes")), (Result{4, "name: 8 bytes\n"}));
  EXPECT_EQ(result_of_throwing(std::runtime_error("device")), (Result{4, "name: device\n"}));
  EXPECT_EQ(result_of_throwing(std::bad_alloc()).first, 4);
  EXPECT_EQ(result_of_throwing(7).first, 4);
}

TEST(WriteTextFile, WritesTheWholeText) {
  test::TemporaryPath const path("text");
  std::string const text = std::string(100000, 'a') + "\n";

  write_text_file(path.path().string(), text);

  std::ifstream file(path.path(), std::ios::binary);
  std::string const got{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(got, text);
}

TEST(WriteTextFile, ErrorHasFileAndReason) {
  auto const message_of = [](std::string const& path, std::size_t size) {
    try {
      write_text_file(path, std::string(size, 'a'));
    } catch (IoError const& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message_of("/no/such/folder/a.json", 3),
            "/no/such/folder/a.json: cannot write: No such file or directory");
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  for (std::size_t const size : {1, 100000})
    EXPECT_EQ(message_of("/dev/full", size), "/dev/full: cannot write: No space left on device") << size;
}

}  // namespace
}  // namespace einkorn::program
