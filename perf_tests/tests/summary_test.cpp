// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../../unit_tests/support/temporary_path.hpp"
#include "support/advice.hpp"
#include "support/calibrate.hpp"
#include "support/describe.hpp"
#include "support/json.hpp"
#include "support/progress.hpp"
#include "support/screening.hpp"
#include "support/summary.hpp"

#include <einkorn/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace einkorn::perf;

Result row(std::string format, std::string algorithm, double seconds, double spread = 0.01) {
  Result result;
  result.candidate.format = std::move(format);
  result.candidate.algorithm = std::move(algorithm);
  result.candidate.bytes = 1000000;
  result.warm_seconds = seconds;
  result.warm_spread = spread;
  return result;
}

Result default_csr(double seconds, double spread = 0.01) {
  auto result = row("csr", "row_team", seconds, spread);
  result.candidate.is_default = true;
  return result;
}

Result conversion(std::string format, std::string algorithm, double seconds) {
  auto result = row(std::move(format), algorithm + " from_csr", seconds);
  result.candidate.operation = "conversion";
  result.candidate.converts_to = algorithm;
  return result;
}

Result select(std::string format) {
  Result result;
  result.candidate.operation = "select";
  result.candidate.algorithm = "by model";
  result.candidate.format = std::move(format);
  return result;
}

Result peer(double seconds) {
  auto result = row("csr", "native", seconds);
  result.candidate.library = "kokkos-kernels";
  return result;
}

MatrixReport report_of(std::vector<Result> results) {
  MatrixReport report;
  report.matrix = "a.mtx";
  report.scalar = "double";
  report.ordinal = "int32";
  report.rows = report.cols = 1000;
  report.nnz = 6400;
  report.longest_row = 7;
  report.csr_bytes = 1000000;
  report.copy_bytes_per_second = 2e9;
  report.structure = "7 diagonals in 5 bands, rows of similar length";
  report.findings["dia"] = "7 diagonals, fill 1.02";
  report.results = std::move(results);
  return report;
}

std::string printed(MatrixReport const& report, SummaryStyle const& style = {}) {
  std::ostringstream out;
  print_summary(out, report, style);
  return out.str();
}

bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

TEST(Summary, PrintsSpeedUpAndBreakEven) {
  auto const text = printed(report_of({default_csr(1e-3, 0.03), row("dia", "row_thread", 5e-4),
                                       conversion("dia", "row_thread", 5e-3), select("dia")}));

  EXPECT_TRUE(contains(text, "a.mtx: 1000 x 1000, 6400 entries, 6.4 per row (longest 7)\n")) << text;
  EXPECT_TRUE(contains(text, "what    7 diagonals in 5 bands, rows of similar length; 1.0 MB in CSR, double"))
      << text;
  EXPECT_TRUE(contains(text, "now     CSR row_team: 1.00 ms, 1.0 GB/s, 0.50 of copy (2.0 GB/s)\n")) << text;
  EXPECT_TRUE(
      contains(text, "best    dia row_thread: 500.0 us, 2.00 times as fast as CSR (rounds vary by 3 %)\n"))
      << text;
  EXPECT_TRUE(contains(text, "pays    after 10 products: the conversion takes 5.00 ms, 5.0 products in CSR\n"))
      << text;
  EXPECT_TRUE(contains(text, "select  dia, the best\n")) << text;
  EXPECT_FALSE(contains(text, "peers")) << text;
}

TEST(Summary, KeepsCsrForAGainWithinTheSpread) {
  auto const report = report_of({default_csr(1.00e-3, 0.04), row("sell", "row_thread", 0.97e-3, 0.01),
                                 conversion("sell", "row_thread", 5e-3), select("sell")});
  auto const text = printed(report);

  EXPECT_EQ(summarize(report).best, &report.results[0]);
  EXPECT_TRUE(contains(text, "best    CSR kept: nothing measured was faster; equal within 4 %: sell\n"))
      << text;
  EXPECT_TRUE(contains(text, "pays    nothing to convert\n")) << text;
  EXPECT_TRUE(contains(text, "select  sell, equal to the best within 4 %\n")) << text;
}

TEST(Summary, WarnsAboutABusyMachine) {
  auto const text = printed(report_of({default_csr(1e-3, 0.5)})),
             idle = printed(report_of({default_csr(1e-3)}));

  EXPECT_TRUE(contains(text, "noise   the rounds vary by 50 %: measure again on an idle machine\n")) << text;
  EXPECT_FALSE(contains(idle, "noise")) << idle;
}

TEST(Summary, NoiseIsAtLeastTwoPercent) {
  auto const with = [](double seconds) {
    return report_of({default_csr(1e-3, 0.0), row("sell", "row_thread", seconds, 0.0)});
  };
  auto const equal = with(0.985e-3), faster = with(0.97e-3);

  EXPECT_EQ(summarize(equal).best, &equal.results[0]);
  EXPECT_EQ(summarize(faster).best, &faster.results[1]);
}

