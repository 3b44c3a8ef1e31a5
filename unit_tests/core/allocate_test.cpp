// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// allocate(): huge pages on the host, labels, lifetime; the texts of errors.

#include "../support/battery.hpp"

#include <einkorn/core/allocate.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>

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

// Views of all types are made from one instantiation of Kokkos' allocation, where Kokkos allows it.
TEST(Allocate, ViewsHaveTheirLabelExtentAndMemoryUntilTheLastCopy) {
  Kokkos::View<double const*, Device> copy;
  {
    auto const view =
        allocate<Kokkos::View<double*, Device>>(Space(), "einkorn::test::entries", std::size_t(1000));
    EXPECT_EQ(view.label(), "einkorn::test::entries");
    EXPECT_EQ(view.extent(0), 1000u);
    EXPECT_EQ(view.use_count(), 1);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.data()) % alignof(double), 0u);
    Kokkos::deep_copy(view, 3.0);
    copy = view;
    EXPECT_EQ(copy.use_count(), 2);
  }
  EXPECT_EQ(copy.use_count(), 1);
  auto const host = allocate_on_host("einkorn::test::mirror", copy);
  EXPECT_NE(static_cast<void const*>(host.data()), static_cast<void const*>(copy.data()));
  Kokkos::deep_copy(host, copy);
  EXPECT_EQ(host(0) + host(999), 6.0);
  auto const empty = allocate<Kokkos::View<int*, Device>>(Space(), "einkorn::test::empty", 0);
  EXPECT_EQ(empty.extent(0), 0u);
}

TEST(ErrorText, JoinsTextsAndIntegersOfAllRanges) {
  std::string const text = "b";
  EXPECT_EQ(detail::joined("a", text, std::string_view("c\0d", 3), 0, -5, 7u),
            "abc" + std::string("\0", 1) + "d0-57");
  EXPECT_EQ(
      detail::joined(std::numeric_limits<std::int64_t>::min(), " ", std::numeric_limits<std::uint64_t>::max()),
      "-9223372036854775808 18446744073709551615");
}

}  // namespace
}  // namespace einkorn::test
