// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/io/detail/matrix_market_lines.hpp>
#include <einkorn/core/io/detail/matrix_market_scalar.hpp>
#include <einkorn/core/io/matrix_market_types.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace einkorn::detail {

/// Reads decimal digits, modulo 2^64. The caller detects overflow by their number.
inline std::uint64_t read_digits(char const*& p, char const* end, std::uint64_t start = 0) {
  std::uint64_t value = start;
  for (; p != end && is_digit(*p); ++p) value = value * 10 + static_cast<std::uint64_t>(*p - '0');
  return value;
}

/// The bounds of Clinger's fast path: a mantissa of at most `digits` bits multiplied or divided by an exact
/// power of ten is one correctly rounded operation. W. D. Clinger, How to read floating point numbers
/// accurately, PLDI 1990.
template <RealScalar Real>
constexpr std::uint64_t exact_mantissa = std::uint64_t{1} << std::numeric_limits<Real>::digits;
template <RealScalar Real>
constexpr int exact_power = std::is_same_v<Real, float> ? 10 : 22;
template <RealScalar Real>
constexpr auto powers_of_ten = [] {
  std::array<Real, static_cast<std::size_t>(exact_power<Real>) + 1> table{};
  Real power = 1;
  for (auto& entry : table) {
    entry = power;
    power *= 10;
  }
  return table;
}();

/// Reads a short decimal, the common case. Returns false, with p and value unchanged, for anything else.
template <RealScalar Real>
inline bool read_short_decimal(char const*& p, char const* end, Real& value) {
  char const* s = p;
  bool const negative = s != end && *s == '-';
  if (negative) ++s;
  char const* const first = s;
  std::uint64_t mantissa = read_digits(s, end);
  auto digits = s - first;
  int exponent = 0;
  if (s != end && *s == '.') {
    char const* const fraction = ++s;
    mantissa = read_digits(s, end, mantissa);
    digits += s - fraction;
    if (digits > 19) return false;
    exponent = -static_cast<int>(s - fraction);
  }
  if (digits == 0 || digits > 19 || mantissa > exact_mantissa<Real>) return false;
  if (s != end && (*s == 'e' || *s == 'E')) {
    ++s;
    bool const down = s != end && *s == '-';
    if (s != end && (*s == '-' || *s == '+')) ++s;
    char const* const power = s;
    auto const shift = static_cast<int>(read_digits(s, end) & 0xffff);
    if (s == power || s - power > 4) return false;
    exponent += down ? -shift : shift;
  }
  if (s != end && !ends_field(*s)) return false;
  if (exponent < -exact_power<Real> || exponent > exact_power<Real>) return false;
  auto const whole = static_cast<Real>(mantissa);
  Real const scaled = exponent < 0 ? whole / powers_of_ten<Real>[static_cast<std::size_t>(-exponent)]
                                   : whole * powers_of_ten<Real>[static_cast<std::size_t>(exponent)];
  value = negative ? -scaled : scaled;
  p = s;
  return true;
}

/// True if a decimal number outside the range of its type is 1 or more: it overflows and does not underflow.
inline bool is_large_decimal(std::string_view number) {
  std::int64_t position = 0;  // of the leading digit: 1 for units, 0 for tenths
  bool seen_point = false, seen_digit = false;
  std::size_t i = 0;
  for (; i < number.size() && number[i] != 'e' && number[i] != 'E'; ++i) {
    if (number[i] == '.') seen_point = true;
    if (!is_digit(number[i])) continue;
    seen_digit |= number[i] != '0';
    if (seen_digit && !seen_point) ++position;
    if (!seen_digit && seen_point) --position;
  }
  if (i >= number.size()) return position > 0;
  bool const down = i + 1 < number.size() && number[i + 1] == '-';
  std::int64_t shift = 0;
  for (++i; i < number.size(); ++i)
    if (is_digit(number[i])) shift = std::min(shift * 10 + (number[i] - '0'), std::int64_t{1} << 56);
  return position + (down ? -shift : shift) > 0;
}