TEST(Summary, ListsEqualFormatsOnceAndRatesSelect) {
  auto const text = printed(
      report_of({default_csr(2e-3), row("bdia", "window", 1.00e-3), row("dia", "row_thread", 1.01e-3),
                 row("sell", "row_thread", 1.9e-3), row("sell", "row_thread_16", 1.01e-3), select("csr")}));

  EXPECT_TRUE(contains(text,
                       "best    bdia window: 1.00 ms, 2.00 times as fast as CSR (rounds vary by 2 %); equal "
                       "within 2 %: dia, sell\n"))
      << text;
  EXPECT_TRUE(contains(text, "pays    the conversion was not measured\n")) << text;
  EXPECT_TRUE(contains(text, "select  csr, 2.00 times as slow as the best\n")) << text;
}

TEST(Summary, IgnoresRowsWithALargeSpread) {
  auto const report =
      report_of({default_csr(2e-3), row("ell", "row_thread", 1e-3), row("csr5", "tiles", 3e-3, 3.3)});

  EXPECT_TRUE(summarize(report).equals.empty());
}

TEST(Summary, AnotherAlgorithmOfCsrNeedsNoConversion) {
  auto const text = printed(report_of({default_csr(2e-3), row("csr", "segmented_sum", 1e-3)}));

  EXPECT_TRUE(contains(text, "best    csr segmented_sum: 1.00 ms, 2.00 times as fast")) << text;
  EXPECT_TRUE(contains(text, "pays    at once")) << text;
}

TEST(Summary, SkipsWrongAndRoundedRowsAndPrintsWrongOnes) {
  auto wrong = row("ell", "row_thread", 1e-4), rounded = row("csr", "automatic_float_values", 2e-4);
  wrong.wrong = true;
  rounded.candidate.value_epsilon = 1e-7;
  auto const report = report_of({default_csr(1e-3), wrong, rounded});

  EXPECT_EQ(summarize(report).best, &report.results[0]);
  EXPECT_TRUE(contains(printed(report), "WRONG   ell row_thread\n")) << printed(report);
}

TEST(Summary, ComparesWithTheFastestPeer) {
  auto const two = report_of({default_csr(1e-3), peer(3e-3), peer(1.5e-3)});

  EXPECT_TRUE(
      contains(printed(two, {true, false}),
               "peers   kokkos-kernels csr native: 1.50 ms; Einkorn is 1.50 times as fast as the peer\n"))
      << printed(two, {true, false});
  EXPECT_TRUE(contains(printed(report_of({default_csr(1e-3)}), {true, false}), "none could be run"));
}

TEST(Summary, NothingMeasured) {
  auto refused = default_csr(1.0);
  refused.warm_seconds.reset();
  refused.candidate.refusal = "no memory";

  auto const text = printed(report_of({refused}), {true, true});

  EXPECT_TRUE(contains(text, "CSR could not be measured")) << text;
  EXPECT_TRUE(contains(text, "nothing could be measured")) << text;
}

TEST(Summary, ExplainsInThreeSentences) {
  auto const report = report_of({default_csr(1e-3), row("dia", "row_thread", 5e-4)});
  auto const plain = printed(report), explained = printed(report, {false, true});

  auto const more = explained.substr(plain.size());
  EXPECT_EQ(std::count(more.begin(), more.end(), '\n'), 3) << more;
  EXPECT_TRUE(contains(more, "moves at least 1.0 MB")) << more;
  EXPECT_TRUE(contains(more, "dia moves no fewer bytes (1.00 of these; 7 diagonals, fill 1.02)")) << more;

  auto fewer = report;
  fewer.results[1].candidate.bytes = 600000;
  EXPECT_TRUE(
      contains(printed(fewer, {false, true}), "dia moves 0.60 of these bytes (7 diagonals, fill 1.02)."));
}

TEST(Summary, SummaryTableHasOneLinePerMatrix) {
  auto const first = summary_line(report_of({default_csr(1e-3), row("dia", "row_thread", 5e-4),
                                             conversion("dia", "row_thread", 5e-3), select("dia")}));
  auto const second = summary_line(report_of({default_csr(1e-3), select("csr")}));
  std::ostringstream out;

  print_summary_table(out, {first, second});

  EXPECT_EQ(out.str(),
            "\nmatrix  CSR now  of copy  best             gain  pays after  select\n"
            "a.mtx   1.00 ms     0.50  dia row_thread   2.00          10  dia\n"
            "a.mtx   1.00 ms     0.50  csr row_team    equal           -  csr\n");
}

