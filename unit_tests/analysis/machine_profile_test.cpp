// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/temporary_path.hpp"
#include "../support/throws.hpp"

#include <einkorn/formats/analysis/machine_profile.hpp>
#include <einkorn/formats/analysis/select_model.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace einkorn::test {
namespace {

/// A temporary file.
class File {
 public:
  explicit File(std::string const& text) { std::ofstream(path_.path()) << text; }
  [[nodiscard]] std::string path() const { return path_.path().string(); }

 private:
  TemporaryPath path_{"profile"};
};

/// Sets an environment variable during its lifetime.
class Variable {
 public:
  Variable(char const* name, char const* value) : name_(name) {
    if (char const* const before = std::getenv(name)) before_ = before, was_set_ = true;
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Variable() { was_set_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }
  Variable(Variable const&) = delete;
  Variable& operator=(Variable const&) = delete;

 private:
  char const* name_;
  std::string before_;
  bool was_set_ = false;
};

std::string const heading = "einkorn-profile 1\n";

bool is_refused(std::string const& text, std::string const& part) {
  File const file(text);
  return bool(throws<ParseError>([&] { (void)read_profile(file.path()); }, {part}));
}

TEST(MachineProfile, ReadsEveryMachine) {
  File const file(heading +
                  "# by hand\n\nmachine OpenMP, 2 at once, A processor\r\ncopy_bytes_per_second 2.5e10\n"
                  "stream_bytes_per_second 3e10\ngather_per_second 1e8\nlaunch_seconds 3e-06\n"
                  "machine B\nlaunch_seconds 1e-6\ncopy_bytes_per_second 1e12");

  auto const machines = read_profile(file.path());

  ASSERT_EQ(machines.size(), 2u);
  EXPECT_EQ(machines[0].machine, "OpenMP, 2 at once, A processor");
  EXPECT_EQ(machines[0].copy_bytes_per_second, 2.5e10);
  EXPECT_EQ(machines[0].stream_bytes_per_second, 3e10);
  EXPECT_EQ(machines[0].gather_per_second, 1e8);
  EXPECT_EQ(machines[0].launch_seconds, 3e-6);
  EXPECT_EQ(machines[1].copy_bytes_per_second, 1e12);
}

TEST(MachineProfile, MissingFileHasNoMachines) {
  EXPECT_TRUE(read_profile("/no/such/folder/profile").empty());
  EXPECT_TRUE(read_profile("").empty());
}

TEST(MachineProfile, MalformedFileIsAParseErrorWithTheLine) {
  std::string const machine = heading + "machine A\n";
  EXPECT_TRUE(is_refused("", "found an empty file"));
  EXPECT_TRUE(is_refused("{\"copy\": 1}\n", ":1: expected \"einkorn-profile 1\", found \"{"));
  EXPECT_TRUE(is_refused("einkorn-profile 2\n", "found \"einkorn-profile 2\""));
  EXPECT_TRUE(is_refused(heading + "launch_seconds 1\n", ":2: expected \"machine\" before"));
  EXPECT_TRUE(is_refused(machine + "speed 1\n", ":3: unknown key \"speed\""));
  EXPECT_TRUE(is_refused(machine + "launch_seconds\n", ":3: launch_seconds is \"\", expected a number"));
  EXPECT_TRUE(is_refused(machine + "launch_seconds fast\n", "launch_seconds is \"fast\""));
  EXPECT_TRUE(is_refused(machine + "launch_seconds 1e-6s\n", "\"1e-6s\""));
  EXPECT_TRUE(is_refused(machine + "launch_seconds 0\n", "expected a number more than 0"));
  EXPECT_TRUE(is_refused(machine + "launch_seconds -1\n", "expected a number more than 0"));
  EXPECT_TRUE(is_refused(machine + "launch_seconds nan\n", "expected a number more than 0"));
  EXPECT_TRUE(is_refused(machine + "launch_seconds inf\n", "expected a number more than 0"));
  EXPECT_TRUE(is_refused(machine + "launch_seconds 1\n", ":2: the machine has no copy_bytes_per_second"));
  EXPECT_TRUE(is_refused(machine + "launch_seconds 1\nmachine B\n", ":2: the machine has no"));
}

TEST(MachineProfile, FolderIsAnIoError) {
  EXPECT_TRUE(throws<IoError>([] { (void)read_profile("/"); }, {"/: cannot"}));
}

TEST(MachineProfile, PathIsReadFromTheEnvironment) {
  Variable const cache("XDG_CACHE_HOME", "/cache"), home("HOME", "/home/a");
  {
    Variable const profile("EINKORN_PROFILE", "/p");
    EXPECT_EQ(profile_path(), "/p");
  }
  {
    Variable const none("EINKORN_PROFILE", "");
    EXPECT_EQ(profile_path(), "");
  }
  Variable const unset("EINKORN_PROFILE", nullptr);
  EXPECT_EQ(profile_path(), "/cache/einkorn/profile");
  Variable const no_cache("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(profile_path(), "/home/a/.cache/einkorn/profile");
  Variable const no_home("HOME", nullptr);
  EXPECT_EQ(profile_path(), "");
}

TEST(MachineProfile, AppliesToItsOwnMachineOnly) {
  using Exec = EINKORN_TEST_SPACE;
  Exec const exec;
  auto const constants = machine_model(arch_of<Exec>, static_cast<int>(exec.concurrency()));

  auto const own = machine_model_of(exec, {{"another", 1, 1, 1, 1}, {machine_key(exec), 7e9, 1, 1, 5e-6}});
  auto const other = machine_model_of(exec, {{"another", 1, 1, 1, 1}});

  EXPECT_EQ(own.bytes_per_second, 7e9);
  EXPECT_EQ(own.launch_seconds, 5e-6);
  EXPECT_EQ(other.bytes_per_second, constants.bytes_per_second);
  EXPECT_EQ(other.launch_seconds, constants.launch_seconds);
  for (auto const& model : {own, other}) {
    EXPECT_EQ(model.threads, is_gpu<Exec> ? 1 : exec.concurrency());
    EXPECT_EQ(model.cache_bytes > 0, !is_gpu<Exec>);
  }
}

/// The estimate of CSR: a matrix of 1000 rows with 5 entries each.
double seconds_of_csr(Arch arch, MachineModel const& machine) {
  Structure s;
  s.num_rows = s.num_cols = 1000;
  s.nnz = 5000;
  s.mean_row_length = 5;
  s.longest_row = 5;
  return estimate_formats(s, arch, machine, 8, 8, 4, 4).front().seconds;
}

TEST(MachineProfile, ScalesTheEstimates) {
  auto const seconds = [](MachineModel const& machine) { return seconds_of_csr(Arch::cuda, machine); };

  EXPECT_DOUBLE_EQ(seconds({2e9, 0}), 2 * seconds({4e9, 0}));
  EXPECT_DOUBLE_EQ(seconds({2e9, 3e-6}) - seconds({2e9, 0}), 2 * 3e-6);
}

TEST(MachineProfile, HostsHaveThreadsAndCaches) {
  auto const seconds = [](MachineModel const& machine) { return seconds_of_csr(Arch::host, machine); };
  double const no_bytes = 1e30, bytes = 80004;  // 5000 entries of 12, 1001 offsets of 4, 2 vectors of 8000

  EXPECT_DOUBLE_EQ(seconds({no_bytes, 0, 1}), 8 * seconds({no_bytes, 0, 8}));
  double const core = seconds({no_bytes, 0, 1});
  EXPECT_GT(core, 0);
  EXPECT_NEAR(seconds({2e9, 0, 1, bytes - 1}) - core, bytes / 2e9, 1e-12);
  EXPECT_NEAR(seconds({2e9, 0, 1, bytes}) - core, bytes / 2e9 / host_cache_speed, 1e-12);
}

TEST(MachineProfile, BandwidthOfAHostGrowsWithItsThreads) {
  EXPECT_EQ(machine_model(Arch::host).bytes_per_second, 20e9);
  EXPECT_EQ(machine_model(Arch::host, 2).bytes_per_second, 20e9);
  EXPECT_LT(machine_model(Arch::host, 1).bytes_per_second, 20e9);
  double const of_64 = machine_model(Arch::host, 64).bytes_per_second;
  EXPECT_GT(of_64, 100e9);
  EXPECT_LT(of_64, 64 * 10e9);
}

}  // namespace
}  // namespace einkorn::test
