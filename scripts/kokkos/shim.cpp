// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// libkokkosshim.so: the three functions that Debian's Kokkos (GCC 16, glibc 2.43) takes from libraries newer
// than Debian 12's. shim.map gives them the versions that retarget.py asks for.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iostream>  // initialises the standard streams, which is all that ios_base_library_init is for
#include <string>

extern "C" {

// C23's strtol differs from the older one in reading "0b" prefixes only; Kokkos parses plain numbers.
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
