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

/// Throws IoError, "NAME: cannot write: REASON", with errno's reason.
[[noreturn]] inline void fail_to_write(std::string const& name) {
  int const code = errno ? errno : EIO;
  throw IoError(name + ": cannot write: " + std::generic_category().message(code));
}

/// Writes what stdout and std::cout still hold. Throws IoError where that, or anything before it, was not
/// written.
inline void flush_stdout() {
  errno = 0;
  std::cout.flush();
  bool const flushed = std::fflush(stdout) == 0;
  if (!flushed || !std::cout || std::ferror(stdout)) fail_to_write("stdout");
}

/// Writes to stdout what print(std::ostream&) prints, all of it before this returns. Throws IoError.
template <class Print>
void print_to_stdout(Print const& print) {
  std::ostringstream text;
  print(text);
  auto const bytes = text.str();
  flush_stdout();
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) fail_to_write("stdout");
  flush_stdout();
}

/// Writes a file of that text. Throws IoError, which names the file.
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
