# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# einkorn.private_options: the compile options of the tests and benchmarks of Einkorn, not of its users.
include_guard(GLOBAL)

# No warnings inside of another project, where Kokkos may be part of the sources.
set(werror_default ON)
if(DEFINED Einkorn_IS_TOP_LEVEL)
  set(werror_default ${Einkorn_IS_TOP_LEVEL})
endif()
option(Einkorn_ENABLE_WERROR "Warnings in our own executables are errors" ${werror_default})
# The default is for programs that run on every CPU of the architecture, as in packages; scripts and presets, which build
# for this machine, use auto.
set(Einkorn_HOST_SIMD none CACHE STRING
    "x86 vector extension of our own executables: avx512, avx2, none (any x86-64 CPU) or auto (what this machine has)")
set_property(CACHE Einkorn_HOST_SIMD PROPERTY STRINGS auto avx512 avx2 none)

add_library(einkorn.private_options INTERFACE)

# nvcc adds line directives to the code for the host compiler, for which -Wpedantic warns.
set(warnings -Wall -Wextra -Wshadow -Wconversion)
if(NOT Kokkos_ENABLE_CUDA)
  list(APPEND warnings -Wpedantic)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND warnings -Wno-restrict)  # GCC bug 105651: a false alarm in std::string
endif()
if(Einkorn_ENABLE_WERROR)
  list(APPEND warnings -Werror)
endif()
target_compile_options(einkorn.private_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${warnings}>)

# g++ frees memory during a compilation only beyond 1 GiB: 6 % less compile time, up to 1.4 times the memory.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT Kokkos_ENABLE_CUDA)
  target_compile_options(einkorn.private_options INTERFACE --param=ggc-min-heapsize=1048576)
endif()

# The vector extension: the value of the option, or for auto that of the CPU of this machine.
function(einkorn_host_simd result)
  set(simd ${Einkorn_HOST_SIMD})
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(simd none)
  elseif(simd STREQUAL "auto")
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_FLAGS -march=native)
    check_cxx_source_compiles("#ifndef __AVX512DQ__\n#error\n#endif\nint main() {}" Einkorn_BUILD_HOST_HAS_AVX512)
    check_cxx_source_compiles("#ifndef __AVX2__\n#error\n#endif\nint main() {}" Einkorn_BUILD_HOST_HAS_AVX2)
    if(Einkorn_BUILD_HOST_HAS_AVX512)
      set(simd avx512)
    elseif(Einkorn_BUILD_HOST_HAS_AVX2)
      set(simd avx2)
    else()
      set(simd none)
    endif()
  elseif(NOT simd MATCHES "^(avx512|avx2|none)$")
    message(FATAL_ERROR "Einkorn_HOST_SIMD is ${simd}; expected auto, avx512, avx2 or none")
  endif()
  set(${result} ${simd} PARENT_SCOPE)
endfunction()

# A Kokkos built for a specific CPU defines KOKKOS_ARCH_* and adds the flags; that of a distribution does not.
function(einkorn_kokkos_cpu result)
  get_target_property(directories Kokkos::kokkoscore INTERFACE_INCLUDE_DIRECTORIES)
  find_file(config KokkosCore_config.h HINTS ${directories} ${Kokkos_BINARY_DIR} NO_CACHE NO_DEFAULT_PATH)
  set(macros "")
  if(config)
    file(STRINGS ${config} macros REGEX "^#define KOKKOS_ARCH_(AVX2|AVX512XEON)")
  endif()
  set(${result} "${macros}" PARENT_SCOPE)
endfunction()

einkorn_host_simd(simd)
einkorn_kokkos_cpu(kokkos_cpu)
if(kokkos_cpu)
  set(simd "as Kokkos was built")
elseif(simd STREQUAL "avx512")
  set(flags -march=x86-64-v4 -mprefer-vector-width=512)
elseif(simd STREQUAL "avx2")
  set(flags -march=x86-64-v3)
else()
  set(flags "")
endif()
target_compile_options(einkorn.private_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${flags}>)
set(note "")
if(simd STREQUAL "none" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(note ", for any x86-64 CPU; -DEinkorn_HOST_SIMD=avx2, avx512 or auto (this machine's) for faster ones")
endif()
message(STATUS "Einkorn's own programs: host SIMD ${simd}${note}")
