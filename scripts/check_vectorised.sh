#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# check_vectorised.sh BINARY PATTERN...
#
# For each PATTERN (extended regular expression over demangled symbol names): of the functions that match, at least one
# has packed fused multiply-adds on the widest registers of this build, zmm when BINARY uses them at all, else ymm.
set -euo pipefail
fail() { echo "check_vectorised.sh: $*" >&2; exit 1; }

[ $# -ge 2 ] || fail "usage: check_vectorised.sh BINARY PATTERN..."
binary=$1; shift
[ -x "$binary" ] || fail "$binary is no program: build it first"
if ! grep -qw avx2 /proc/cpuinfo; then echo "no CPU with AVX2: nothing to check" >&2; exit 0; fi

# One line a packed FMA: <register width> <function>.
fmas=$(objdump -d -C --no-show-raw-insn "$binary" | awk '
  /^[0-9a-f]+ <.*>:$/ { name = $0; sub(/^[0-9a-f]+ </, "", name); sub(/>:$/, "", name) }
  /\tvfn?m(add|sub)[0-9]+p[sd] / { print (/%zmm/ ? "zmm" : /%ymm/ ? "ymm" : "xmm") "\t" name }')
widest=ymm
if grep -q '^zmm' <<<"$fmas"; then widest=zmm; fi

status=0
for pattern; do
  found=$(grep "^$widest" <<<"$fmas" | cut -f2- | grep -E -- "$pattern" | sort | uniq -c | sort -rn || true)
  if [ -n "$found" ]; then
    awk -v width="$widest" -v pattern="$pattern" '{n += $1} END {print pattern ": " n " packed FMAs on " width " in " NR " functions"}' <<<"$found"
  else
    echo "check_vectorised.sh: no packed FMA on $widest in any function that matches $pattern" >&2
    status=1
  fi
done
exit $status
