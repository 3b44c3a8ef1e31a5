# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# For projects that use Einkorn, installed or as a subdirectory: warns if the build type is empty, because CMake then passes
# no optimization option and the kernels are compiled at -O0.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND NOT CMAKE_CXX_FLAGS MATCHES "(^| )[-/]O" AND NOT Einkorn_FIND_QUIETLY)
  message(NOTICE "Einkorn: CMAKE_BUILD_TYPE is empty, so kernels are compiled without optimisation; set "
                 "-DCMAKE_BUILD_TYPE=Release")
endif()
