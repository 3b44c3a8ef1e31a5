// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors

// Files: gzip, headers, errors of the system, duplicates, and texts large enough to be read in parts.

#include "matrix_market_support.hpp"

#include <einkorn/core/io/matrix_market.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace einkorn::test {
namespace {

using List = std::vector<double>;
using Indices = std::vector<std::int32_t>;
using Kind = Thrown::Kind;

std::string const small =
    "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 2\n"
    "3 3 3\n";

Triplets<double, std::int32_t> read(std::filesystem::path const& path, MatrixMarketOptions const& options = {},
                                    MatrixMarketReport* report = nullptr) {
  return read_matrix_market<double, std::int32_t>(path, options, report);
}

Triplets<double, std::int32_t> read_as_file(std::string const& bytes, MatrixMarketReport* report = nullptr) {
  TemporaryPath const file("bytes.mtx");
  write_bytes(file.path(), bytes);
  return read(file.path(), {}, report);
}

TEST(MatrixMarketGzip, DetectedByFirstBytes) {
  MatrixMarketReport report;

  EXPECT_EQ(read_as_file(gzip(small), &report).values, (List{1, 2, 3}));

  EXPECT_TRUE(report.gzip);
  EXPECT_EQ(report.text_bytes, small.size());
  TemporaryPath const plain("plain.mtx.gz");
  write_bytes(plain.path(), small);
  EXPECT_EQ(read(plain.path(), {}, &report).values, (List{1, 2, 3}));
  EXPECT_FALSE(report.gzip);
}

TEST(MatrixMarketGzip, SeveralMembersAndTrailingZeros) {
  for (std::size_t const cut : {std::size_t{0}, std::size_t{10}, std::size_t{55}, small.size()})
    EXPECT_EQ(read_as_file(gzip(small.substr(0, cut)) + gzip(small.substr(cut))).values, (List{1, 2, 3}))
        << cut;
  EXPECT_EQ(read_as_file(gzip(small) + std::string(300000, '\0')).values, (List{1, 2, 3}));
}

TEST(MatrixMarketGzip, TruncatedCorruptOrFollowedByOtherBytes) {
  auto const whole = gzip(small);
  for (std::size_t size = 2; size < whole.size(); ++size) {
    auto const got = thrown_by([&] { (void)read_as_file(whole.substr(0, size)); });
    expect_error(got, Kind::parse, {"gzip data is truncated"});
    EXPECT_GE(got.line, 1u);
  }
  auto const damaged = [&](std::size_t from_end) {
    auto bytes = whole;
    bytes[whole.size() - from_end] = static_cast<char>(bytes[whole.size() - from_end] ^ 1);
    return bytes;
  };
  for (std::size_t const from_end : {std::size_t{1}, std::size_t{4}, std::size_t{8}})  // of length and checksum
    expect_parse_error(thrown_by([&] { (void)read_as_file(damaged(from_end)); }), 6,
                       {"corrupt", "bytes of text"});
  for (std::string const tail : {"x", "\n", "%%MatrixMarket"})
    expect_error(thrown_by([&] { (void)read_as_file(whole + tail); }), Kind::parse, {"bytes after the end"});
  expect_error(thrown_by([&] { (void)read_as_file(whole + std::string(2, '\0') + whole); }), Kind::parse,
               {"bytes after the end"});
  expect_error(thrown_by([&] { (void)read_as_file(gzip(whole)); }), Kind::parse, {":1: ", "gzip data inside"});
}

TEST(MatrixMarketGzip, MaxTextBytes) {
  TemporaryPath const file("bomb.mtx.gz");
  write_bytes(file.path(), gzip(small + std::string(std::size_t{1} << 22, '\n')));
  MatrixMarketOptions options;
  EXPECT_EQ(read(file.path(), options).size(), 3u);
  options.max_text_bytes = 1 << 20;
  expect_error(thrown_by([&] { (void)read(file.path(), options); }), Kind::memory,
               {"max_text_bytes = 1048576"});
}

TEST(MatrixMarketHeaderOnly, NeedsNoEntries) {
  auto const text = "%%MatrixMarket matrix coordinate integer symmetric\n" + std::string(200000, '\n') +
                    "% c\n5000000000 5000000000 9000000000000\n";
  for (auto const& bytes : {text, gzip(text), text + "garbage"}) {
    TemporaryPath const file("header.mtx");
    write_bytes(file.path(), bytes);

    auto const header = read_matrix_market_header(file.path());

    EXPECT_EQ(header.format, MatrixMarketFormat::coordinate);
    EXPECT_EQ(header.field, MatrixMarketField::integer);
    EXPECT_EQ(header.symmetry, MatrixMarketSymmetry::symmetric);
    EXPECT_EQ(header.num_rows, 5000000000);
    EXPECT_EQ(header.num_cols, 5000000000);
    EXPECT_EQ(header.num_entries, 9000000000000);
    EXPECT_EQ(header.size_line, 200003u);
  }
  auto const array = parse_matrix_market_header("%%MatrixMarket matrix array real symmetric\n5 5\n", "a.mtx");
  EXPECT_EQ(array.num_entries, 15);
  expect_parse_error(thrown_by([] { (void)parse_matrix_market_header("%%Matrix\n", "a.mtx"); }), 1,
                     {"a.mtx:1: "});
}

TEST(MatrixMarketHeaderOnly, NulByteIsAParseErrorWithItsLine) {
  std::string const nul(1, '\0'), banner = "%%MatrixMarket matrix coordinate real general\n";
  struct Case {
    std::string text;
    std::size_t line;
  };
  for (auto const& [text, line] : std::vector<Case>{{nul, 1},
                                                    {"%%MatrixMarket" + nul + "\n1 1 0\n", 1},
                                                    {banner + "% a" + nul + "b\n1 1 0\n", 2},
                                                    {banner + "% a\n%" + nul, 3},
                                                    {banner + std::string(300000, '\n') + "%" + nul, 300002},
                                                    {banner + nul + "1 1 0\n", 2},
                                                    {banner + "1 1" + nul + "0\n", 2},
                                                    {banner + "1 1 " + nul, 2}})
    for (auto const& bytes : {text, gzip(text)}) {
      TemporaryPath const file("nul.mtx");
      write_bytes(file.path(), bytes);
      expect_parse_error(thrown_by([&] { (void)read_matrix_market_header(file.path()); }), line,
                         {file.path().string() + ":"});
      expect_parse_error(thrown_by([&] { (void)read(file.path()); }), line, {file.path().string() + ":"});
    }
}

TEST(MatrixMarketHeaderOnly, IgnoresTextAfterTheSizeLine) {
  TemporaryPath const file("nul.mtx");
  write_bytes(file.path(), "%%MatrixMarket matrix coordinate real general\n1 2 3\n%" + std::string(1, '\0'));
  EXPECT_EQ(read_matrix_market_header(file.path()).num_entries, 3);
}

TEST(MatrixMarketPipe, IsReadOnceForHeaderAndEntries) {
  for (auto const& bytes : {small, gzip(small)}) {
    TemporaryPath const pipe("pipe");
    ASSERT_EQ(::mkfifo(pipe.path().c_str(), 0600), 0);
    std::jthread const writer([&] { write_bytes(pipe.path(), bytes); });

    MatrixMarketText const text(pipe.path());

    EXPECT_EQ(text.header().num_entries, 3);
    EXPECT_EQ((text.parse<double, std::int32_t>().values), (List{1, 2, 3}));
    EXPECT_EQ(text.name(), pipe.path().string());
    EXPECT_EQ(text.text(), small);
    EXPECT_EQ(text.is_gzip(), bytes != small);
  }
}

TEST(MatrixMarketIo, ErrorsHaveTheReasonOfTheSystem) {
  TemporaryPath const path("not_there");
  expect_error(thrown_by([&] { (void)read(path.path()); }), Kind::io, {path.path().string(), "No such file"});
  expect_error(thrown_by([&] { (void)read_matrix_market_header(path.path()); }), Kind::io, {"No such file"});
  std::filesystem::create_directory(path.path());
  expect_error(thrown_by([&] { (void)read(path.path()); }), Kind::io, {"Is a directory"});
  Triplets<double, std::int32_t> const A;
  expect_error(thrown_by([&] { write_matrix_market(path.path(), A); }), Kind::io, {"Is a directory"});
  expect_error(thrown_by([&] { write_matrix_market(path.path() / "no" / "a.mtx.gz", A); }), Kind::io,
               {"No such file"});
}

TEST(MatrixMarketIo, Permission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  TemporaryPath const file("secret.mtx");
  write_bytes(file.path(), small);
  std::filesystem::permissions(file.path(), std::filesystem::perms::none);
  expect_error(thrown_by([&] { (void)read(file.path()); }), Kind::io, {"Permission denied"});
}

TEST(MatrixMarketIo, FullDiskThrows) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  auto const A = parse(small);
  for (std::string const name : {"full.mtx", "full.mtx.gz"}) {
    TemporaryPath const link(name);
    std::filesystem::create_symlink("/dev/full", link.path());
    expect_error(thrown_by([&] { write_matrix_market(link.path(), A); }), Kind::io, {name, "No space left"});
  }
}

