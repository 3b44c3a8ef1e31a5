# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# For check_consumers.sh, as CMAKE_PROJECT_Einkorn_INCLUDE: the target headers_alone compiles each header of the components
# alone, but after a precompiled Kokkos_Core.hpp: check_budgets.py checks that headers that use Kokkos include it.
# (all_verify_interface_header_sets of CMake would take four times as long.)
if(NOT TARGET einkorn)  # at the end of CMakeLists.txt
  cmake_language(EVAL CODE "cmake_language(DEFER CALL include [[${CMAKE_CURRENT_LIST_FILE}]])")
  return()
endif()
add_library(headers_alone OBJECT EXCLUDE_FROM_ALL)
foreach(component IN LISTS components)
  target_link_libraries(headers_alone PRIVATE Einkorn::${component})
  if(component STREQUAL "einkorn")
    set(headers ${einkorn_headers})
  else()
    set(headers ${einkorn_${component}_headers})
  endif()
  foreach(header IN LISTS headers)
    set(source ${PROJECT_BINARY_DIR}/headers_alone/${header}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include <einkorn/${header}>\n" @ONLY)
    target_sources(headers_alone PRIVATE ${source})
  endforeach()
endforeach()
target_compile_options(headers_alone PRIVATE "SHELL:-Xclang -fno-pch-timestamp")  # for ccache
target_precompile_headers(headers_alone PRIVATE <Kokkos_Core.hpp>)
