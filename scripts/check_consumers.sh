#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# check_consumers.sh     every header alone, under all warnings of clang++; then Einkorn installed with its programs, and
#                        used by programs that find the package (CMake, pkg-config) and that take the sources
#                        (add_subdirectory, FetchContent), by the lines that README.md shows
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

need_build_packages
need_packages clang libomp-dev
command -v pkg-config >/dev/null || need_packages pkgconf
use_kokkos
build=$repo/build/consumers
prefix=$build/prefix

# clang++ reads from a precompiled header only what is used, and takes half the time of g++. The tests have the warnings of g++.
configure "$build/headers" -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= \
  -DCMAKE_PROJECT_Einkorn_INCLUDE="$repo/scripts/lib/headers_alone.cmake" \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror" \
  -DEinkorn_ENABLE_COMPILED=OFF -DEinkorn_ENABLE_TESTS=OFF -DEinkorn_ENABLE_PERF_TESTS=OFF -DEinkorn_ENABLE_TOOLS=OFF \
  -DEinkorn_ENABLE_EXAMPLES=OFF
build "$build/headers" headers_alone

# The programs are from the build folder of the tests and the demo, where they usually exist already.
programs=$repo/build/release
configure "$programs"
build "$programs" einkorn-bench einkorn-bench-full einkorn-solve einkorn-solve-ranks
rm -rf "$prefix"
cmake --install "$programs" --prefix "$prefix" --component einkorn >"$build/install.log" 2>&1 ||
  die "the installation failed: see $build/install.log"

say "the installation"
for program in einkorn-bench einkorn-bench-full einkorn-solve; do
  env -i "$prefix/bin/$program" --help >"$build/$program.help" 2>&1 || die "the installed $program does not start: see $build/$program.help"
  grep -qF -- '\-\-help' "$prefix/share/man/man1/$program.1" || die "$program has no manual page"
done
[ -n "$(find "$prefix/share/doc" -name LICENSE)" ] || die "LICENSE is not installed"

say "README.md's configuration, and without zlib"
configuration=$(sed -n '/^## Install and link/,/^## /s/^cmake -S \. -B build //p' "$repo/README.md")
[ -n "$configuration" ] || die "README.md, Install and link, has no line that begins with cmake -S . -B build"
# readme_configuration NAME ARGUMENT MESSAGE...: configures with an additional argument and checks the messages
readme_configuration() {
  local name=$1 argument=$2 message; shift 2
  rm -rf "${build:?}/$name"
  (cd "$repo" && Kokkos_ROOT=$kokkos_root bash -c "cmake -S . -B '$build/$name' -G Ninja $argument $configuration") \
    >"$build/$name.log" 2>&1 || { tail -n 20 "$build/$name.log" >&2; die "README.md's configuration fails: see $build/$name.log"; }
  for message; do
    grep -q "$message" "$build/$name.log" || die "the configuration does not say \"$message\": see $build/$name.log"
  done
}
readme_configuration with_zlib "" "host SIMD none"
readme_configuration without_zlib -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON \
  "Einkorn::io: skipped" "einkorn-bench: skipped" "einkorn-solve: skipped"

