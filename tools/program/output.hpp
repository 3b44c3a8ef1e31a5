// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>

namespace einkorn::program {

/// Throws IoError "NAME: cannot write: REASON" with the reason of errno.
[[noreturn]] inline void fail_to_write(std::string const& name) {
  int const code = errno ? errno : EIO;
  throw IoError(name + ": cannot write: " + std::generic_category().message(code));
}

/// Flushes std::cout and stdout.
/// @throws IoError if this or an earlier write to them failed
inline void flush_stdout() {
  errno = 0;
  std::cout.flush();
  bool const flushed = std::fflush(stdout) == 0;
  if (!flushed || !std::cout || std::ferror(stdout)) fail_to_write("stdout");
}

/// Writes the output of print(std::ostream&) to stdout and flushes it.
/// @throws IoError
template <class Print>
void print_to_stdout(Print const& print) {
  std::ostringstream text;
  print(text);
  auto const bytes = text.str();
  flush_stdout();
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) fail_to_write("stdout");
  flush_stdout();
}

/// Writes the text to a file.
/// @throws IoError with the name of the file
inline void write_text_file(std::string const& path, std::string const& text) {
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  errno = 0;
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "wb"));
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) fail_to_write(path);
  if (std::fclose(file.release()) != 0) fail_to_write(path);
}

}  // namespace einkorn::program
