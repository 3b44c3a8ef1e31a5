#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# check_cuda.sh [FILE...]     compiles with nvcc for NVIDIA GPUs (sm_90), without a GPU and without a CUDA Kokkos
#
# Uses the headers of Kokkos from scripts/kokkos/get.sh with configuration headers for CUDA and Serial, and the options of a
# CUDA Kokkos. Compiles the public functions (unit_tests/compile_only) for Cuda, those without solvers also for Serial, and
# one program or more of each kind: the main files of einkorn-solve and einkorn-bench, what they call for conversions and
# for CSR, an example and a test. FILE: only these, as paths in the repository.
# Without nvcc the script compiles nothing and succeeds.
#
# Covered: the front ends of nvcc for device and host; machine code of the kernels (PTX for public_functions.cpp); the host
# compiler on the code from nvcc (-fsyntax-only). Warnings are errors: all of nvcc, -Wall -Wextra of the host compiler. The
# host compiler is g++ 12, or else g++; a newer g++ or a clang++, if installed, checks the main files, tools/solve/convert.cpp
# and public_spgemm.cpp. Not covered: linking, running, the other files of the tests and of the programs, which a build with
# a CUDA Kokkos compiles. Seconds with ccache if nothing has changed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

nvcc=$(command -v nvcc || echo "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc")
if [ ! -x "$nvcc" ]; then
  say "nvcc is not installed: code for CUDA is not checked"
  exit 0
fi
need_build_packages
use_kokkos
kokkos=$(dirname "$(find "$kokkos_root/include" -name Kokkos_Core.hpp -print -quit)")
cd "$repo"
work=$repo/build/cuda
rm -rf "$work"
mkdir -p "$work/include/einkorn"
for part in core formats solvers; do ln -s "$repo/$part" "$work/include/einkorn/"; done
scripts/kokkos/backend_config.sh "$kokkos" "$work/config" CUDA SERIAL KOKKOS_ARCH_HOPPER KOKKOS_ARCH_HOPPER90

public_headers >"$work/headers.hpp"  # also those that public_functions.cpp omits

# With -fsyntax-only nvcc writes no object, but ccache stores only results with one. The text has the version of nvcc, because
# ccache compares it instead of the compiler.
cat >"$work/nvcc" <<END
#!/bin/sh
# $("$nvcc" --version | tail -n 1)
"$nvcc" "\$@" || exit
for argument; do
  if [ "\$last" = -o ] && [ ! -s "\$argument" ]; then echo accepted >"\$argument"; fi
  last=\$argument
done
END
chmod +x "$work/nvcc"
compile=("$work/nvcc")
if command -v ccache >/dev/null; then compile=(env CCACHE_COMPILERTYPE=nvcc CCACHE_COMPILERCHECK=content ccache "$work/nvcc"); fi
# In one word: ccache takes -fsyntax-only away and would leave its -Xcompiler.
options=(-std=c++20 -x cu --extended-lambda -Wext-lambda-captures-this -Werror all-warnings
  -Xcompiler=-Wall,-Wextra,-fsyntax-only -DKOKKOS_DEPENDENCE
  "-I$work/include" -Itools -Iperf_tests -Iunit_tests -isystem "$work/config" -isystem "$kokkos")
if command -v mpicxx >/dev/null; then  # Open MPI; without it the headers of MPI are not checked
  for folder in $(mpicxx --showme:incdirs 2>/dev/null); do options+=(-isystem "$folder"); done
  options+=(-DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)
fi
if echo '#include <nccl.h>' | "$nvcc" -E -x cu - >/dev/null 2>&1; then options+=(-DEINKORN_PROGRAM_NCCL); fi
# Without optimization of the kernels, which takes several times as long for the solvers.
if "$nvcc" --help | grep -e --Ofast-compile >/dev/null; then options+=(--Ofast-compile=max); fi

# compiles COMPILER: whether nvcc accepts it as host compiler.
compiles() {
  command -v "$1" >/dev/null && echo 'int main() {}' >"$work/empty.cu" &&
    "$nvcc" -std=c++20 -arch=sm_90 -ccbin "$1" -c "$work/empty.cu" -o "$work/empty.o" >"$work/empty.log" 2>&1
}
first_of() {
  local compiler
  for compiler; do if compiles "$compiler"; then echo "$compiler"; return; fi; done
}
host=$(first_of g++-12 g++ clang++)
[ -n "$host" ] || die "nvcc takes none of g++-12, g++ and clang++ as host compiler: see $work/empty.log"
newer=$(first_of g++-{15,14,13} clang++-{20,19,18,17,16} clang++)
if [ "$newer" = "$host" ]; then newer=; fi

# check HOST SPACE FILE [OPTION...]: compiles one file and prints its CPU time (in a process of its own)
check() {
  local host=$1 space=$2 file=$3 name; shift 3
  name=$(tr / _ <<<"$file")-$host-$space
  # clang++ also warns about the options that one step of nvcc does not use and about the code that nvcc writes.
  if [[ $host == *clang* ]]; then set -- "$@" -Xcompiler=-Wno-unused-command-line-argument,-Wno-gnu-designator; fi
  if "${compile[@]}" "${options[@]}" -ccbin "$host" "-DEINKORN_TEST_SPACE=Kokkos::$space" "$@" -c "$file" \
    -o "$work/$name.o" >"$work/$name.log" 2>&1; then
    times >"$work/$name.times"
    say "$file, $space, $host: CPU time $(tail -n 1 "$work/$name.times")"
  else
    head -n 40 "$work/$name.log" >&2
    say "nvcc with $host refuses $file for $space: see $work/$name.log"
    return 1
  fi
}

say "nvcc with $host${newer:+ and $newer}, sm_90"
machine_code=-arch=sm_90 ptx=-arch=compute_90 front_end=(-arch=sm_90 -fdevice-syntax-only)
if [ $# -gt 0 ]; then
  for file; do background check "$host" Cuda "$file" $machine_code; done
else
  public=unit_tests/compile_only
  with_kernels=(tools/solve/{convert,system}.cpp)
  without_kernels=(perf_tests/einkorn_bench.cpp tools/einkorn_solve.cpp tools/einkorn_solve_ranks.cpp tools/{program/launcher,distributed/mpi_program,solve/{command_line,input,method,run}}.cpp)  # or with kernels of the other files
  # The longest first.
  background check "$host" Cuda $public/public_functions.cpp $ptx -include "$work/headers.hpp"
  background check "$host" Cuda $public/public_solvers.cpp $machine_code
  background check "$host" Cuda $public/public_distributed.cpp $machine_code
  background check "$host" Cuda $public/public_multigrid.cpp $machine_code
  background check "$host" Cuda $public/public_comm.cpp $machine_code
  for file in "${with_kernels[@]}" $public/public_spgemm.cpp examples/solve/main.cpp unit_tests/csr/diagonal_test.cpp \
    perf_tests/support/bench_summary.cpp perf_tests/einkorn/csr_spmv.cpp; do
    background check "$host" Cuda "$file" $machine_code
  done
  for file in functions spgemm; do background check "$host" Serial $public/public_${file}.cpp "${front_end[@]}"; done
  for file in "${without_kernels[@]}"; do background check "${newer:-$host}" Cuda "$file" "${front_end[@]}"; done
  if [ -n "$newer" ]; then
    for file in tools/solve/convert.cpp $public/public_spgemm.cpp; do background check "$newer" Cuda "$file" "${front_end[@]}"; done
  fi
fi
wait_for_all || die "nvcc refuses a file: see its message above"
say "compiles for CUDA"