# consumer NAME SOURCE [CMAKE ARGUMENT...]: configures and builds it. SOURCE: relative to the repository, or absolute
consumer() {
  local name=$1 source=$2; shift 2
  say "consumer: $name"
  rm -rf "${build:?}/$name"
  { (cd "$repo" && cmake -S "$source" -B "$build/$name" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
      "-DCMAKE_PREFIX_PATH=$prefix;$kokkos_root" "$@") && ninja -C "$build/$name"; } >"$build/$name.log" 2>&1 ||
    { tail -n 30 "$build/$name.log" >&2; die "the consumer $name does not build: see $build/$name.log"; }
}
# run NAME PROGRAM [ARGUMENT...]
run() {
  local name=$1 program=$2; shift 2
  OMP_PROC_BIND=false "$build/$name/$program" "$@" >&2 || die "the consumer $name gives a wrong result"
}
# readme NAME PATTERN: a project in $build/NAME.source of the CMake lines of README.md that match
readme() {
  local source=$build/$1.source lines
  lines=$(awk '/^```cmake$/ { shown = 1; next } /^```$/ { shown = 0 } shown' "$repo/README.md")
  grep -qE "$2" <<<"$lines" || die "README.md has no CMake line $2"
  mkdir -p "$source"
  {
    echo "cmake_minimum_required(VERSION 3.23)"
    echo "project(Consumer LANGUAGES CXX)"
    grep -E "$2" <<<"$lines"
    echo "add_executable(app \"$repo/unit_tests/install/consumer.cpp\")"
    grep '^target_link_libraries(app ' <<<"$lines"
  } >"$source/CMakeLists.txt"
}
# Built in the background, run when all are built.
readme as_package '^find_package'
background consumer as_package "$build/as_package.source"
readme as_subdirectory '^add_subdirectory'
ln -sfn "$repo" "$build/as_subdirectory.source/einkorn"
background consumer as_subdirectory "$build/as_subdirectory.source"
# A clone with branch main, including uncommitted changes.
rm -rf "$build/clone.git"
git clone --quiet --bare --shared "$repo" "$build/clone.git"
commit=$(git -C "$repo" -c user.name=check -c user.email=check@localhost stash create)
git -C "$build/clone.git" update-ref refs/heads/main "${commit:-$(git -C "$repo" rev-parse HEAD)}"
readme as_fetch_content '^include\(FetchContent\)|^FetchContent_'
background consumer as_fetch_content "$build/as_fetch_content.source" "-Durl=$build/clone.git"
background consumer example_solve examples/solve
background consumer example_spmv examples/spmv
public_headers >"$build/headers.hpp"
background consumer linkage unit_tests/install/linkage "-DHEADERS=$build/headers.hpp"
background consumer as_compiled unit_tests/install/compiled
background consumer as_mpi unit_tests/install/mpi
wait_for_all || die "a consumer does not build: see its message above"

for name in as_package as_subdirectory as_fetch_content linkage as_compiled; do run $name app; done
run example_solve einkorn.example.solve 1000
run example_spmv einkorn.example.spmv "$repo/examples/data/1138_bus.mtx.gz"
# linkage: all public headers of Einkorn::einkorn in three source files; no symbol of Einkorn is defined strongly in one of them.
for object in app.dir/main app.dir/second part.dir/part; do
  if strong=$(nm --demangle --defined-only --extern-only "$build/linkage/CMakeFiles/$object.cpp.o" | grep -m 3 ' [A-TX-Z] .*einkorn::'); then
    die "a header defines a symbol that is not inline: $strong"
  fi
done
# as_compiled: a kernel in the program means that the library lacks an instantiation.
if kernels=$(nm --demangle --defined-only "$build/as_compiled/CMakeFiles/app.dir/main.cpp.o" | grep -m 3 'detail::.*\(SpmvRow\|SpmvTiles\|CgLoop\|CgMethod\|Spgemm\).*run(') ; then
  die "a user of Einkorn::compiled compiles kernels: $kernels"
fi
# two_ranks PROGRAM [ARGUMENT...]
two_ranks() {
  local options=(-np 2)
  if mpirun --version | grep -q "Open MPI"; then options+=(--oversubscribe --bind-to none); fi
  OMP_PROC_BIND=false OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun "${options[@]}" "$@" >&2
}
two_ranks "$build/as_mpi/app" || die "the consumer as_mpi gives a wrong result"
two_ranks "$prefix/bin/einkorn-solve" gen:stencil7:6 --quiet || die "the installed einkorn-solve does not run on two ranks"

