// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/core/io/detail/matrix_market_parser.hpp>
#include <einkorn/core/io/detail/matrix_market_text.hpp>
#include <einkorn/core/io/detail/matrix_market_writer.hpp>
#include <einkorn/core/io/detail/text_file.hpp>
#include <einkorn/core/io/matrix_market_types.hpp>
#include <einkorn/core/io/triplets.hpp>

#include <cstddef>
#include <filesystem>
#include <new>
#include <span>
#include <string>
#include <string_view>

/// Matrix Market files, plain or gzip: reader, header reader and writer. Host only; needs zlib and threads, and
/// not Kokkos: Scalar is float, double, a signed integer of 32 or 64 bits, or std::complex or Kokkos::complex
/// of float or double; Ordinal is int32_t or int64_t.
///
/// Taken: coordinate and array; real, complex, integer, pattern; general, symmetric, skew-symmetric, hermitian;
/// the banner in any case; comments and blank lines everywhere after it; LF and CRLF; no newline at the end;
/// lines of any length (the paper's bound of 1024 characters guards fixed buffers, which there are none of).
/// What the format does not define is rejected unless an option of MatrixMarketOptions lets it pass.
///
/// Source: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR
/// 5935, 1996. Departures: comments are taken between entries too; nan, inf by option; hermitian arrays as
/// symmetric ones.
namespace einkorn {

/// The matrix that text holds; name stands for it in messages.
///
/// Values: pattern entries are 1. Decimals are rounded correctly; subnormals are kept, smaller ones become zero
/// with their sign and are counted. Integers are rounded in a floating scalar; a real value in an integer
/// scalar has to be whole. A real or integer field may be read into a complex scalar, not the other way round.
///
/// Order: the entries in the order of the file, and behind them, for a symmetry, their mirror images in the
/// same order: transposed, negated or conjugated. With DuplicatePolicy::sum the sum stands at the place of the
/// first and is formed in the order of the file. An array gives all its entries by columns, zeros too. The
/// result, the report and any error are the same for every max_threads.
///
/// Cost: time O(text); memory: the result, twice that while more than one thread reads or a symmetry is
/// expanded. Entries ordered strictly by rows or columns prove that none repeats; else two counting sorts tell,
/// with 2 size_t an entry and up to 4 more for the counters. Nothing is allocated on the word of the size line.
///
/// Throws ParseError, with the line, when the text is not what the format demands or the options allow;
/// OverflowError, with the line in the message, when it is but does not fit Ordinal or Scalar; OutOfMemory.
/// report is written on success only.
template <detail::MatrixMarketScalar Scalar, detail::MatrixMarketOrdinal Ordinal>
[[nodiscard]] Triplets<Scalar, Ordinal> parse_matrix_market(std::string_view text, std::string const& name,
                                                            MatrixMarketOptions const& options = {},
                                                            MatrixMarketReport* report = nullptr) {
  return detail::with_place(text, name, [&] {
    MatrixMarketReport met;
    auto matrix = detail::parse_text<Scalar, Ordinal>(text, options, met);
    if (report) *report = met;
    return matrix;
  });
}

/// Banner and size line of a text, so that a caller can choose Scalar and Ordinal. Throws as
/// parse_matrix_market.
[[nodiscard]] inline MatrixMarketHeader parse_matrix_market_header(std::string_view text,
                                                                   std::string const& name,
                                                                   MatrixMarketOptions const& options = {}) {
  return detail::with_place(text, name,
                            [&] { return detail::parse_header(text, options.allow_hermitian_real).header; });
}

/// The uncompressed text of a file, which is opened and read once. For callers who choose Scalar and Ordinal by
/// the header and take pipes (FIFO, /dev/stdin, process substitution), which can be read once only. gzip is
/// known by the first bytes, not by the file's name.
class MatrixMarketText {
 public:
  /// Reads the file. Throws IoError, with the system's reason; ParseError for a gzip file that is truncated,
  /// corrupt or followed by other bytes; OutOfMemory, for a text beyond options.max_text_bytes too.
  explicit MatrixMarketText(std::filesystem::path const& path, MatrixMarketOptions const& options = {})
      : name_(path.string()),
        text_(detail::read_text(path, options.max_text_bytes, detail::Extent::whole_file)) {}

  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  [[nodiscard]] std::string_view text() const noexcept { return text_.buffer.text(); }
  [[nodiscard]] bool is_gzip() const noexcept { return text_.gzip; }

