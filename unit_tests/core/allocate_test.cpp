// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// allocate(): huge pages on the host.

#include "../support/battery.hpp"

#include <einkorn/core/allocate.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace einkorn::test {
namespace {

/// The flags of the mapping of this process that contains the address, as /proc/self/smaps lists them.
std::string flags_of_mapping(void const* memory) {
  auto const address = reinterpret_cast<std::uintptr_t>(memory);
  std::ifstream file("/proc/self/smaps");
  bool is_in_mapping = false;
  for (std::string line; std::getline(file, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream range(line);
    if (range >> std::hex >> begin >> dash >> end && dash == '-')
      is_in_mapping = begin <= address && address < end;
    if (is_in_mapping && line.starts_with("VmFlags:")) return line + ' ';
  }
  return "";
}

TEST(Allocate, RequestsHugePagesForLargeArraysOfTheHost) {
  if constexpr (is_gpu<Space>) GTEST_SKIP() << "memory of a device";
  std::string setting;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), setting);
  if (setting.find("[madvise]") == std::string::npos)
    GTEST_SKIP() << "huge pages are not on request (madvise) on this system";
  std::size_t const size = 2 * large_page_bytes;
  auto const large = allocate<Kokkos::View<char*, Device>>(Space(), "large", size);
  EXPECT_NE(flags_of_mapping(large.data() + size / 2).find(" hg "), std::string::npos);
  auto const zeros = allocate_zeros<Kokkos::View<int*, Device>>(Space(), "zeros", size / sizeof(int));
  EXPECT_NE(flags_of_mapping(zeros.data() + zeros.size() / 2).find(" hg "), std::string::npos);
}

}  // namespace
}  // namespace einkorn::test
