// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors

// libFuzzer target for the input files of einkorn-solve and einkorn-bench: A and b are read from files in
// memory, plain, compressed or damaged, and give matrices and right-hand sides or an einkorn::Error. b begins
// at the last banner of the input that is not the first. The last byte selects compression and damage; it is a
// newline in the seeds, unit_tests/io/matrix_market_cases, and then has no effect.

#include "fuzz.hpp"
#include "solve/input.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/core/io/matrix_market.hpp>

#include <zlib.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using einkorn::fuzz::check;

/// A file in memory with a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("fuzz", 0)) {
    check(descriptor_ >= 0, "a file in memory");
    check(::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "a write");
  }
  MemoryFile(MemoryFile const&) = delete;
  MemoryFile& operator=(MemoryFile const&) = delete;
  ~MemoryFile() { ::close(descriptor_); }

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

std::string gzip(std::string_view text) {
  z_stream stream{};
  check(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib");
  std::string result(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<unsigned>(text.size());
  stream.next_out = reinterpret_cast<unsigned char*>(result.data());
  stream.avail_out = static_cast<unsigned>(result.size());
  check(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib");
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

/// The bytes, compressed (bit 0 of mode), then truncated (bit 1) or with one bit changed (bit 2, position in
/// the others).
std::string file_of(std::string_view bytes, unsigned mode) {
  std::string file = mode & 1u ? gzip(bytes) : std::string(bytes);
  if (mode & 2u) file.resize(file.size() - file.size() / 3);
  if ((mode & 4u) && !file.empty()) {
    auto& byte = file[file.size() * (mode >> 3) / 32];
    byte = static_cast<char>(byte ^ 1);
  }
  return file;
}

/// The message of the einkorn::Error that a call throws; empty if it throws none.
template <class Call>
std::string message_of(Call const& call) {
  try {
    call();
  } catch (einkorn::Error const& error) {
    return error.what();
  }
  return {};
}

/// Reads the files like einkorn-solve, and like einkorn-bench with --scalar float.
template <class Scalar>
void load(einkorn::tools::InputFiles const& files) {
  einkorn::MatrixMarketReport report;
  auto const A = files.matrix->parse<Scalar, int>({}, &report);
  check(report.gzip == files.matrix->is_gzip(), "the same answer whether A is gzip");
  (void)message_of([&] { (void)files.matrix->parse<float, int>(); });
  if (!files.right_hand_side) return;
  auto const b = einkorn::tools::parse_right_hand_side<Scalar>(*files.right_hand_side, A.num_rows);
  check(b.num_rows == A.num_rows && b.num_cols == 1, "b of A's size");
  for (std::size_t k = 0; k < b.size(); ++k)
    check(b.rows[k] >= 0 && b.rows[k] < A.num_rows, "entries of b in range");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view const bytes(reinterpret_cast<char const*>(data), size);
  unsigned const mode = data[size - 1] ^ static_cast<unsigned>('\n');
  auto const second = bytes.rfind("%%MatrixMarket");
  bool const has_b = second != std::string_view::npos && second > 0;
  MemoryFile const A(file_of(has_b ? bytes.substr(0, second) : bytes, mode));
  MemoryFile const b(file_of(has_b ? bytes.substr(second) : std::string_view(), mode));

  auto const failure = message_of([&] {
    auto const files = einkorn::tools::read_input(A.path(), has_b ? b.path() : std::string());
    if (files.is_complex())
      load<std::complex<double>>(files);
    else
      load<double>(files);
  });
  auto const failure_of_header = message_of([&] { (void)einkorn::read_matrix_market_header(A.path()); });
  check(failure_of_header.empty() || !failure.empty(), "a header that is wrong only where the file is");
  return 0;
}
