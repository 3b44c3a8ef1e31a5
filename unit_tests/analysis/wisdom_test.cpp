// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/temporary_path.hpp"
#include "../support/throws.hpp"

#include <einkorn/formats/analysis/structure_class.hpp>
#include <einkorn/formats/analysis/wisdom.hpp>
#include <einkorn/formats/analysis/wisdom_file.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace einkorn::test {
namespace {

/// An empty folder, removed with its files.
class Folder {
 public:
  Folder() { std::filesystem::create_directory(path_.path()); }

  [[nodiscard]] std::string file(std::string const& name) const { return (path_.path() / name).string(); }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (auto const& entry : std::filesystem::directory_iterator(path_.path()))
      all.push_back(entry.path().filename().string());
    return all;
  }

 private:
  TemporaryPath path_{"wisdom"};
};

std::string text_of_file(std::string const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

WisdomRecord record(std::string const& machine, std::string const& matrix_class, double seconds) {
  return {machine, matrix_class, {{"csr", seconds, 0}, {"sell", seconds / 3, 7 * seconds}}, {"dia"}};
}

Wisdom two_machines() {
  Wisdom wisdom;
  wisdom.insert(record("A, 4 at once", "rows=3 nnz=5", 1e-3));
  wisdom.insert(record("A, 4 at once", "rows=4 nnz=5", 2e-3));
  wisdom.insert(record("B", "rows=3 nnz=5", 1.0 / 3));
  return wisdom;
}

TEST(Wisdom, FindsARecordOfTheSameMachineAndClass) {
  auto const wisdom = two_machines();

  ASSERT_NE(wisdom.find("B", "rows=3 nnz=5"), nullptr);
  EXPECT_EQ(wisdom.find("B", "rows=3 nnz=5")->times[0].seconds, 1.0 / 3);
  EXPECT_EQ(wisdom.find("C", "rows=3 nnz=5"), nullptr);
  EXPECT_EQ(wisdom.find("B", "rows=4 nnz=5"), nullptr);
}

TEST(Wisdom, RecordKnowsMeasuredAndRefusedCandidates) {
  auto const known = record("A", "c", 1);
  EXPECT_EQ(known.find("csr")->seconds, 1);
  EXPECT_EQ(known.find("dia"), nullptr);
  EXPECT_TRUE(known.knows("csr"));
  EXPECT_TRUE(known.knows("dia"));
  EXPECT_FALSE(known.knows("ell"));
}

TEST(Wisdom, JoinsRecordsOfOneClass) {
  Wisdom wisdom;
  wisdom.insert({"A", "c", {{"csr", 1, 0}, {"sell", 2, 0}}, {"dia", "ell"}});

  wisdom.insert({"A", "c", {{"csr", 3, 0}, {"dia", 4, 0}}, {"bsr"}});

  ASSERT_EQ(wisdom.records().size(), 1u);
  auto const& joined = *wisdom.find("A", "c");
  EXPECT_EQ(joined.find("csr")->seconds, 3);
  EXPECT_EQ(joined.find("sell")->seconds, 2);
  EXPECT_EQ(joined.find("dia")->seconds, 4);
  EXPECT_EQ(joined.refused, (std::vector<std::string>{"bsr", "ell"}));
}

TEST(Wisdom, MergesRecords) {
  Wisdom wisdom, other;
  wisdom.insert(record("A", "c", 1));
  other.insert(record("A", "d", 2));
  other.insert(record("A", "c", 3));

  wisdom.merge(other);

  EXPECT_EQ(wisdom.records().size(), 2u);
  EXPECT_EQ(wisdom.find("A", "c")->find("csr")->seconds, 3);
}

TEST(Wisdom, RejectsRecordsThatAFileCannotHold) {
  double const infinity = std::numeric_limits<double>::infinity();
  auto const is_rejected = [](WisdomRecord const& bad, std::string const& part) {
    Wisdom wisdom;
    return throws<InvalidArgument>([&] { wisdom.insert(bad); }, {"Wisdom", part});
  };
  EXPECT_TRUE(is_rejected(record("", "c", 1), "empty"));
  EXPECT_TRUE(is_rejected(record("A", "", 1), "empty"));
  EXPECT_TRUE(is_rejected(record("A\nB", "c", 1), "several lines"));
  EXPECT_TRUE(is_rejected(record("A", "c\r", 1), "several lines"));
  EXPECT_TRUE(is_rejected({"A", "c", {}, {}}, "nothing was measured"));
  EXPECT_TRUE(is_rejected(record("A", "c", 0), "a time of csr"));
  EXPECT_TRUE(is_rejected(record("A", "c", -1), "a time of csr"));
  EXPECT_TRUE(is_rejected(record("A", "c", infinity), "a time of csr"));
  EXPECT_TRUE(is_rejected({"A", "c", {{"csr", 1, -1}}, {}}, "a time of csr"));
  EXPECT_TRUE(is_rejected({"A", "c", {{"two words", 1, 0}}, {}}, "\"two words\""));
  EXPECT_TRUE(is_rejected({"A", "c", {{"", 1, 0}}, {}}, "without spaces"));
  EXPECT_TRUE(is_rejected({"A", "c", {{"csr", 1, 0}}, {"two words"}}, "\"two words\""));
  EXPECT_TRUE(is_rejected({"A", "c", {{"csr", 1, 0}, {"csr", 2, 0}}, {}}, "csr is named twice"));
  EXPECT_TRUE(is_rejected({"A", "c", {{"csr", 1, 0}}, {"csr"}}, "csr is named twice"));
}

TEST(WisdomFile, HasTheDocumentedForm) {
  Folder const folder;
  Wisdom wisdom;
  wisdom.insert({"A, 4 at once", "rows=3", {{"csr", 0.5, 0}, {"sell", 0.25, 3}}, {"dia"}});
  wisdom.insert({"A, 4 at once", "rows=4", {{"csr", 0.125, 0}}, {}});

  write_wisdom(folder.file("wisdom"), wisdom);

  EXPECT_EQ(
      text_of_file(folder.file("wisdom")),
      "einkorn-wisdom 1\nmachine A, 4 at once\nclass rows=3\ntime csr 0.5 0\ntime sell 0.25 3\nrefused dia\n"
      "class rows=4\ntime csr 0.125 0\nend 2\n");
}

TEST(WisdomFile, ReadsWhatItWrites) {
  Folder const folder;
  auto const wisdom = two_machines();

  write_wisdom(folder.file("wisdom"), wisdom);
  auto const copy = read_wisdom(folder.file("wisdom"));

  ASSERT_EQ(copy.records().size(), wisdom.records().size());
  for (auto const& [key, expected] : wisdom.records()) {
    auto const* const found = copy.find(expected.machine, expected.matrix_class);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->refused, expected.refused);
    ASSERT_EQ(found->times.size(), expected.times.size());
    for (std::size_t i = 0; i < expected.times.size(); ++i) {
      EXPECT_EQ(found->times[i].name, expected.times[i].name);
      EXPECT_EQ(found->times[i].seconds, expected.times[i].seconds) << "to the last bit";
      EXPECT_EQ(found->times[i].setup_seconds, expected.times[i].setup_seconds);
    }
  }
}