/// The options for values, and counters of one part of a file.
struct ValueRules {
  bool allow_nonfinite = false, allow_overflow = false;
  std::size_t nonfinite = 0, underflows = 0;
};

[[noreturn]] inline void fail_missing(char const* at, char const* what) {
  fail(at, std::string("the ") + what + " is missing; expected a number before the end of the line");
}

/// Reads any number that read_short_decimal() does not: long, out of range or not finite; throws if it is none.
template <RealScalar Real>
Real read_any_real(char const*& p, char const* end, char const* what, ValueRules& rules) {
  auto const field = field_at(p, end);
  if (at_line_end(p, end)) fail_missing(p, what);
  auto digits = field;
  if (digits.front() == '+') digits.remove_prefix(1);
  if (digits.empty() || digits.front() == '+' || (digits.size() < field.size() && digits.front() == '-'))
    fail(p, std::string("the ") + what + " " + quoted(field) + " is not a number");
  Real value = 0;
  auto const [stop, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc::invalid_argument || stop != digits.data() + digits.size())
    fail(p, std::string("the ") + what + " " + quoted(field) +
                " is not a number; expected a decimal like -1.5e-3");
  bool const negative = digits.front() == '-';
  auto const first = static_cast<unsigned char>(digits[negative ? 1 : 0]);
  if (!is_digit(static_cast<char>(first)) && first != '.') {
    if (!rules.allow_nonfinite)
      fail(p, std::string("the ") + what + " " + quoted(field) + " is not finite; allow_nonfinite accepts it");
    ++rules.nonfinite;
  } else if (code == std::errc::result_out_of_range || std::isinf(value) || value == 0) {
    auto const power = digits.find_first_of("eE");
    bool const nonzero = digits.substr(0, power).find_first_of("123456789") != std::string_view::npos;
    if (nonzero && is_large_decimal(digits)) {
      if (!rules.allow_overflow)
        fail(p, std::string("the ") + what + " " + quoted(field) + " overflows " + type_name<Real>() +
                    " to infinity; allow_overflow accepts it");
      ++rules.nonfinite;
      value = std::numeric_limits<Real>::infinity();
    } else {
      rules.underflows += nonzero;
      value = 0;
    }
    value = std::copysign(value, negative ? Real(-1) : Real(1));
  }
  p = field.data() + field.size();
  return value;
}

/// Reads a decimal, correctly rounded. Subnormals are kept; smaller values become signed zeros and are counted.
template <RealScalar Real>
inline Real read_real(char const*& p, char const* end, char const* what, ValueRules& rules) {
  p = skip_blanks(p, end);
  Real value;
  if (read_short_decimal(p, end, value)) [[likely]]
    return value;
  return read_any_real<Real>(p, end, what, rules);
}

inline bool is_whole_number(std::string_view field) {
  if (!field.empty() && (field.front() == '-' || field.front() == '+')) field.remove_prefix(1);
  return !field.empty() && std::all_of(field.begin(), field.end(), is_digit);
}

