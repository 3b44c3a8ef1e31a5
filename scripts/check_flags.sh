#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# check_flags.sh [--ratio] [COMPILER...]     checks host kernels at -O2 and -O3, with g++ and clang++
#
# Compiles scripts/flags/host_kernels.cpp as a program of a user with -O2, -O2 -march=native and -O3 -march=native, and
# checks that the disassembly has packed arithmetic in registers (check_vectorised.sh, flags/stack_in_loops.py). Prints the
# times on one thread and the ratios of -O2 to -O3. With --ratio, for an idle machine, a ratio above 1.15 is an error.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

max_ratio=1.15
must_hold=
if [ "${1:-}" = --ratio ]; then must_hold=1; shift; fi
compilers=("$@")
if [ $# -eq 0 ]; then
  need_packages clang libomp-dev
  compilers=(g++ clang++)
fi
need_build_packages
use_kokkos
build=$repo/build/flags
configure "$build" -DEinkorn_ENABLE_COMPILED=OFF -DEinkorn_ENABLE_TESTS=OFF -DEinkorn_ENABLE_PERF_TESTS=OFF \
  -DEinkorn_ENABLE_TOOLS=OFF -DEinkorn_ENABLE_EXAMPLES=OFF "-DCMAKE_INSTALL_PREFIX=$build/prefix"
cmake --install "$build" >"$build/install.log" || die "the installation failed: see $build/install.log"
PKG_CONFIG_PATH=$(dirname "$(find "$build/prefix" -name einkorn.pc)")
export PKG_CONFIG_PATH
read -ra cflags <<<"$(pkg-config --cflags einkorn)"
read -ra libs <<<"$(pkg-config --libs einkorn)"
launcher=()
if command -v ccache >/dev/null; then launcher=(ccache); fi

# program_of COMPILER FLAGS: sets $program
program_of() { program=$build/host_kernels-$1${2// /}; }
# compile COMPILER FLAGS
compile() {
  local options program
  read -ra options <<<"$2"
  program_of "$1" "$2"
  { "${launcher[@]}" "$1" "${cflags[@]}" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
    "${options[@]}" -c "$repo/scripts/flags/host_kernels.cpp" -o "$program.o" &&
    "$1" -fopenmp "$program.o" "${libs[@]}" -o "$program"; } || die "$1 $2 does not compile host_kernels.cpp"
}
all_flags=("-O2" "-O2 -march=native" "-O3 -march=native")
for compiler in "${compilers[@]}"; do
  for flags in "${all_flags[@]}"; do background compile "$compiler" "$flags"; done
done
wait_for_all || exit 1

export OMP_NUM_THREADS=1 OMP_PROC_BIND=false
status=0
for compiler in "${compilers[@]}"; do
  declare -A times=()
  for flags in "${all_flags[@]}"; do
    program_of "$compiler" "$flags"
    width=xmm
    if [ "$flags" != -O2 ] && grep -qw avx2 /proc/cpuinfo; then width=ymm; fi
    if [ "$(uname -m)" = x86_64 ]; then
      # One vector, and a row-major multivector. The compiler may inline the kernel into the launch: both name the types.
      "$repo/scripts/check_vectorised.sh" --at-least "$width" "$program" 'SpmvRowSplit<true, false.*View<double const\*,' \
        'SpmvRowSplit<true, false.*View<double const\*\*,' >&2 ||
        { say "$compiler $flags: a host kernel has no packed arithmetic"; status=1; }
      "$repo/scripts/flags/stack_in_loops.py" "$program" 'SpmvRowSplit<true, false.*View<double\*,' >&2 ||
        { say "$compiler $flags: a host kernel keeps sums or gathered values in memory"; status=1; }
    fi
    times[$flags]=$("$program" 2>"$build/run.log") || die "$program gives a wrong result"
    printf '%-8s %-20s %s ms\n' "$compiler" "$flags" "${times[$flags]}"
  done
  ratio=$(awk -v a="${times[-O2 -march=native]}" -v b="${times[-O3 -march=native]}" \
    'BEGIN { split(a, p); split(b, q); printf "%.2f %.2f", p[1] / q[1], p[2] / q[2] }')
  echo "$compiler -O2 / -O3: $ratio (CSR, one vector and 8; at most $max_ratio)"
  if [ -n "$must_hold" ] && ! awk -v r="$ratio" -v most=$max_ratio 'BEGIN { split(r, p); exit !(p[1] <= most && p[2] <= most) }'; then
    say "$compiler: -O2 is slower than -O3 by more than $max_ratio"
    status=1
  fi
done
exit $status