TEST(Screening, KeepsFastRowsTheirConversionsCsrAndPeers) {
  std::vector<Result> const results{default_csr(0),
                                    row("dia", "row_thread", 0),
                                    row("ell", "row_thread", 0),
                                    peer(0),
                                    conversion("dia", "row_thread", 0),
                                    conversion("ell", "row_thread", 0),
                                    row("bsr", "block_row", 0)};

  auto const selected = select_for_second_round(results, {5.0, 1.0, 1.5, 9.0, 0.0, 0.0, 0.0});

  EXPECT_EQ(selected, (std::vector<bool>{true, true, false, true, true, false, false}));
}

TEST(Structure, Description) {
  einkorn::Structure s;
  EXPECT_EQ(describe_structure(s), "no entries");
  s.num_rows = s.num_cols = 100;
  s.nnz = 680;
  s.mean_row_length = 6.8;
  s.longest_row = 7;
  s.num_diagonals = 7;
  s.num_bands = 5;
  s.num_stripes = 100;
  s.block_fill.fill(3.0);
  EXPECT_EQ(describe_structure(s), "7 diagonals in 5 bands, rows of similar length");
  s.num_diagonals = 60;
  s.block_fill[3] = 1.0;
  EXPECT_EQ(describe_structure(s), "blocks of 3 x 3, rows of similar length");
  s.block_fill[3] = 3.0;
  s.num_stripes = 50;
  EXPECT_EQ(describe_structure(s), "runs of 2.0 rows with the same columns, rows of similar length");
  s.num_stripes = 100;
  s.longest_row = 90;
  s.empty_rows = 10;
  EXPECT_EQ(describe_structure(s),
            "no diagonals or blocks, rows of very different lengths, 10 % of them empty");
}

TEST(Advice, UsesOptionsOfTheProgram) {
  EXPECT_EQ(with_program_options("a.mtx:1: the field is complex and double has no imaginary part; read it as "
                                 "std::complex<double>"),
            "a.mtx:1: the field is complex and double has no imaginary part; read it with --scalar complex");
  EXPECT_EQ(with_program_options("5 entries do not fit Offset; int64_t or size_t would do"),
            "5 entries do not fit Offset; --ordinal int64 would do");
  EXPECT_EQ(with_program_options("34 bits; std::int64_t would do"), "34 bits; --ordinal int64 would do");
  EXPECT_EQ(with_program_options("no such file"), "no such file");
}

TEST(Profile, ReplacesItsOwnMachineAndKeepsOthers) {
  einkorn::test::TemporaryPath const folder("profile");
  auto const path = (folder.path() / "profile").string();

  write_profile(path, {"A, 2 at once", 1e9, 2e9, 3e7, 4e-6});
  write_profile(path, {"B", 5e9, 0, 0, 6e-6});
  write_profile(path, {"A, 2 at once", 7e9, 2e9, 3e7, 4e-6});

  auto const machines = einkorn::read_profile(path);
  ASSERT_EQ(machines.size(), 2u);
  EXPECT_EQ(machines[0].machine, "A, 2 at once");
  EXPECT_EQ(machines[0].copy_bytes_per_second, 7e9);
  EXPECT_EQ(machines[0].launch_seconds, 4e-6);
  EXPECT_EQ(machines[1].copy_bytes_per_second, 5e9);
  EXPECT_THROW(write_profile("/dev/null/profile", machines[0]), einkorn::IoError);
}

TEST(Progress, BarShowsTheCompletedFraction) {
  EXPECT_EQ(progress::progress_bar(0, 7, 4), "[....]");
  EXPECT_EQ(progress::progress_bar(5, 10, 4), "[##..]");
  EXPECT_EQ(progress::progress_bar(7, 7, 4), "[####]");
  EXPECT_EQ(progress::progress_bar(1, 0, 4), "[....]");
}

TEST(Progress, SumsTheSecondsOfAStage) {
  progress::choose(progress::Style::quiet);
  progress::stage("a", "reading");
  progress::stage("a", "measuring");
  progress::stage("b", "reading");
  progress::finish();

  auto const seconds = progress::seconds();

  ASSERT_EQ(seconds.size(), 2u);
  EXPECT_EQ(seconds[0].first, "reading");
  EXPECT_EQ(seconds[1].first, "measuring");
}

TEST(Json, WritabilityCheckKeepsExistingFile) {
  einkorn::test::TemporaryPath const file_path("summary.json");
  auto const& path = file_path.path();
  EXPECT_THROW(require_writable("--json", "/no/such/folder/a.json"), einkorn::IoError);
  EXPECT_NO_THROW(require_writable("--json", path.string()));
  EXPECT_FALSE(std::filesystem::exists(path));
  std::ofstream(path) << "kept";

  require_writable("--json", path.string());

  std::ifstream file(path);
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, "kept");
}

}  // namespace
