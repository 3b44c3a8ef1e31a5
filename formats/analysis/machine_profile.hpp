// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/analysis/machine_model.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace einkorn {

/// What was measured of one machine (einkorn-bench --calibrate). select() takes the copy and the launch from
/// it; the others say what the machine is.
struct MachineProfile {
  std::string machine;                 ///< machine_key() of the space that was measured
  double copy_bytes_per_second = 0;    ///< half of them read, half written
  double stream_bytes_per_second = 0;  ///< nine reads to a write
  double gather_per_second = 0;        ///< random reads of a vector beyond the caches
  double launch_seconds = 0;           ///< that one kernel more costs
};

namespace detail {

/// Each line of a text file, without its end. Returns false where there is no such file. Throws IoError where
/// it cannot be read.
template <class Take>
bool each_line(std::string const& path, Take const& take) {
  errno = 0;
  std::FILE* const file = std::fopen(path.c_str(), "r");
  if (file == nullptr && (errno == ENOENT || errno == ENOTDIR)) return false;
  auto const reason = [] { return std::error_code(errno, std::generic_category()).message(); };
  require<IoError>(file != nullptr, [&] { return path + ": cannot open: " + reason(); });
  std::string text;
  char part[512];
  while (std::size_t const count = std::fread(part, 1, sizeof part, file)) text.append(part, count);
  bool const failed = std::ferror(file) != 0;
  auto const why = failed ? reason() : std::string();
  std::fclose(file);
  require<IoError>(!failed, [&] { return path + ": cannot read: " + why; });
  for (std::size_t begin = 0, number = 1; begin < text.size(); ++number) {
    auto const end = std::min(text.find('\n', begin), text.size());
    take(number, std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  return true;
}

/// The processor, as Linux names it; empty elsewhere.
inline std::string cpu_model() {
  std::string model;
  auto const take = [&](std::size_t, std::string_view line) {
    auto const colon = line.find(": ");
    if (model.empty() && line.substr(0, 10) == "model name" && colon != line.npos)
      model = line.substr(colon + 2);
  };
  try {
    each_line("/proc/cpuinfo", take);
  } catch (IoError const&) {
  }
  return model;
}

}  // namespace detail

/// The name under which a profile knows an execution space on this machine: its backend, how many threads it
/// runs at once, and of a host the processor.
template <class Exec>
std::string machine_key(Exec const& exec) {
  auto key = std::string(Exec::name()) + ", " + std::to_string(exec.concurrency()) + " at once";
  static std::string const model = is_gpu<Exec> ? std::string() : detail::cpu_model();
  return model.empty() ? key : key + ", " + model;
}

/// Where the profile is: $EINKORN_PROFILE (empty: nowhere, that is, no profile), or einkorn/profile in
/// $XDG_CACHE_HOME, or in ~/.cache.
inline std::string profile_path() {
  auto const value = [](char const* name) {
    char const* const found = std::getenv(name);
    return std::string(found ? found : "");
  };
  if (std::getenv("EINKORN_PROFILE") != nullptr) return value("EINKORN_PROFILE");
  auto const cache = value("XDG_CACHE_HOME"), home = value("HOME");
  if (!cache.empty()) return cache + "/einkorn/profile";
  return home.empty() ? "" : home + "/.cache/einkorn/profile";
}

/// The machines of a profile. Its first line is "einkorn-profile 1"; then "key value" lines, where "machine"
/// begins a machine and the others are the members of MachineProfile; blank lines and those that begin with #
/// count for nothing. Of a file that does not exist: none. Throws ParseError (with the line), IoError.
inline std::vector<MachineProfile> read_profile(std::string const& path) {
  std::vector<MachineProfile> machines;
  std::size_t begun = 0;  // the line of the last machine
  bool has_heading = false;
  auto const fail = [&](std::size_t line, std::string const& reason) { throw ParseError(path, line, reason); };
  auto const finish = [&] {
    if (machines.empty()) return;
    auto const& last = machines.back();
    if (last.copy_bytes_per_second == 0 || last.launch_seconds == 0)
      fail(begun, "the machine has no copy_bytes_per_second or no launch_seconds; expected both");
  };
  auto const take = [&](std::size_t line, std::string_view text) {
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    if (text.empty() || text.front() == '#') return;
    auto const space = text.find(' ');
    auto const key = text.substr(0, space);
    auto const value = space == text.npos ? std::string_view() : text.substr(space + 1);
    if (!has_heading && text != "einkorn-profile 1")
      fail(line, "expected \"einkorn-profile 1\", found \"" + std::string(text.substr(0, 40)) + '"');
    if (!has_heading) return void(has_heading = true);
    if (key == "machine") {
      finish();
      begun = line;
      machines.push_back({std::string(value), 0, 0, 0, 0});
      return;
    }
    if (machines.empty()) fail(line, "expected \"machine\" before \"" + std::string(key) + '"');
    auto& machine = machines.back();
    double* const member = key == "copy_bytes_per_second"     ? &machine.copy_bytes_per_second
                           : key == "stream_bytes_per_second" ? &machine.stream_bytes_per_second
                           : key == "gather_per_second"       ? &machine.gather_per_second
                           : key == "launch_seconds"          ? &machine.launch_seconds
                                                              : nullptr;
    if (member == nullptr) fail(line, "unknown key \"" + std::string(key) + '"');
    auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), *member);
    bool const is_number = error == std::errc() && end == value.data() + value.size();
    if (!is_number || !std::isfinite(*member) || *member <= 0)
      fail(line, std::string(key) + " is \"" + std::string(value) + "\", expected a number more than 0");
  };
  if (!detail::each_line(path, take)) return {};
  if (!has_heading) fail(1, "expected \"einkorn-profile 1\", found an empty file");
  finish();
  return machines;
}

/// What the model knows of the machine of exec: its profile where there is one, else the constants of its
/// architecture. The file is read once a process, at the first call that finds it well-formed. Throws as
/// read_profile().
template <class Exec>
MachineModel machine_model_of(Exec const& exec, std::vector<MachineProfile> const& profile) {
  auto const key = machine_key(exec);
  for (auto const& machine : profile)
    if (machine.machine == key) return {machine.copy_bytes_per_second, machine.launch_seconds};
  return machine_model(arch_of<Exec>);
}

template <class Exec>
MachineModel machine_model_of(Exec const& exec) {
  static std::vector<MachineProfile> const profile = read_profile(profile_path());
  return machine_model_of(exec, profile);
}

}  // namespace einkorn
