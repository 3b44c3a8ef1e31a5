#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# fuzz.sh [SECONDS]     the Matrix Market reader under libFuzzer, ASan and UBSan, from the malformed files of the tests
#
# What it learns stays in build/fuzz/corpus; an input that breaks the reader is left in build/fuzz/.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

seconds=${1:-60}
need_packages clang libclang-rt-14-dev zlib1g-dev
build=$repo/build/fuzz
seeds=$(find "$repo/unit_tests" -type d -name matrix_market_cases | head -n 1)
[ -n "$seeds" ] || die "unit_tests/ has no folder matrix_market_cases to start from"

mkdir -p "$build/include/einkorn" "$build/corpus"
ln -sfn "$repo/core" "$build/include/einkorn/core"
say "building the fuzz target"
clang++ -std=c++20 -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
  "-I$build/include" "$repo/unit_tests/fuzz/matrix_market_fuzz.cpp" -lz -o "$build/matrix_market_fuzz" ||
  die "the fuzz target does not compile: see clang's message above"

say "fuzzing for $seconds s"
"$build/matrix_market_fuzz" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=256 -print_final_stats=1 \
  -verbosity=0 -dict="$repo/unit_tests/fuzz/matrix_market.dict" -artifact_prefix="$build/" "$build/corpus" "$seeds" >"$build/log" 2>&1 ||
  { tail -n 40 "$build/log" >&2; die "the reader broke: the input is in $build, the report in $build/log"; }
say "clean: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/log") inputs"
