// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/core/io/detail/matrix_market_header.hpp>
#include <einkorn/core/io/detail/matrix_market_lines.hpp>
#include <einkorn/core/io/detail/text_file.hpp>

#include <cstddef>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

namespace einkorn::detail {

enum class Extent { whole_file, header };

struct FileText {
  TextBuffer buffer;
  bool gzip = false;
};

/// Reads the uncompressed text of a file: all of it, or blocks up to the one that contains the end of the
/// header.
inline FileText read_text(std::filesystem::path const& path, std::size_t max_bytes, Extent extent) {
  constexpr std::size_t block_bytes = std::size_t{1} << 16, usual_gzip_ratio = 3;
  auto const name = path.string();
  FileText result;
  auto& buffer = result.buffer;
  try {
    TextFile file(path);
    result.gzip = file.is_gzip();
    std::size_t expected = block_bytes;
    std::error_code no_size;
    auto const file_bytes = std::filesystem::file_size(path, no_size);
    if (extent == Extent::whole_file && !no_size)
      expected = static_cast<std::size_t>(file_bytes) * (result.gzip ? usual_gzip_ratio : 1) + 1;
    while (buffer.read_more(file, name, expected, max_bytes))
      if (extent == Extent::header && holds_header(buffer.text())) break;
  } catch (GzipError const& error) {
    auto const text = buffer.text();
    throw ParseError(name, line_number(text, text.data() + text.size()),
                     std::string(error.what()) + ", after " + std::to_string(text.size()) + " bytes of text");
  } catch (std::bad_alloc const&) {
    throw OutOfMemory(name + ": no memory to read the file");
  }
  return result;
}

}  // namespace einkorn::detail
