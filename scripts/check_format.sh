#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# check_format.sh [--fix]     checks all sources with .clang-format (clang-format-19 of Debian 12)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

command -v clang-format-19 >/dev/null || need_packages clang-format-19
cd "$repo"
mapfile -t sources < <(find . -path ./build -prune -o \( -name '*.hpp' -o -name '*.cpp' \) -print | sort)
if [ "${1:-}" = --fix ]; then
  clang-format-19 -i "${sources[@]}"
  exit
fi
unformatted=0
for source in "${sources[@]}"; do
  clang-format-19 --dry-run -Werror "$source" 2>/dev/null || { echo "$source" >&2; unformatted=$((unformatted + 1)); }
done
[ "$unformatted" -eq 0 ] || die "$unformatted files are not as .clang-format says: run scripts/check_format.sh --fix"
