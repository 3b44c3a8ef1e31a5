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

/// Matrix Market files, plain or gzip: reader, header reader and writer. Host only; needs zlib and threads, not
/// Kokkos. Scalar is float, double, a signed integer of 32 or 64 bits, or std::complex or Kokkos::complex of
/// float or double; Ordinal is int32_t or int64_t.
///
/// Accepted: coordinate and array; real, complex, integer, pattern; general, symmetric, skew-symmetric,
/// hermitian; a banner in upper or lower case; comments and blank lines anywhere after it; LF and CRLF; a
/// missing final newline; lines of any length. Anything else is rejected unless an option of
/// MatrixMarketOptions accepts it.
///
/// Source: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR
/// 5935, 1996. Departures: comments between entries; lines longer than 1024 characters; nan and inf by option;
/// hermitian arrays, with the lower triangle stored as in symmetric ones.
namespace einkorn {

/// Parses the text of a Matrix Market file.
///
/// Values: pattern entries are 1. Decimals are rounded correctly; subnormals are kept, smaller values become
/// signed zeros and are counted. Integers are rounded to a floating-point scalar; a real value in an integer
/// scalar must be a whole number. A real or integer field can be read into a complex scalar, not vice versa.
///
/// Order: the entries in file order, followed, for a symmetry, by their mirror images in the same order
/// (transposed, negated or conjugated). DuplicatePolicy::sum adds in file order and stores the sum at the
/// position of the first entry. An array yields all its entries in column-major order, zeros included.
///
/// @param name the name of the text in error messages
/// @param report written on success only
/// @throws ParseError, with the line, if the text violates the format and no option accepts it
/// @throws OverflowError, with the line in the message, if the text is valid but does not fit Ordinal or Scalar
/// @throws OutOfMemory
///
/// Cost: O(text) time. Memory: the result, twice that if several threads read or a symmetry is expanded.
/// Duplicates are impossible in entries strictly ordered by rows or columns; otherwise two counting sorts find
/// them, with 2 size_t per entry and up to 4 more for the counters. No allocation relies on the size line.
/// Deterministic: the result, the report and any error are the same for every max_threads.
template <detail::MatrixMarketScalar Scalar, detail::MatrixMarketOrdinal Ordinal>
[[nodiscard]] Triplets<Scalar, Ordinal> parse_matrix_market(std::string_view text, std::string const& name,
                                                            MatrixMarketOptions const& options = {},
                                                            MatrixMarketReport* report = nullptr) {
  return detail::with_location(text, name, [&] {
    MatrixMarketReport new_report;
    auto matrix = detail::parse_text<Scalar, Ordinal>(text, options, new_report);
    if (report) *report = new_report;
    return matrix;
  });
}

/// Parses the banner and the size line of a text, from which a caller can choose Scalar and Ordinal. Throws as
/// parse_matrix_market.
[[nodiscard]] inline MatrixMarketHeader parse_matrix_market_header(std::string_view text,
                                                                   std::string const& name,
                                                                   MatrixMarketOptions const& options = {}) {
  return detail::with_location(text, name,
                               [&] { return detail::parse_header(text, options.allow_hermitian_real).header; });
}

/// The uncompressed text of a file that is opened and read once. For callers that choose Scalar and Ordinal by
/// the header and accept pipes (FIFO, /dev/stdin, process substitution), which can be read only once. gzip is
/// detected by the first bytes, not by the name.
class MatrixMarketText {
 public:
  /// Reads the file.
  /// @throws IoError with the reason of the system
  /// @throws ParseError for a gzip file that is truncated, corrupt or followed by other bytes
  /// @throws OutOfMemory, also for a text of more than options.max_text_bytes
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

  /// As parse_matrix_market. Sets report->gzip.
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

/// Reads a Matrix Market file: MatrixMarketText followed by parse_matrix_market; throws what both throw.
/// Additional memory: the whole text.
template <detail::MatrixMarketScalar Scalar, detail::MatrixMarketOrdinal Ordinal>
[[nodiscard]] Triplets<Scalar, Ordinal> read_matrix_market(std::filesystem::path const& path,
                                                           MatrixMarketOptions const& options = {},
                                                           MatrixMarketReport* report = nullptr) {
  return MatrixMarketText(path, options).parse<Scalar, Ordinal>(options, report);
}

/// Reads the banner and the size line of a file, and little more of it. Throws as read_matrix_market.
[[nodiscard]] inline MatrixMarketHeader read_matrix_market_header(std::filesystem::path const& path,
                                                                  MatrixMarketOptions const& options = {}) {
  auto const text = detail::read_text(path, options.max_text_bytes, detail::Extent::header);
  return parse_matrix_market_header(text.buffer.text(), path.string(), options);
}

/// Writes triplets to a coordinate file in their order; gzip if the path ends in .gz.
///
/// read_matrix_market returns the same triplets bit for bit, except for the payload of NaNs, the sign of zeros
/// above the diagonal of a declared symmetry and the values that a pattern drops. With a symmetry the upper
/// triangle moves to the end.
/// @throws InvalidStructure for triplets that violate their invariants, before the file is opened
/// @throws InvalidArgument for options that do not match the matrix, before the file is opened; a declared
/// symmetry must hold entry by entry
/// @throws IoError; the file may then be incomplete
/// @throws OutOfMemory
///
/// Cost: O(entries) time; O(1) memory, O(entries) to check a symmetry.
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

/// Writes a dense matrix to an array file; gzip if the path ends in .gz. Read back, the values are the same bit
/// for bit, except for the payload of NaNs.
/// @param values column-major: entry (i, j) is values[i + j num_rows], num_rows = values.size() / num_cols
/// @throws InvalidArgument before the file is opened: num_cols < 1 or not a divisor of values.size(); a
/// symmetry, the field pattern or a field that loses information in the options; a value that is not finite
/// @throws IoError; the file may then be incomplete
/// @throws OutOfMemory
///
/// Cost: O(values) time, O(1) memory.
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