TEST(MatrixMarketIo, PathsAreBytes) {
  TemporaryPath const file("größe 行列.mtx");
  write_matrix_market(file.path(), parse(small));
  EXPECT_EQ(read(file.path()).values, (List{1, 2, 3}));
}

TEST(MatrixMarketDuplicates, KeepTheOrderOfTheFile) {
  auto const text =
      "%%MatrixMarket matrix coordinate integer general\n9 9 7\n"
      "5 5 1\n1 2 2\n5 5 4\n9 1 8\n1 2 16\n5 5 32\n1 1 64\n";
  MatrixMarketReport report;
  auto const A = parse(text, {}, &report);
  EXPECT_EQ(A.rows, (Indices{4, 0, 8, 0}));
  EXPECT_EQ(A.columns, (Indices{4, 1, 0, 0}));
  EXPECT_EQ(A.values, (List{37, 18, 8, 64}));
  EXPECT_EQ(report.duplicates_summed, 3u);

  MatrixMarketOptions options;
  options.duplicates = DuplicatePolicy::reject;
  expect_error(thrown_by([&] { (void)parse(text, options); }), Kind::parse,
               {"(1, 2)", "stored more than once"});
}

TEST(MatrixMarketDuplicates, InLargeEmptyMatricesAndUnderSymmetry) {
  auto const far = parse(
      "%%MatrixMarket matrix coordinate real general\n2000000000 2000000000 3\n"
      "2000000000 7 1\n3 3 5\n2000000000 7 2\n");
  EXPECT_EQ(far.rows, (Indices{1999999999, 2}));
  EXPECT_EQ(far.values, (List{3, 5}));

  auto const S = parse("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 3\n2 1\n1 1\n2 1\n");
  EXPECT_EQ(S.rows, (Indices{1, 0, 0}));
  EXPECT_EQ(S.values, (List{2, 1, 2}));
}

