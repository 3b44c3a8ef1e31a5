// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// libkokkosshim.so: the three functions that Kokkos of newer Debian suites (GCC 16, glibc 2.43) needs and Debian
// 12 lacks. shim.map defines the symbol versions that retarget.py writes.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iostream>  // initializes the standard streams, the only purpose of ios_base_library_init
#include <string>

extern "C" {

// strtol of C23 only differs by "0b" prefixes; Kokkos parses plain numbers.
long __isoc23_strtol(char const* text, char** end, int base) {
  return std::strtol(text, end, base);
}

void shim_ios_init() asm("_ZSt21ios_base_library_initv");
void shim_ios_init() {}

// std::string::_M_replace_cold: the branch of replace() whose source may lie inside the string itself.
void shim_replace(
    void*, char* position, std::size_t old_length, char const* source, std::size_t new_length,
    std::size_t tail) asm("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE15_M_replace_coldEPcmPKcmm");
void shim_replace(void*, char* position, std::size_t old_length, char const* source, std::size_t new_length,
                  std::size_t tail) {
  std::string const copy(source, new_length);
  if (tail && old_length != new_length) std::memmove(position + new_length, position + old_length, tail);
  std::memcpy(position, copy.data(), new_length);
}
}
