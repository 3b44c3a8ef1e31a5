#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# check_vectorised.sh [--at-least xmm|ymm] BINARY PATTERN...
#
# For each PATTERN (extended regular expression over demangled symbol names): checks that at least one
# matching function has packed fused multiply-adds on the widest registers of this build: zmm if BINARY uses them, else
# ymm. With --at-least: on registers of at least this width; for xmm packed multiplications suffice, because a build for
# any x86-64 CPU has no fused ones.
set -euo pipefail
fail() { echo "check_vectorised.sh: $*" >&2; exit 1; }

at_least=
if [ "${1:-}" = --at-least ]; then
  at_least=${2:-}
  [[ $at_least =~ ^[xy]mm$ ]] || fail "--at-least $at_least: expected xmm or ymm"
  shift 2
fi
[ $# -ge 2 ] || fail "usage: check_vectorised.sh [--at-least xmm|ymm] BINARY PATTERN..."
binary=$1; shift
[ -x "$binary" ] || fail "$binary is no program: build it first"
if [ "$at_least" != xmm ] && ! grep -qw avx2 /proc/cpuinfo; then echo "no CPU with AVX2: nothing to check" >&2; exit 0; fi

# One line per packed FMA: <register width> <function>.
instruction='vfn?m(add|sub)[0-9]+p[sd] '
if [ "$at_least" = xmm ]; then instruction='(vfn?m(add|sub)[0-9]+|v?mul)p[sd] '; fi
fmas=$(objdump -d -C --no-show-raw-insn "$binary" | awk -v instruction="\t$instruction" '
  /^[0-9a-f]+ <.*>:$/ { name = $0; sub(/^[0-9a-f]+ </, "", name); sub(/>:$/, "", name) }
  $0 ~ instruction { print (/%zmm/ ? "zmm" : /%ymm/ ? "ymm" : "xmm") "\t" name }')
widest=ymm
if grep -q '^zmm' <<<"$fmas"; then widest=zmm; fi
case $at_least in
  xmm) widest='[xyz]mm' ;;
  ymm) widest='[yz]mm' ;;
esac

status=0
for pattern; do
  found=$(grep "^$widest" <<<"$fmas" | cut -f2- | grep -E -- "$pattern" | sort | uniq -c | sort -rn || true)
  if [ -n "$found" ]; then
    awk -v width="$widest" -v pattern="$pattern" '{n += $1} END {print pattern ": " n " packed operations on " width " in " NR " functions"}' <<<"$found"
  else
    echo "check_vectorised.sh: no packed operation on $widest in any function that matches $pattern" >&2
    status=1
  fi
done
exit $status
