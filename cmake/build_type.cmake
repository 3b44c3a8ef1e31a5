# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# Included by a project that uses Einkorn, installed or as a subdirectory: without a build type CMake passes no
# optimisation option, and the kernels of a header-only library are then compiled at -O0.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND NOT CMAKE_CXX_FLAGS MATCHES "(^| )[-/]O" AND NOT Einkorn_FIND_QUIETLY)
  message(NOTICE "Einkorn: CMAKE_BUILD_TYPE is empty, so kernels are compiled without optimisation; set "
                 "-DCMAKE_BUILD_TYPE=Release")
endif()
