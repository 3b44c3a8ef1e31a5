// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/output.hpp"
#include "support/calibrate.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace einkorn::perf {

std::string profile_text(std::vector<MachineProfile> known, MachineProfile const& measured) {
  auto const same = std::find_if(known.begin(), known.end(),
                                 [&](auto const& machine) { return machine.machine == measured.machine; });
  if (same == known.end())
    known.push_back(measured);
  else
    *same = measured;
  std::string all = "einkorn-profile 1\n# einkorn-bench --calibrate; read by select()\n";
  for (auto const& machine : known) {
    all += "machine " + machine.machine + '\n';
    auto const add = [&](char const* key, double value) {
      if (value > 0) all += text("%s %.6g\n", key, value);
    };
    add("copy_bytes_per_second", machine.copy_bytes_per_second);
    add("stream_bytes_per_second", machine.stream_bytes_per_second);
    add("gather_per_second", machine.gather_per_second);
    add("launch_seconds", machine.launch_seconds);
  }
  return all;
}

void write_profile(std::string const& path, MachineProfile const& measured) {
  auto const all = profile_text(read_profile(path), measured);
  auto const folder = std::filesystem::path(path).parent_path();
  std::error_code none;
  if (!folder.empty()) std::filesystem::create_directories(folder, none);
  program::write_text_file(path, all);
}

}  // namespace einkorn::perf
