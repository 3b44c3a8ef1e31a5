#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# measure.sh OUT [bdia|mesh|memory|spmm|solve|pcg|history]...
#
# Measures the input of draw.py: all parts, or the named ones. Each call of einkorn-bench writes OUT/NAME.json, and its
# table to OUT/NAME.txt. A failed call is reported, the next ones run, and the exit code is 1. Environment:
#   EINKORN_BENCH   the binary (build/release/perf_tests/einkorn-bench)
#   REPEAT          rounds (3)
#   MESH            the matrix of the figures mesh, pcg and history, symmetric and positive definite for the latter two: a
#                   generator or a .mtx[.gz] (gen:stencil27:160)
#   ROWS            rows of the large bands and of the matrices in stripes (1000000)
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bench=${EINKORN_BENCH:-$root/build/release/perf_tests/einkorn-bench}
repeat=${REPEAT:-3} mesh=${MESH:-gen:stencil27:160} rows=${ROWS:-1000000}
failed=0

# measure NAME ARGUMENT...: one call of einkorn-bench.
measure() {
  local name=$1
  shift
  printf 'measure.sh: %s: einkorn-bench %s\n' "$name" "$*" >&2
  rm -f "$out/$name.json"
  "$bench" "$@" --repeat "$repeat" --json "$out/$name.json" >"$out/$name.txt" || {
    printf 'measure.sh: %s failed with exit %d\n' "$name" $? >&2
    failed=1
  }
}

measure_bdia() {
  local scalar n
  for scalar in double float; do
    for n in 15600 "$rows"; do
      measure "bdia-$n-$scalar-narrow" "gen:band:$n:"{3,5,9,15,27} --all --peers --formats bdia,dia,ell,hyb,csr,coo --scalar "$scalar"
      measure "bdia-$n-$scalar-wide" "gen:band:$n:"{41,61,81,101} --all --peers --formats bdia,dia,ell,hyb,csr,coo --scalar "$scalar"
    done
  done
}

measure_mesh() {
  local scalar
  for scalar in double float; do measure "mesh-$scalar" "$mesh" --all --peers --scalar "$scalar"; done
}

measure_memory() {
  local width
  for width in 3 9 27; do
    measure "brcv-memory-$width" "gen:stripes:$rows:"{1,2,3,4,8,16,32}":$width" --all --formats brcv --cold
  done
}

measure_spmm() {
  local layout columns
  for layout in right left; do
    for columns in 1 4 8 16 32 64 128; do
      measure "brcv-spmm-$layout-$columns" "gen:stripes:$rows:"{8,16}":27" --columns "$columns" --layout "$layout" --peers \
        --formats brcv,csr,sell --cold
    done
  done
}

measure_solve() {
  local d method
  for method in cg bicgstab; do
    for d in 3 7 31 101; do
      measure "solve-$method-30000-$d" "gen:band:30000:$d" --solve "$method" --peers --formats dia,bdia
      measure "solve-$method-10000000-$d" "gen:band:10000000:$d" --solve "$method" --peers --formats dia,bdia \
        --iterations $((d < 101 ? 50 : 30))
    done
  done
}

# 150 iterations, so that the work before the first and after the last one is negligible. 16 lanes: half a warp.
measure_pcg() {
  measure pcg-spmv "$mesh" --peers --lanes 16 \
    --algorithms half_atomic,row_thread,row_team,sorted_rows,tiles,ell_and_coo,segmented_sum,window,block_row
  measure pcg-fusions "$mesh" --solve jacobi-pcg --peers --fusions --iterations 150
}

measure_history() {
  local method
  for method in cg jacobi-pcg bicgstab; do
    measure "history-$method" "$mesh" --solve "$method" --formats csr,sell,dia --history 2000
  done
}

[ $# -ge 1 ] || { sed -n '5,16s/^# \{0,1\}//p' "$0" >&2; exit 2; }
out=$1
shift
[ $# -gt 0 ] || set -- bdia mesh memory spmm solve pcg history
for part; do
  case $part in
    bdia | mesh | memory | spmm | solve | pcg | history) ;;
    *) echo "measure.sh: unknown part $part; expected bdia, mesh, memory, spmm, solve, pcg, history" >&2; exit 2 ;;
  esac
done
[ -x "$bench" ] || { echo "measure.sh: $bench does not exist: build it, or set EINKORN_BENCH" >&2; exit 2; }
mkdir -p "$out"
for part; do
  case $part in
    bdia) measure_bdia ;;
    mesh) measure_mesh ;;
    memory) measure_memory ;;
    spmm) measure_spmm ;;
    solve) measure_solve ;;
    pcg) measure_pcg ;;
    history) measure_history ;;
  esac
done
exit "$failed"