TEST(WisdomFile, EmptyWisdom) {
  Folder const folder;
  write_wisdom(folder.file("wisdom"), Wisdom());
  EXPECT_TRUE(read_wisdom(folder.file("wisdom")).records().empty());
}

TEST(WisdomFile, InvalidFilesAreParseErrorsWithTheLine) {
  std::string const heading = "einkorn-wisdom 1\n", machine = heading + "machine A\n",
                    entry = machine + "class c\n", complete = entry + "time csr 1 0\n";
  struct Case {
    std::string text, message;
  };
  for (Case const& c : {
           Case{"", ":1: expected \"einkorn-wisdom 1\", found an empty file"},
           Case{"{\"csr\": 1}\n", ":1: expected \"einkorn-wisdom 1\", found \"{"},
           Case{"einkorn-wis", ":1: expected \"einkorn-wisdom 1\", found \"einkorn-wis\""},
           Case{"einkorn-wisdom 2\nend 0\n", ":1: version \"2\" of the format, expected 1"},
           Case{heading, ":2: expected \"end\": the file is truncated"},
           Case{machine, ":3: expected \"end\": the file is truncated"},
           Case{complete, ":5: expected \"end\": the file is truncated"},
           Case{complete + "time sell 0.12", ":5: expected \"time\", a name"},  // cut within a line
           Case{complete + "time sell 0.12 0", ":6: expected"},                 // cut at the end of a line
           Case{complete + "en", ":5: unknown key \"en\""},
           Case{complete + "end", ":5: expected the number of classes after \"end\""},
           Case{complete + "end x\n", ":5: expected the number of classes after \"end\", found \"x\""},
           Case{complete + "end 12\n", ":5: the file has 1 classes, \"end\" states 12"},
           Case{complete + "end 1\nmachine B\n", ":6: expected nothing after \"end\""},
           Case{heading + "machine A\rB\n", ":2: expected no carriage return within a line"},
           Case{heading + "machine\n", ":2: expected a name after \"machine\""},
           Case{heading + "class c\n", ":2: expected \"machine\" before \"class\""},
           Case{machine + "time csr 1 0\n", ":3: expected \"class\" before \"time\""},
           Case{machine + "refused csr\n", ":3: expected \"class\" before \"refused\""},
           Case{machine + "class\n", ":3: expected a text after \"class\""},
           Case{entry + "end 1\n", ":4: expected \"time\" after \"class\""},
           Case{entry + "class d\n", ":4: expected \"time\" after \"class\""},
           Case{complete + "class c\n", ":5: the class is listed twice"},
           Case{complete + "time csr 2 0\n", ":5: \"csr\" is listed twice"},
           Case{complete + "refused csr\n", ":5: \"csr\" is listed twice"},
           Case{complete + "refused\n", ":5: expected a name without spaces after \"refused\""},
           Case{complete + "refused two words\n", "found \"two words\""},
           Case{entry + "time\n", ":4: expected \"time\", a name"},
           Case{entry + "time csr\n", ":4: expected \"time\", a name"},
           Case{entry + "time csr 1\n", ":4: expected \"time\", a name"},
           Case{entry + "time csr fast 0\n", "found \"csr fast 0\""},
           Case{entry + "time csr 1s 0\n", "found \"csr 1s 0\""},
           Case{entry + "time csr 0 0\n", "found \"csr 0 0\""},
           Case{entry + "time csr -1 0\n", "found \"csr -1 0\""},
           Case{entry + "time csr 1 -1\n", "found \"csr 1 -1\""},
           Case{entry + "time csr nan 0\n", "found \"csr nan 0\""},
           Case{entry + "time csr inf 0\n", "found \"csr inf 0\""},
           Case{entry + "time csr 1 0 2\n", "found \"csr 1 0 2\""},
       }) {
    SCOPED_TRACE(c.text);
    Folder const folder;
    auto const path = folder.file("wisdom");
    std::ofstream(path) << c.text;

    EXPECT_TRUE(throws<ParseError>([&] { (void)read_wisdom(path); }, {path, c.message}));
  }
}