  /// As parse_matrix_market_header.
  [[nodiscard]] MatrixMarketHeader header(MatrixMarketOptions const& options = {}) const {
    return parse_matrix_market_header(text(), name_, options);
  }

  /// As parse_matrix_market; report->gzip says whether the file was compressed.
  template <detail::MatrixMarketScalar Scalar, detail::MatrixMarketOrdinal Ordinal>
  [[nodiscard]] Triplets<Scalar, Ordinal> parse(MatrixMarketOptions const& options = {},
                                                MatrixMarketReport* report = nullptr) const {
    auto matrix = parse_matrix_market<Scalar, Ordinal>(text(), name_, options, report);
    if (report) report->gzip = is_gzip();
    return matrix;
  }

 private:
  std::string name_;
  detail::FileText text_;
};

/// The matrix in a file: the text read as MatrixMarketText does, and parsed as parse_matrix_market does; throws
/// what both throw. Memory: the whole text besides.
template <detail::MatrixMarketScalar Scalar, detail::MatrixMarketOrdinal Ordinal>
[[nodiscard]] Triplets<Scalar, Ordinal> read_matrix_market(std::filesystem::path const& path,
                                                           MatrixMarketOptions const& options = {},
                                                           MatrixMarketReport* report = nullptr) {
  return MatrixMarketText(path, options).parse<Scalar, Ordinal>(options, report);
}

/// Banner and size line of a file, of which little more than that is read. Throws as read_matrix_market.
[[nodiscard]] inline MatrixMarketHeader read_matrix_market_header(std::filesystem::path const& path,
                                                                  MatrixMarketOptions const& options = {}) {
  auto const text = detail::read_text(path, options.max_text_bytes, detail::Extent::header);
  return parse_matrix_market_header(text.buffer.text(), path.string(), options);
}

/// Writes the triplets as a coordinate file, in their order; gzip when the path ends in .gz. What
/// read_matrix_market makes of it equals the triplets bit for bit, but for the payload of NaNs, the sign of
/// zeros above the diagonal of a declared symmetry, and values that a pattern drops; with a symmetry the upper
/// triangle moves to the end. A declared symmetry is checked: the matrix has to equal its mirror image entry by
/// entry. Cost: O(entries) time; memory O(1), and O(entries) to check a symmetry. Throws InvalidStructure for
/// triplets that break their invariants and InvalidArgument for options that do not fit them, both before the
/// file is touched; IoError, which may leave a part of the file behind; OutOfMemory.
template <detail::MatrixMarketScalar Scalar, detail::MatrixMarketOrdinal Ordinal>
void write_matrix_market(std::filesystem::path const& path, Triplets<Scalar, Ordinal> const& matrix,
                         MatrixMarketWriteOptions const& options = {}) {
  try {
    auto const field = detail::check_writable(matrix, options);
    detail::OutputFile file(path);
    detail::LineWriter out(file);
    detail::write_text(out, matrix, field, options);
    file.close();
  } catch (std::bad_alloc const&) {
    throw OutOfMemory(path.string() + ": no memory to write " + std::to_string(matrix.size()) + " entries");
  }
}

/// Writes a dense matrix as an array file, entry (i, j) from values[i + j num_rows] with num_rows =
/// values.size() / num_cols; a vector has one column. gzip when the path ends in .gz. Read back it equals the
/// values bit for bit, but for the payload of NaNs. Cost: O(values) time, O(1) memory. Throws InvalidArgument
/// (num_cols < 1, or no divisor of values.size(); options: a symmetry, the field pattern, one that would lose
/// something, a value that is not finite) before the file is touched; IoError, which may leave a part of the
/// file behind; OutOfMemory.
template <detail::MatrixMarketScalar Scalar>
void write_matrix_market_array(std::filesystem::path const& path, std::span<Scalar const> values,
                               std::size_t num_cols = 1, MatrixMarketWriteOptions const& options = {}) {
  try {
    auto const field = detail::check_writable_array(values, num_cols, options);
    detail::OutputFile file(path);
    detail::LineWriter out(file);
    detail::write_array_text(out, values, num_cols, field, options);
    file.close();
  } catch (std::bad_alloc const&) {
    throw OutOfMemory(path.string() + ": no memory to write " + std::to_string(values.size()) + " values");
  }
}

}  // namespace einkorn
