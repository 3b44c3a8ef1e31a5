// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/function_ref.hpp>
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
#include <thread>
#include <vector>

namespace einkorn {

/// The measured parameters of one machine (einkorn-bench --calibrate). select() reads copy_bytes_per_second and
/// launch_seconds; the others are for information.
struct MachineProfile {
  std::string machine;                 ///< machine_key() of the measured execution space
  double copy_bytes_per_second = 0;    ///< half read, half written
  double stream_bytes_per_second = 0;  ///< nine reads per write
  double gather_per_second = 0;        ///< random reads of a vector that exceeds the caches
  double launch_seconds = 0;           ///< additional time per kernel launch
};

namespace detail {

/// body(line number, line) for each line of a text file. Returns false if there is no such file.
/// @throws IoError if the file cannot be read
inline bool for_each_line(std::string const& path, FunctionRef<void(std::size_t, std::string_view)> body) {
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
    body(number, std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  return true;
}

/// Bytes of all last-level caches of the CPU, which belong to sockets or to core complexes, as Linux lists them. Each is
/// counted once. 32 MiB if Linux lists none.
inline double host_cache_bytes() {
  std::vector<std::string> seen;  // the CPUs that share a cache
  double bytes = 0;
  for (unsigned cpu = 0; cpu < std::thread::hardware_concurrency(); ++cpu) {
    auto const first_line = [cpu](char const* name) {
      std::string text;
      try {
        for_each_line(detail::joined("/sys/devices/system/cpu/cpu", cpu, "/cache/index3/", name),
                      [&](std::size_t number, std::string_view line) {
                        if (number == 1) text = line;
                      });
      } catch (IoError const&) {
      }
      return text;
    };
    auto const size = first_line("size");  // "32768K" or "32M"
    auto const sharing = first_line("shared_cpu_list");
    if (size.empty() || std::find(seen.begin(), seen.end(), sharing) != seen.end()) continue;
    seen.push_back(sharing);
    bytes += std::strtod(size.c_str(), nullptr) * (size.back() == 'M' ? 1048576.0 : 1024.0);
  }
  return bytes > 0 ? bytes : 32.0 * 1048576.0;
}

/// The processor name of /proc/cpuinfo; empty if there is none.
inline std::string cpu_model() {
  std::string model;
  auto const read_model = [&](std::size_t, std::string_view line) {
    auto const colon = line.find(": ");
    if (model.empty() && line.substr(0, 10) == "model name" && colon != line.npos)
      model = line.substr(colon + 2);
  };
  try {
    for_each_line("/proc/cpuinfo", read_model);
  } catch (IoError const&) {
  }
  return model;
}

}  // namespace detail

/// The name of an execution space of this machine in a profile: backend, concurrency, and, for a host, the
/// processor.
template <class Exec>
std::string machine_key(Exec const& exec) {
  auto key = detail::joined(Exec::name(), ", ", exec.concurrency(), " at once");
  static std::string const model = is_gpu<Exec> ? std::string() : detail::cpu_model();
  return model.empty() ? key : key + ", " + model;
}

/// The path of the profile: $EINKORN_PROFILE (empty: no profile), else einkorn/profile in $XDG_CACHE_HOME, else
/// in ~/.cache.
inline std::string profile_path() {
  auto const value = [](char const* name) {
    char const* const text = std::getenv(name);
    return std::string(text ? text : "");
  };
  if (std::getenv("EINKORN_PROFILE") != nullptr) return value("EINKORN_PROFILE");
  auto const cache = value("XDG_CACHE_HOME"), home = value("HOME");
  if (!cache.empty()) return cache + "/einkorn/profile";
  return home.empty() ? "" : home + "/.cache/einkorn/profile";
}

/// The machines of a profile; none if the file does not exist.
///
/// The first line is "einkorn-profile 1". The following lines are "key value": "machine" begins a machine, the
/// other keys are members of MachineProfile. Blank lines and lines that begin with # are ignored.
///
/// @throws ParseError (with the line number), IoError
inline std::vector<MachineProfile> read_profile(std::string const& path) {
  std::vector<MachineProfile> machines;
  std::size_t machine_line = 0;  // line of the last "machine"
  bool has_heading = false;
  auto const fail = [&](std::size_t line, std::string const& reason) { throw ParseError(path, line, reason); };
  auto const check_machine = [&] {
    if (machines.empty()) return;
    auto const& last = machines.back();
    if (last.copy_bytes_per_second == 0 || last.launch_seconds == 0)
      fail(machine_line, "the machine has no copy_bytes_per_second or no launch_seconds; expected both");
  };
  auto const parse_line = [&](std::size_t line, std::string_view text) {
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    if (text.empty() || text.front() == '#') return;
    auto const space = text.find(' ');
    auto const key = text.substr(0, space);
    auto const value = space == text.npos ? std::string_view() : text.substr(space + 1);
    if (!has_heading && text != "einkorn-profile 1")
      fail(line, detail::joined("expected \"einkorn-profile 1\", found \"", text.substr(0, 40), "\""));
    if (!has_heading) return void(has_heading = true);
    if (key == "machine") {
      check_machine();
      machine_line = line;
      machines.push_back({std::string(value), 0, 0, 0, 0});
      return;
    }
    if (machines.empty()) fail(line, detail::joined("expected \"machine\" before \"", key, "\""));
    auto& machine = machines.back();
    double* const member = key == "copy_bytes_per_second"     ? &machine.copy_bytes_per_second
                           : key == "stream_bytes_per_second" ? &machine.stream_bytes_per_second
                           : key == "gather_per_second"       ? &machine.gather_per_second
                           : key == "launch_seconds"          ? &machine.launch_seconds
                                                              : nullptr;
    if (member == nullptr) fail(line, detail::joined("unknown key \"", key, "\""));
    auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), *member);
    bool const is_number = error == std::errc() && end == value.data() + value.size();
    if (!is_number || !std::isfinite(*member) || *member <= 0)
      fail(line, detail::joined(key, " is \"", value, "\", expected a number more than 0"));
  };
  if (!detail::for_each_line(path, parse_line)) return {};
  if (!has_heading) fail(1, "expected \"einkorn-profile 1\", found an empty file");
  check_machine();
  return machines;
}

/// The machine parameters for exec: those of `profile` if it contains machine_key(exec), else the constants of
/// the architecture.
template <class Exec>
MachineModel machine_model_of(Exec const& exec, std::vector<MachineProfile> const& profile) {
  auto model = machine_model(arch_of<Exec>, static_cast<int>(exec.concurrency()));
  if constexpr (!is_gpu<Exec>) {
    static double const cache_bytes = detail::host_cache_bytes();
    model.cache_bytes = cache_bytes;
  }
  auto const key = machine_key(exec);
  for (auto const& machine : profile) {
    if (machine.machine != key) continue;
    model.bytes_per_second = machine.copy_bytes_per_second;
    model.launch_seconds = machine.launch_seconds;
  }
  return model;
}

/// The same with the profile in profile_path(). The file is read once per process, by the first call that
/// succeeds.
/// @throws ParseError, IoError
template <class Exec>
MachineModel machine_model_of(Exec const& exec) {
  static std::vector<MachineProfile> const profile = read_profile(profile_path());
  return machine_model_of(exec, profile);
}

}  // namespace einkorn