TEST(WisdomFile, IgnoresCommentsBlankLinesAndCarriageReturns) {
  Folder const folder;
  std::ofstream(folder.file("wisdom")) << "# a comment\r\neinkorn-wisdom 1\r\n\nmachine A\r\nclass c\r\n"
                                          "# another\ntime csr 1 0\r\nend 1";
  EXPECT_NE(read_wisdom(folder.file("wisdom")).find("A", "c"), nullptr);
}

TEST(WisdomFile, MissingAndUnreadableFilesAreIoErrors) {
  Folder const folder;
  EXPECT_TRUE(
      throws<IoError>([&] { (void)read_wisdom(folder.file("none")); }, {folder.file("none"), "no such file"}));
  EXPECT_TRUE(throws<IoError>([] { (void)read_wisdom(""); }, {"no such file"}));
  EXPECT_TRUE(throws<IoError>([&] { (void)read_wisdom(folder.file("")); }, {"cannot"}));
}

TEST(WisdomFile, UnwritablePathsAreIoErrorsWithoutATemporaryFile) {
  Folder const folder;
  auto const is_refused = [&](std::string const& path) {
    return throws<IoError>([&] { write_wisdom(path, two_machines()); }, {path, "cannot write"});
  };
  std::filesystem::create_directory(folder.file("folder"));
  std::ofstream(folder.file("folder/file")) << "a file, so that the folder cannot be replaced";

  EXPECT_TRUE(is_refused(folder.file("none/wisdom")));
  EXPECT_TRUE(is_refused(folder.file("folder")));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"folder"});
}

