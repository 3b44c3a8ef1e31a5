# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# cpack -G TGZ and cpack -G DEB of the component einkorn: the headers, the CMake package, the files of pkg-config, and the
# programs that were built. The archive may be unpacked anywhere; the package of Debian installs below /usr.
include_guard(GLOBAL)

file(STRINGS ${PROJECT_SOURCE_DIR}/CITATION.cff authors REGEX "^  - name: ")
list(TRANSFORM authors REPLACE "^  - name: " "")
list(JOIN authors ", " authors)
set(built_for "")  # headers are for every architecture
if(Einkorn_ENABLE_COMPILED OR Einkorn_ENABLE_TOOLS OR Einkorn_ENABLE_PERF_TESTS)
  set(built_for -${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
else()
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
endif()

set(CPACK_GENERATOR TGZ)
set(CPACK_INSTALL_CMAKE_PROJECTS ${PROJECT_BINARY_DIR} Einkorn einkorn /)
set(CPACK_PACKAGE_NAME einkorn)
set(CPACK_PACKAGE_VENDOR ${authors})
set(CPACK_PACKAGE_CONTACT ${authors})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_FILE_NAME einkorn-${PROJECT_VERSION}${built_for})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

# Kokkos is often not a package of Debian, so that it cannot be a dependency.
set(CPACK_DEBIAN_PACKAGE_NAME libeinkorn-dev)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libkokkos-dev (>= 4.6)")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS mpi-default-dev)
if(TARGET Einkorn::io)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS zlib1g-dev)
endif()
include(CPack)