TEST(MatrixMarketDuplicates, SumsThatOverflow) {
  auto const header = std::string("%%MatrixMarket matrix coordinate ");
  auto const ints = header + "integer general\n1 1 2\n1 1 2147483647\n1 1 1\n";
  expect_error(thrown_by([&] { (void)parse<std::int32_t>(ints); }), Kind::overflow,
               {":4: ", "(1, 1)", "int32_t"});
  EXPECT_EQ(parse<std::int64_t>(ints).values, (std::vector<std::int64_t>{2147483648}));
  auto const reals = header + "real general\n1 1 2\n1 1 1e308\n1 1 1e308\n";
  expect_error(thrown_by([&] { (void)parse(reals); }), Kind::overflow, {":4: ", "double"});
  auto const skew = header + "integer skew-symmetric\n2 2 1\n2 1 -2147483648\n";
  expect_error(thrown_by([&] { (void)parse<std::int32_t>(skew); }), Kind::overflow, {"(2, 1)", "int32_t"});
}

/// A file of several megabytes, more than one thread reads as one part: entry k is (k mod m, k div m) and k
/// / 4.
std::string large_text(std::size_t entries, std::size_t declared, std::size_t m) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n" + std::to_string(m) + " " +
                     std::to_string(entries / m + 1) + " " + std::to_string(declared) + "\n";
  for (std::size_t k = 0; k < entries; ++k) {
    if (k % 1000 == 7) text += k % 3000 ? "\n" : "% comment\r\n";
    text += std::to_string(k % m + 1) + " " + std::to_string(k / m + 1) + " " +
            std::to_string(static_cast<double>(k) / 4) + "\n";
  }
  return text;
}

