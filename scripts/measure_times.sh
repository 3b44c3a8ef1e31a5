#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# measure_times.sh [--write]     measures the two commands of the README in a new clone, with an empty home directory, an
#                                empty cache and no compiled file; then test.sh --bench, which uses some files of test.sh
#
# --write writes the times to README.md, between the marks <!-- times --> and <!-- /times -->. Run it on an idle machine.
# A compiler cache, if any, is written but not read.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
commit=$(git -C "$repo" rev-parse --short HEAD)

# from_nothing NAME SCRIPT [ARGUMENT...]: runs a script in a clone, which is created if it does not exist; sets $took to its
# time as m:ss; writes its output to NAME.log
from_nothing() {
  local name=$1 start; shift
  [ -d "$work/$name" ] || git clone --quiet "$repo" "$work/$name"
  mkdir -p "$work/$name.home"
  start=$SECONDS
  (cd "$work/$name" && env -u EINKORN_CACHE HOME="$work/$name.home" XDG_CACHE_HOME="$work/$name.home" \
    CCACHE_DIR="${CCACHE_DIR:-$HOME/.cache/ccache}" CCACHE_RECACHE=1 CCACHE_BASEDIR="$work/$name" "$@") 2>&1 |
    tee "$work/$name.log" >&2
  took=$(printf '%d:%02d' $(((SECONDS - start) / 60)) $(((SECONDS - start) % 60)))
}
from_nothing demo scripts/demo.sh
demo=$took
demo_time=$(sed -n 's/^\[\([0-9:]*\)\] building einkorn-solve$/\1/p' "$work/demo.log")
from_nothing tests scripts/test.sh
tests=$took
summary=$(tail -n 1 "$work/tests.log")
from_nothing tests scripts/test.sh --bench

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
text="From nothing, on $(nproc) cores of $cpu (commit $commit): \`scripts/demo.sh\` has results for all matrices after $demo_time
minutes and has ended after $demo, \`scripts/test.sh\` after $tests ($summary), \`scripts/test.sh --bench\` after $took more."
echo "$text"
if [ "${1:-}" = --write ]; then
  python3 - "$repo/README.md" "$text" <<'PYTHON'
import pathlib, re, sys, textwrap
readme, text = pathlib.Path(sys.argv[1]), sys.argv[2]
marks = re.compile(r"(<!-- times -->\n).*?(<!-- /times -->)", re.S)
old = readme.read_text()
if not marks.search(old):
    sys.exit("measure_times.sh: README.md has no <!-- times --> ... <!-- /times -->")
lines = "\n".join(textwrap.wrap(" ".join(text.split()), 118, break_long_words=False, break_on_hyphens=False))
readme.write_text(marks.sub(lambda found: found[1] + lines + "\n" + found[2], old))
PYTHON
fi