TEST(WisdomFile, ReplacesAFileAndLeavesNoOther) {
  Folder const folder;
  std::ofstream(folder.file("wisdom")) << "old";
  write_wisdom(folder.file("wisdom"), two_machines());
  EXPECT_EQ(read_wisdom(folder.file("wisdom")).records().size(), 3u);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"wisdom"});
}

TEST(WisdomFile, ReadersOfConcurrentWritersSeeACompleteFile) {
  Folder const folder;
  auto const path = folder.file("wisdom");
  write_wisdom(path, Wisdom());
  auto const write = [&](std::size_t classes) {
    Wisdom wisdom;
    for (std::size_t i = 0; i < classes; ++i) wisdom.insert(record("A", "class " + std::to_string(i), 1));
    for (int i = 0; i < 50; ++i) write_wisdom(path, wisdom);
  };

  std::thread first(write, 3), second(write, 300);
  for (int i = 0; i < 50; ++i) {
    auto const classes = read_wisdom(path).records().size();
    EXPECT_TRUE(classes == 0 || classes == 3 || classes == 300) << classes;
  }
  first.join();
  second.join();

  EXPECT_EQ(folder.names(), std::vector<std::string>{"wisdom"});
}

Structure uniform() {
  Structure s;
  s.num_rows = s.num_cols = 1000;
  s.nnz = 5000;
  s.longest_row = 5;
  s.row_length_histogram[3] = 1000;
  s.num_diagonals = 5;
  s.num_bands = 3;
  s.num_stripes = 1000;
  return s;
}

TEST(StructureClass, IsOneLineOfText) {
  EXPECT_EQ(structure_class(uniform()),
            "rows=10 cols=10 nnz=13 longest=3 lengths=3:8 sorted=1 diagonals=0 bands=2 slices=0,0 "
            "blocks=0,0,0,0,0,0,0 stripes=1");
  EXPECT_EQ(structure_class({}),
            "rows=0 cols=0 nnz=0 longest=0 lengths=none sorted=1 diagonals=0 bands=0 slices=0,0 "
            "blocks=0,0,0,0,0,0,0 stripes=0");
}

TEST(StructureClass, DependsOnWhatTheFormatsDependOn) {
  struct Case {
    char const* what;
    void (*change)(Structure&);
    bool is_same;
  };
  for (Case const& c : {
           Case{"a few more rows", [](Structure& s) { s.num_rows = s.num_cols = 1020; }, true},
           Case{"a few more entries", [](Structure& s) { s.nnz = 5100; }, true},
           Case{"few empty rows",
                [](Structure& s) { s.row_length_histogram[0] = 50, s.row_length_histogram[3] = 950; }, true},
           Case{"a little fill", [](Structure& s) { s.slice_fill = 1.05; }, true},
           Case{"twice the rows", [](Structure& s) { s.num_rows = 2000; }, false},
           Case{"twice the columns", [](Structure& s) { s.num_cols = 2000; }, false},
           Case{"twice the entries", [](Structure& s) { s.nnz = 10000; }, false},
           Case{"one long row", [](Structure& s) { s.longest_row = 500; }, false},
           Case{"many empty rows",
                [](Structure& s) { s.row_length_histogram[0] = 500, s.row_length_histogram[3] = 500; }, false},
           Case{"unsorted", [](Structure& s) { s.sorted = false; }, false},
           Case{"scattered diagonals", [](Structure& s) { s.num_diagonals = 1500; }, false},
           Case{"more bands", [](Structure& s) { s.num_bands = 5; }, false},
           Case{"padding of slices", [](Structure& s) { s.slice_fill = 1.5; }, false},
           Case{"padding of sorted slices", [](Structure& s) { s.sorted_slice_fill = 1.5; }, false},
           Case{"padding of 3 x 3 blocks", [](Structure& s) { s.block_fill[3] = 1.5; }, false},
           Case{"stripes", [](Structure& s) { s.num_stripes = 100; }, false},
       }) {
    auto s = uniform();
    c.change(s);
    EXPECT_EQ(structure_class(s) == structure_class(uniform()), c.is_same) << c.what;
  }
}

}  // namespace
}  // namespace einkorn::test