say "consumer: pkg-config"
mkdir -p "$build/pkg_config"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name einkorn.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs einkorn-io)"
g++ "$repo/unit_tests/install/consumer.cpp" "${flags[@]}" -o "$build/pkg_config/app" >"$build/pkg_config.log" 2>&1 ||
  { tail -n 30 "$build/pkg_config.log" >&2; die "a program does not build with pkg-config's flags: ${flags[*]}"; }
run pkg_config app
read -ra flags <<<"$(pkg-config --cflags --libs einkorn-mpi)"
g++ "$repo/unit_tests/install/mpi/main.cpp" "${flags[@]}" -o "$build/pkg_config/mpi" >"$build/pkg_config.log" 2>&1 ||
  { tail -n 30 "$build/pkg_config.log" >&2; die "a program does not build with pkg-config's flags: ${flags[*]}"; }

say "packages: cpack -G TGZ, unpacked elsewhere, and cpack -G DEB"
configure "$build/package" -DEinkorn_ENABLE_COMPILED=OFF -DEinkorn_ENABLE_TESTS=OFF -DEinkorn_ENABLE_PERF_TESTS=OFF \
  -DEinkorn_ENABLE_TOOLS=OFF -DEinkorn_ENABLE_EXAMPLES=OFF
rm -rf "$build/package/made" "$build/package.configured"
for kind in TGZ DEB; do
  (cd "$build/package" && cpack -G "$kind" -B made) >"$build/package.log" 2>&1 || die "cpack -G $kind fails: see $build/package.log"
done
tar -C "$build/package/made" -xzf "$build"/package/made/einkorn-*.tar.gz
unpacked=$(dirname "$build"/package/made/einkorn-*/include)
{ cmake -S "$repo/examples/spmv" -B "$build/package.configured" -G Ninja "-DCMAKE_PREFIX_PATH=$unpacked;$kokkos_root" &&
  grep "^Einkorn_DIR:PATH=$unpacked/" "$build/package.configured/CMakeCache.txt"; } >"$build/package.log" 2>&1 ||
  die "find_package does not find the unpacked archive: see $build/package.log"
if command -v dpkg-deb >/dev/null; then
  dpkg-deb -c "$build"/package/made/libeinkorn-dev_*_all.deb >"$build/package.log"
  grep -q ' \./usr/lib/cmake/Einkorn/EinkornConfig\.cmake$' "$build/package.log" ||
    die "the package of Debian has no EinkornConfig.cmake: see $build/package.log"
fi

say "find_package: versions, build type, a component that is not there"
# find_einkorn NAME SOURCE: configures only, without a build type
find_einkorn() {
  rm -rf "${build:?}/$1"
  cmake -S "$2" -B "$build/$1" -G Ninja "-DCMAKE_PREFIX_PATH=$prefix;$kokkos_root" >"$build/$1.log" 2>&1
}
find_einkorn versions "$repo/unit_tests/install/versions" || { grep -A 2 "with .* installed" "$build/versions.log" >&2 || true
  die "find_package accepts other versions than it should: see $build/versions.log"; }
grep -q "CMAKE_BUILD_TYPE is empty" "$build/versions.log" || die "find_package says nothing of an empty CMAKE_BUILD_TYPE: see $build/versions.log"
mkdir -p "$build/missing.source"
printf '%s\n' "cmake_minimum_required(VERSION 3.23)" "project(Missing LANGUAGES CXX)" \
  "find_package(Einkorn REQUIRED COMPONENTS no_such_thing)" >"$build/missing.source/CMakeLists.txt"
if find_einkorn missing "$build/missing.source"; then die "find_package(Einkorn COMPONENTS no_such_thing) succeeded"; fi
grep -q "Einkorn component 'no_such_thing'" "$build/missing.log" ||
  die "find_package does not name the missing component: see $build/missing.log"
times >"$build/times"
say "consumers: all well; CPU time, user and system: $(tail -n 1 "$build/times")"
