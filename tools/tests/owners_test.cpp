// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "distributed/owners.hpp"

#include <einkorn/core/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace einkorn::tools {
namespace {

/// The message of the Kind that body() throws.
template <class Kind, class Body>
std::string message_of(Body const& body) {
  try {
    body();
  } catch (Kind const& error) {
    return error.what();
  }
  ADD_FAILURE() << "no exception";
  return {};
}

TEST(Owners, OneIntegerPerLine) {
  std::vector<int> const expected{0, 2, 1, 2};
  EXPECT_EQ(parse_owners("o", "0\n2\n1\n2\n", 4, 3), expected);
  EXPECT_EQ(parse_owners("o", "0\r\n2\r\n\n 1 \n2", 4, 3), expected);
  EXPECT_EQ(parse_owners("o", "", 0, 3), std::vector<int>());
}

TEST(Owners, RejectsLinesWithNameLineAndText) {
  auto const message = [](std::string const& text) {
    return message_of<ParseError>([&] { (void)parse_owners("parts.txt", text, 3, 2); });
  };
  EXPECT_EQ(message("0\n\n2\n"), "parts.txt:3: the owner is 2, expected one integer, 0 .. 2 - 1 (ranks)");
  for (std::string const text : {"-1", "0 1", "1.0", "x", "99999999999999999999", "0x1", "+1"})
    EXPECT_EQ(message("1\n" + text + "\n"),
              "parts.txt:2: the owner is " + text + ", expected one integer, 0 .. 2 - 1 (ranks)");
}

TEST(Owners, RejectsAnotherNumberOfRows) {
  for (auto const& [text, count] :
       {std::pair("0\n1\n", "2"), std::pair("0\n1\n0\n1\n", "4"), std::pair("", "0")})
    EXPECT_EQ(message_of<DimensionMismatch>([&] { (void)parse_owners("parts.txt", text, 3, 2); }),
              std::string("parts.txt: ") + count + " owners, expected 3, one per row of A");
}

TEST(Owners, MapOfScotch) {
  std::vector<int> const expected{0, 2, 1, 2};
  EXPECT_EQ(parse_owners("o", "4\n0\t0\n1\t2\n2\t1\n3\t2\n", 4, 3), expected);
  EXPECT_EQ(parse_owners("o", "4\r\n1 0\r\n\n2  2\r\n 3 1\n4\t2", 4, 3), expected);
  EXPECT_EQ(parse_owners("o", "4\n3 2\n1 2\n0 0\n2 1\n", 4, 3), expected);
  EXPECT_EQ(parse_owners("o", "1\n1 2\n", 1, 3), std::vector<int>{2});
  EXPECT_EQ(parse_owners("o", "2\n0\n", 2, 3), (std::vector<int>{2, 0}));  // one integer per row
}

TEST(Owners, RejectsMapsWithNameLineAndText) {
  auto const message = [](std::string const& text) {
    return message_of<ParseError>([&] { (void)parse_owners("a.map", text, 3, 2); });
  };
  EXPECT_EQ(message("3\n0 0\n1 2\n2 0\n"), "a.map:3: the owner is 2, expected one integer, 0 .. 2 - 1 (ranks)");
  EXPECT_EQ(message("3\n0 0\n1 -1\n2 0\n"),
            "a.map:3: the owner is -1, expected one integer, 0 .. 2 - 1 (ranks)");
  EXPECT_EQ(message("3\n0 0\n1\n2 0\n"), "a.map:3: the owner is , expected one integer, 0 .. 2 - 1 (ranks)");
  EXPECT_EQ(message("3\n0 0\n1 1 1\n2 0\n"),
            "a.map:3: the owner is 1 1, expected one integer, 0 .. 2 - 1 (ranks)");
  EXPECT_EQ(message("3\n1 0\n1 1\n2 0\n"), "a.map:3: the row is 1, which occurred before");
  EXPECT_EQ(message("3\n0 0\n1 1\n3 0\n"), "a.map:4: the row is 3, but rows are counted from 0");
  for (std::string const row : {"4", "-1", "x", "1.0", "99999999999999999999"})
    EXPECT_EQ(message("3\n0 0\n" + row + " 1\n2 0\n"),
              "a.map:3: the row is " + row + ", expected an integer, counted from 0 or from 1, and the owner");
  for (auto const& [text, count] : {std::pair("3\n0 0\n1 1\n", "2"), std::pair("3\n0 0\n1 1\n2 0\n1 0\n", "4")})
    EXPECT_EQ(message_of<DimensionMismatch>([&] { (void)parse_owners("a.map", text, 3, 2); }),
              std::string("a.map: ") + count + " owners, expected 3, one per row of A");
}

TEST(Owners, RejectsMissingFile) {
  EXPECT_EQ(message_of<IoError>([] { (void)read_owners("no_such_file", 3, 2); }),
            "no_such_file: cannot open for reading: No such file or directory");
  EXPECT_NE(message_of<IoError>([] { (void)read_owners("/", 3, 2); }).find("/: cannot read: "),
            std::string::npos);
}

}  // namespace
}  // namespace einkorn::tools
