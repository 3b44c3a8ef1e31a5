#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# check_format.sh [--fix]     every source against .clang-format (clang-format 14, Debian 12's)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

command -v clang-format >/dev/null || need_packages clang-format
cd "$repo"
mapfile -t sources < <(find . -path ./build -prune -o \( -name '*.hpp' -o -name '*.cpp' \) -print | sort)
if [ "${1:-}" = --fix ]; then
  clang-format -i "${sources[@]}"
  exit
fi
unformatted=0
for source in "${sources[@]}"; do
  clang-format --dry-run -Werror "$source" 2>/dev/null || { echo "$source" >&2; unformatted=$((unformatted + 1)); }
done
[ "$unformatted" -eq 0 ] || die "$unformatted files are not as .clang-format says: run scripts/check_format.sh --fix"
