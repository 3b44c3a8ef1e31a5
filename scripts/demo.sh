#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# demo.sh [MATRIX...] [EINKORN-BENCH OPTION...]
#
# Measures which SpMV is the fastest for a matrix, what fraction of the memory bandwidth it reaches, and after how many
# products a conversion pays. MATRIX is a Matrix Market file (.mtx, .mtx.gz) or a generator such as gen:stencil7:160.
# Without MATRIX it measures real and generated matrices (two meshes, a circuit, a web graph), then solves a system with
# einkorn-solve. Options that need einkorn-bench-full (peers, solvers, tables of all rows) build it, which takes many
# minutes.
# Kokkos_ROOT and EINKORN_DEBS: see test.sh.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

matrices=("$repo"/examples/data/*.mtx.gz gen:stencil7:100 gen:elasticity:30 gen:circuit:1000000 gen:surrogate:webbase-1M)
system=$repo/examples/data/bcsstk16.mtx.gz
programs=(einkorn-bench)
for argument; do
  case $argument in
    *.mtx | *.mtx.gz | gen:* | suite:*) matrices=() system= ;;
    --all | --peers | --select | --graph | --gather | --algorithms* | --columns* | --solve* | --spgemm* | --scalar* | \
      --ordinal* | --formats*) programs=(einkorn-bench einkorn-bench-full) ;;
  esac
done

need_build_packages
use_kokkos
build=$repo/build/release
configure "$build"
if left_out=$(grep -m 1 'einkorn-[a-z]*: skipped' "$build/configure.log"); then die "${left_out#-- }"; fi
build "$build" "${programs[@]}"

say "einkorn-bench ${matrices[*]} $*"
export OMP_PROC_BIND=${OMP_PROC_BIND:-spread} OMP_PLACES=${OMP_PLACES:-threads}
"$build/perf_tests/einkorn-bench" "${matrices[@]}" "$@"

if [ -n "$system" ]; then
  build "$build" einkorn-solve
  say "einkorn-solve $system --preconditioner jacobi"
  "$build/tools/einkorn-solve" "$system" --preconditioner jacobi
fi
