// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace einkorn {

/// One kind of generated matrix, as written in a specification.
struct GeneratorKind {
  std::string_view name, usage;
  std::size_t grid_dimensions;  // > 0: one argument, extents joined by x, or one extent for all
  std::size_t min_arguments, max_arguments;
  bool takes_name = false;                // the first argument is a name without colons
  std::string_view deprecated_name = {};  // accepted in place of name
};

/// All generators. Every specification may end in :seed=S.
inline constexpr std::array<GeneratorKind, 14> generator_kinds{{
    {"stencil5", "gen:stencil5:NXxNY", 2, 1, 1},
    {"stencil9", "gen:stencil9:NXxNY", 2, 1, 1},
    {"stencil7", "gen:stencil7:NXxNYxNZ", 3, 1, 1},
    {"stencil27", "gen:stencil27:NXxNYxNZ", 3, 1, 1},
    {"elasticity", "gen:elasticity:NXxNYxNZ", 3, 1, 1},
    {"band", "gen:band:N:D", 0, 2, 2},
    {"bands", "gen:bands:N:W:K", 0, 3, 3},
    {"stripes", "gen:stripes:N:HEIGHT:WIDTH", 0, 3, 3},
    {"rmat", "gen:rmat:SCALE[:EDGEFACTOR[:A:B:C]]", 0, 1, 5},
    {"powerlaw", "gen:powerlaw:N:MEAN", 0, 2, 2},
    {"circuit", "gen:circuit:N", 0, 1, 1},
    {"longrows", "gen:longrows:N:M:LEN", 0, 3, 3},
    {"blocks", "gen:blocks:N:B", 0, 2, 2},
    {"surrogate", "gen:surrogate:NAME[:PERCENT]", 0, 1, 2, true, "twin"},
}};

/// A parsed specification: "gen:band:1000:5:seed=7" has kind "band", numbers {1000, 5}, seed 7;
/// "gen:surrogate:cant:50" has kind "surrogate", name "cant", numbers {50}. A grid has one number per
/// dimension.
struct GeneratorSpec {
  std::string text;
  GeneratorKind kind{};
  std::vector<std::int64_t> numbers;
  std::uint64_t seed = 1;
  std::string name;  // of kinds that take one

  /// Throws InvalidArgument with the specification unless `condition` holds.
  void expect(bool condition, char const* expected) const {
    require<InvalidArgument>(condition, [&] {
      return "generator \"" + text + "\": expected " + expected + " in " + std::string(kind.usage);
    });
  }
};

/// Whether the text is a specification for generate(), not the name of a file.
[[nodiscard]] inline bool is_generator_spec(std::string_view text) {
  return text.starts_with("gen:");
}

namespace detail {

inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    auto const at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

/// Reads the whole text as one decimal number; false if it is none or does not fit.
template <class Number>
bool read_number(std::string_view text, Number& number) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

inline constexpr std::int64_t max_argument = std::int64_t(1) << 40;

inline GeneratorKind find_generator(std::string_view text, std::vector<std::string_view> const& fields) {
  std::string known;
  for (auto const& kind : generator_kinds) {
    if (fields.size() > 1 && fields[0] == "gen" && !fields[1].empty() &&
        (fields[1] == kind.name || fields[1] == kind.deprecated_name))
      return kind;
    known += (known.empty() ? "" : ", ") + std::string(kind.usage);
  }
  throw InvalidArgument("generator \"" + std::string(text) + "\": expected one of " + known);
}

}  // namespace detail

/// Parses a specification. Throws InvalidArgument with the specification and what was expected.
[[nodiscard]] inline GeneratorSpec parse_generator(std::string_view text) {
  auto fields = detail::split(text, ':');
  GeneratorSpec spec{std::string(text), detail::find_generator(text, fields), {}, 1, {}};
  auto const expected = [&](std::string const& problem) {
    return InvalidArgument("generator \"" + spec.text + "\": " + problem + "; expected " +
                           std::string(spec.kind.usage));
  };
  if (fields.back().starts_with("seed=")) {
    if (!detail::read_number(fields.back().substr(5), spec.seed))
      throw expected("\"" + std::string(fields.back()) + "\" is not seed= and a whole number below 2^64");
    fields.pop_back();
  }
  std::vector<std::string_view> arguments(fields.begin() + 2, fields.end());
  auto const dimensions = spec.kind.grid_dimensions;
  if (arguments.size() < spec.kind.min_arguments || arguments.size() > spec.kind.max_arguments)
    throw expected("it has " + std::to_string(arguments.size()) + " arguments");
  if (spec.kind.takes_name) {
    spec.name = arguments[0];
    arguments.erase(arguments.begin());
  }
  if (dimensions > 0) {
    arguments = detail::split(arguments[0], 'x');
    if (arguments.size() != 1 && arguments.size() != dimensions)
      throw expected("it has " + std::to_string(arguments.size()) + " extents, not 1 or " +
                     std::to_string(dimensions));
  }
  for (auto const argument : arguments) {
    std::int64_t number = 0;
    if (!detail::read_number(argument, number) || number < 1 || number > detail::max_argument)
      throw expected("\"" + std::string(argument) + "\" is not a whole number from 1 to " +
                     std::to_string(detail::max_argument));
    spec.numbers.push_back(number);
  }
  if (dimensions > 0) spec.numbers.resize(dimensions, spec.numbers[0]);
  return spec;
}

}  // namespace einkorn
