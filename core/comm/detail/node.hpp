// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <array>
#include <fstream>
#include <string>
#include <unistd.h>

namespace einkorn::detail {

/// Identifies the node of this process: its boot id and the host name.
inline std::array<char, 128> node_name() {
  std::array<char, 64> host{};
  gethostname(host.data(), host.size() - 1);
  std::string boot;  // two nodes may have one host name
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::array<char, 128> name{};
  (std::string(host.data()) + " " + boot).copy(name.data(), name.size() - 1);
  return name;
}

}  // namespace einkorn::detail
