#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# kernels_headers.sh DEB PREFIX OPENMP|SERIAL|HIP|CUDA
#
# Header-only Kokkos Kernels: libtrilinos-kokkos-kernels-dev of Debian without its library, so that every kernel is
# instantiated where it is called. Removes the lists of kernels that the library contains for the Serial backend.
set -euo pipefail
deb=$1 prefix=$2 backend=$3
include=$prefix/include/kokkos-kernels
package=$prefix/lib/cmake/KokkosKernels
config=$include/KokkosKernels_config.h

unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
dpkg -x "$deb" "$unpacked"
rm -rf "$include"
mkdir -p "$include" "$package"
cp -r "$unpacked/usr/include/trilinos/." "$include/"
for list in "$include"/generated_specializations_hpp/*.hpp; do : >"$list"; done

sed -i -E "s/^#define KOKKOSKERNELS_INST_EXECSPACE_SERIAL$/#define KOKKOSKERNELS_INST_EXECSPACE_$backend/
  s,^#define (KOKKOSKERNELS_(ENABLE_TPL_BLAS|ENABLE_TPL_LAPACK|TPL_BLAS_RETURN_COMPLEX|TEST_ETI_ONLY|ENABLE_SUPERNODAL_SPTRSV))\$,/* #undef \1 */," "$config"
case $backend in
  HIP | CUDA) sed -i -E "s,^/\* #undef (KOKKOSKERNELS_INST_MEMSPACE_${backend}SPACE) \*/,#define \1," "$config" ;;
esac
grep -q "^#define KOKKOSKERNELS_INST_EXECSPACE_$backend$" "$config" ||
  { echo "kernels_headers.sh: $config has an unknown form: set Kokkos_ROOT and KokkosKernels_ROOT" >&2; exit 1; }

version=$(awk '$2 ~ /^KOKKOSKERNELS_VERSION_(MAJOR|MINOR|PATCH)$/ {printf "%s%s", dot, $3; dot = "."}' "$config")
cat >"$package/KokkosKernelsConfig.cmake" <<'CMAKE'
include(CMakeFindDependencyMacro)
find_dependency(Kokkos)
if(NOT TARGET Kokkos::kokkoskernels)
  add_library(Kokkos::kokkoskernels INTERFACE IMPORTED)
  set_target_properties(Kokkos::kokkoskernels PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_LIST_DIR}/../../../include/kokkos-kernels"
    INTERFACE_LINK_LIBRARIES Kokkos::kokkos)
endif()
CMAKE
cat >"$package/KokkosKernelsConfigVersion.cmake" <<CMAKE
set(PACKAGE_VERSION $version)
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
CMAKE