/// Reads a whole number into an integer type. In a real field 2.0 and 1e3 are whole numbers.
template <IntegerScalar Integer>
Integer read_integer(char const*& p, char const* end, MatrixMarketField field_kind) {
  p = skip_blanks(p, end);
  if (at_line_end(p, end)) fail_missing(p, "value");
  auto const field = field_at(p, end);
  auto const too_large = [&] {
    std::int64_t wider = 0;
    char const* const first = field.data() + (field.front() == '+');
    bool const fits = std::from_chars(first, field.data() + field.size(), wider).ec == std::errc();
    fail_overflow(p, "the value " + quoted(field) + " does not fit " + type_name<Integer>() + "; read it as " +
                         (fits && is_whole_number(field) ? "int64_t" : "double"));
  };
  Integer value = 0;
  if (is_whole_number(field)) {
    char const* const first = field.data() + (field.front() == '+');
    if (std::from_chars(first, field.data() + field.size(), value).ec != std::errc()) too_large();
  } else if (field_kind == MatrixMarketField::integer) {
    fail(p, "the value " + quoted(field) + " is not a whole number; the banner says integer");
  } else {
    ValueRules strict;
    char const* stop = p;
    auto const real = read_any_real<double>(stop, end, "value", strict);
    if (real != std::trunc(real) || strict.underflows)
      fail(p, "the value " + quoted(field) + " has a fraction; " + type_name<Integer>() +
                  " holds whole numbers only, read it as double");
    constexpr double limit = -static_cast<double>(std::numeric_limits<Integer>::min());
    if (real < -limit || real >= limit) too_large();
    value = static_cast<Integer>(real);
  }
  p = field.data() + field.size();
  return value;
}

/// Reads a value of the field into Scalar.
template <MatrixMarketField field, MatrixMarketScalar Scalar>
inline Scalar read_value(char const*& p, char const* end, ValueRules& rules) {
  if constexpr (field == MatrixMarketField::pattern) {
    if constexpr (ComplexScalar<Scalar>)
      return Scalar(1, 0);
    else
      return Scalar(1);
  } else if constexpr (IntegerScalar<Scalar>) {
    return read_integer<Scalar>(p, end, field);
  } else if constexpr (field == MatrixMarketField::complex) {
    static_assert(ComplexScalar<Scalar>, "check_types() rejects complex files for real scalars");
    auto const real = read_real<RealOf<Scalar>>(p, end, "real part", rules);
    auto const imaginary = read_real<RealOf<Scalar>>(p, end, "imaginary part", rules);
    return Scalar(real, imaginary);
  } else if constexpr (ComplexScalar<Scalar>) {
    return Scalar(read_value<field, RealOf<Scalar>>(p, end, rules), 0);
  } else if constexpr (field == MatrixMarketField::integer) {
    p = skip_blanks(p, end);
    if (auto const text = field_at(p, end); !text.empty() && !is_whole_number(text))
      fail(p, "the value " + quoted(text) + " is not a whole number; the banner says integer");
    return read_real<Scalar>(p, end, "value", rules);
  } else {
    return read_real<Scalar>(p, end, "value", rules);
  }
}

[[noreturn]] inline void fail_index(char const* at, char const* end, std::uint64_t limit, char const* what) {
  if (at_line_end(at, end)) fail_missing(at, what);
  auto const field = field_at(at, end);
  auto const expected = "; expected a whole number from 1 to " + std::to_string(limit);
  auto const found = std::string("the ") + what + " " + quoted(field);
  if (!is_whole_number(field)) fail(at, found + " is not a whole number" + expected);
  if (field.front() == '+') fail(at, found + " has a sign" + expected);
  if (field.front() == '-') fail(at, found + " is negative" + expected);
  if (field.find_first_not_of('0') == std::string_view::npos)
    fail(at, found + ": indices count from 1" + expected);
  fail(at, found + " is out of range" + expected);
}

/// Reads an index in 1..limit and returns it counted from 0.
inline std::uint64_t read_index(char const*& p, char const* end, std::uint64_t limit, char const* what) {
  constexpr std::ptrdiff_t max_digits = 19;  // any 19 digits fit 64 bits
  p = skip_blanks(p, end);
  char const* const first = p;
  std::uint64_t const value = read_digits(p, end);
  bool const ended = p == end || ends_field(*p);
  if (!ended || p - first > max_digits || p == first || value - 1 >= limit) [[unlikely]] {
    char const* const significant = std::find_if(first, p, [](char c) { return c != '0'; });
    if (!ended || p - significant > max_digits || p == significant || value - 1 >= limit)
      fail_index(first, end, limit, what);
  }
  return value - 1;
}

}  // namespace einkorn::detail
