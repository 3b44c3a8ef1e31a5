// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/temporary_path.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/core/io/matrix_market.hpp>

#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace einkorn::test {

inline void write_bytes(std::filesystem::path const& path, std::string const& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string read_bytes(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// One gzip member, made by zlib.
inline std::string gzip(std::string const& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string result(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<unsigned>(text.size());
  stream.next_out = reinterpret_cast<unsigned char*>(result.data());
  stream.avail_out = static_cast<unsigned>(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

/// The shape of Kokkos::complex: a complex number that is no std::complex.
template <class T>
class OtherComplex {
 public:
  OtherComplex() = default;
  OtherComplex(T real, T imag) : real_(real), imag_(imag) {}
  T const& real() const { return real_; }
  T const& imag() const { return imag_; }

 private:
  T real_{}, imag_{};
};

template <class Scalar>
auto bits(Scalar const& value) {
  if constexpr (std::same_as<Scalar, float>)
    return std::bit_cast<std::uint32_t>(value);
  else if constexpr (std::same_as<Scalar, double>)
    return std::bit_cast<std::uint64_t>(value);
  else if constexpr (std::integral<Scalar>)
    return value;
  else
    return std::tuple(bits(value.real()), bits(value.imag()));
}

template <class Scalar, class Ordinal>
void expect_same_bits(Triplets<Scalar, Ordinal> const& got, Triplets<Scalar, Ordinal> const& want) {
  EXPECT_EQ(got.num_rows, want.num_rows);
  EXPECT_EQ(got.num_cols, want.num_cols);
  EXPECT_EQ(got.rows, want.rows);
  EXPECT_EQ(got.columns, want.columns);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t k = 0; k < want.size(); ++k)
    EXPECT_EQ(bits(got.values[k]), bits(want.values[k])) << "entry " << k;
}

template <class Scalar = double, class Ordinal = std::int32_t>
Triplets<Scalar, Ordinal> parse(std::string const& text, MatrixMarketOptions const& options = {},
                                MatrixMarketReport* report = nullptr) {
  return parse_matrix_market<Scalar, Ordinal>(text, "test.mtx", options, report);
}

/// What a call throws, as far as tests look: its kind, its message and its line (0 but for ParseError).
struct Thrown {
  enum class Kind { none, parse, overflow, io, memory, argument, structure, other } kind = Kind::none;
  std::string message;
  std::size_t line = 0;
};

inline std::ostream& operator<<(std::ostream& out, Thrown const& thrown) {
  return out << "kind " << static_cast<int>(thrown.kind) << ", line " << thrown.line << ": " << thrown.message;
}

template <class Call>
Thrown thrown_by(Call&& call) {
  using Kind = Thrown::Kind;
  try {
    call();
  } catch (ParseError const& e) {
    return {Kind::parse, e.what(), e.line()};
  } catch (OverflowError const& e) {
    return {Kind::overflow, e.what()};
  } catch (IoError const& e) {
    return {Kind::io, e.what()};
  } catch (OutOfMemory const& e) {
    return {Kind::memory, e.what()};
  } catch (InvalidArgument const& e) {
    return {Kind::argument, e.what()};
  } catch (InvalidStructure const& e) {
    return {Kind::structure, e.what()};
  } catch (Error const& e) {
    return {Kind::other, e.what()};
  }
  return {};
}

/// Expects a ParseError at the line whose message holds the words.
inline void expect_parse_error(Thrown const& thrown, std::size_t line, std::vector<std::string> const& words) {
  EXPECT_EQ(thrown.kind, Thrown::Kind::parse) << thrown;
  EXPECT_EQ(thrown.line, line) << thrown;
  EXPECT_NE(thrown.message.find(":" + std::to_string(line) + ": "), std::string::npos) << thrown;
  for (auto const& word : words)
    EXPECT_NE(thrown.message.find(word), std::string::npos) << word << " in " << thrown;
}

inline void expect_error(Thrown const& thrown, Thrown::Kind kind, std::vector<std::string> const& words) {
  EXPECT_EQ(thrown.kind, kind) << thrown;
  for (auto const& word : words)
    EXPECT_NE(thrown.message.find(word), std::string::npos) << word << " in " << thrown;
}

}  // namespace einkorn::test
