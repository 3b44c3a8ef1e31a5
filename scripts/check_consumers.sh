#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# check_consumers.sh     every public header alone, under all warnings; then Einkorn installed and used by a program
#                        that finds the package, and by one that takes the sources (add_subdirectory, FetchContent)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

need_build_packages
use_kokkos
build=$repo/build/consumers
prefix=$build/prefix

configure "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_INSTALL_PREFIX="$prefix" \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror" \
  -DEinkorn_ENABLE_TESTS=OFF -DEinkorn_ENABLE_PERF_TESTS=OFF -DEinkorn_ENABLE_TOOLS=OFF -DEinkorn_ENABLE_EXAMPLES=OFF
build "$build" all_verify_interface_header_sets
rm -rf "$prefix"
cmake --install "$build" >"$build/install.log" || die "the installation failed: see $build/install.log"

# consumer NAME SOURCE [CMAKE ARGUMENT...]: configures and builds it
consumer() {
  local name=$1 source=$2; shift 2
  say "consumer: $name"
  rm -rf "${build:?}/$name"
  { cmake -S "$repo/$source" -B "$build/$name" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
      "-DCMAKE_PREFIX_PATH=$prefix;$kokkos_root" "$@" && ninja -C "$build/$name"; } >"$build/$name.log" 2>&1 ||
    { tail -n 30 "$build/$name.log" >&2; die "the consumer $name does not build: see $build/$name.log"; }
}
# run NAME PROGRAM [ARGUMENT...]
run() {
  local name=$1 program=$2; shift 2
  OMP_PROC_BIND=false "$build/$name/$program" "$@" >&2 || die "the consumer $name gives a wrong result"
}
consumer as_package unit_tests/install/as_package
run as_package consumer
consumer as_subdirectory unit_tests/install/as_subdirectory
run as_subdirectory consumer
consumer as_fetch_content unit_tests/install/as_subdirectory -DEINKORN_BY_FETCH_CONTENT=ON
run as_fetch_content consumer
consumer example_solve examples/solve
run example_solve einkorn.example.solve 1000
consumer example_spmv examples/spmv
run example_spmv einkorn.example.spmv "$repo/examples/data/1138_bus.mtx.gz"

say "consumer: a component that is not there"
if cmake -S "$repo/unit_tests/install/as_package" -B "$build/missing" -G Ninja \
  "-DCMAKE_PREFIX_PATH=$prefix;$kokkos_root" -DEINKORN_COMPONENTS=no_such_thing >"$build/missing.log" 2>&1; then
  die "find_package(Einkorn COMPONENTS no_such_thing) succeeded"
fi
grep -q "Einkorn component 'no_such_thing'" "$build/missing.log" ||
  die "find_package does not name the missing component: see $build/missing.log"
say "consumers: all well"