std::size_t const large = 450000, large_rows = 1000;

TEST(MatrixMarketParts, AllThreadCountsReadTheSame) {
  auto const text = large_text(large, large, large_rows);
  ASSERT_GT(text.size(), std::size_t{8} << 20);
  for (unsigned const threads : {1u, 2u, 3u, 8u, 0u}) {
    MatrixMarketOptions options;
    options.max_threads = threads;
    auto const A = parse(text, options);
    ASSERT_EQ(A.size(), large);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < large; ++k)
      wrong += A.rows[k] != static_cast<std::int32_t>(k % large_rows) ||
               A.columns[k] != static_cast<std::int32_t>(k / large_rows) ||
               A.values[k] != static_cast<double>(k) / 4;
    EXPECT_EQ(wrong, 0u) << threads << " threads";
  }
}

TEST(MatrixMarketParts, AllThreadCountsReportTheSameError) {
  auto const text = large_text(large, large, large_rows);
  auto broken = text;
  broken.replace(text.size() / 2, 1, "x");  // two errors: the first counts
  broken.replace(text.size() - 3, 1, "y");
  auto const extra = large_text(large, large / 3, large_rows) + "y\n";
  auto const missing = large_text(large, large + 1, large_rows);
  for (auto const* bad : std::vector<std::string const*>{&broken, &extra, &missing}) {
    MatrixMarketOptions options;
    options.max_threads = 1;
    auto const want = thrown_by([&] { (void)parse(*bad, options); });
    EXPECT_EQ(want.kind, Kind::parse);
    for (unsigned const threads : {2u, 5u, 8u}) {
      options.max_threads = threads;
      EXPECT_EQ(thrown_by([&] { (void)parse(*bad, options); }).message, want.message);
    }
  }
}

TEST(MatrixMarketParts, ExtraEntriesAreDroppedInAnyPart) {
  auto const text = large_text(large, large / 3, large_rows) + "1 1 1e-999\n garbage\n";
  for (unsigned const threads : {1u, 2u, 8u}) {
    MatrixMarketOptions options;
    options.ignore_extra_entries = true;
    options.max_threads = threads;
    MatrixMarketReport report;
    auto const A = parse(text, options, &report);
    ASSERT_EQ(A.size(), large / 3);
    EXPECT_EQ(A.values.back(), static_cast<double>(large / 3 - 1) / 4);
    EXPECT_EQ(report.underflows, 0u);
  }
}

TEST(MatrixMarketParts, ArraysAndGzip) {
  std::size_t const rows = 1009, columns = 401;
  std::string text = "%%MatrixMarket matrix array integer general\n1009 401\n";
  for (std::size_t k = 0; k < rows * columns; ++k) text += std::to_string(1000000 + k) + "\n";
  ASSERT_GT(text.size(), std::size_t{3} << 20);

  auto const A = read_as_file(gzip(text));

  ASSERT_EQ(A.size(), rows * columns);
  for (std::size_t const k : {std::size_t{0}, rows - 1, rows, rows * columns / 2, rows * columns - 1}) {
    EXPECT_EQ(A.rows[k], static_cast<std::int32_t>(k % rows));
    EXPECT_EQ(A.columns[k], static_cast<std::int32_t>(k / rows));
    EXPECT_EQ(A.values[k], static_cast<double>(1000000 + k));
  }
}

}  // namespace
}  // namespace einkorn::test
