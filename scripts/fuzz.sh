#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# fuzz.sh [SECONDS [TARGET...]]     fuzzes the readers of user input with libFuzzer, ASan and UBSan: the Matrix Market parser
#                                   (matrix_market), the files of einkorn-solve and einkorn-bench (solve_input), gen:...
#                                   (generator), files of wisdom (wisdom). Default: all, which share the seconds.
#
# Does not need Kokkos. The corpus is kept in build/fuzz/TARGET.corpus, failing inputs in build/fuzz/.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

seconds=${1:-60}
targets=("${@:2}")
if [ ${#targets[@]} -eq 0 ]; then targets=(matrix_market solve_input generator wisdom); fi
need_packages clang libclang-rt-14-dev zlib1g-dev
build=$repo/build/fuzz
sources=$repo/unit_tests/fuzz
cases=$(find "$repo/unit_tests" -type d -name matrix_market_cases | head -n 1)
[ -n "$cases" ] || die "unit_tests/ has no folder matrix_market_cases to start from"

mkdir -p "$build/include/einkorn" "$build/generator.seeds" "$build/solve_input.seeds" "$build/wisdom.seeds"
for folder in core formats; do ln -sfn "$repo/$folder" "$build/include/einkorn/$folder"; done
split -l 1 "$sources/generator_seeds.txt" "$build/generator.seeds/"
good=$cases/01_good.mtx
for file in "$cases"/*.mtx; do  # each as b of a good A
  cat "$good" "$file" >"$build/solve_input.seeds/${file##*/}"
done
printf '%%%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n' | cat "$good" - >"$build/solve_input.seeds/array.mtx"

printf 'einkorn-wisdom 1\nmachine A, 4 at once\nclass format rows=3\ntime csr 1e-05 0\nrefused dia\nclass csr rows=3\ntime row_team:8 2.5 1\nend 2\n' \
  >"$build/wisdom.seeds/two_classes"

# compile TARGET [SOURCE]
compile() {
  clang++ -std=c++20 -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
    "-I$build/include" "-I$sources" "-I$sources/stand_in" "-I$repo/tools" "$sources/$1_fuzz.cpp" "${@:2}" -lz -o "$build/$1" ||
    die "the fuzz target $1 does not compile: see clang's message above"
}

# fuzz TARGET SECONDS DICTIONARY SEEDS...
fuzz() {
  local log=$build/$1.log
  mkdir -p "$build/$1.corpus"
  "$build/$1" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=256 -print_final_stats=1 -verbosity=0 \
    "-dict=$sources/$3.dict" -artifact_prefix="$build/$1-" "$build/$1.corpus" "${@:4}" >"$log" 2>&1 ||
    { tail -n 40 "$log" >&2; die "$1 broke: the input is in $build, the report in $log"; }
  say "$1: clean, $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $2 s"
}

share=$((seconds / ${#targets[@]}))
if [ "$share" -lt 1 ]; then share=1; fi
for target in "${targets[@]}"; do
  case $target in
    matrix_market | generator | wisdom) background compile "$target" ;;
    solve_input) background compile "$target" "$repo/tools/solve/input.cpp" ;;
    *) die "there is no fuzz target $target: matrix_market, solve_input, generator, wisdom" ;;
  esac
done
wait_for_all || exit 1
say "compiled"
for target in "${targets[@]}"; do
  case $target in
    matrix_market) fuzz "$target" "$share" matrix_market "$cases" ;;
    solve_input) fuzz "$target" "$share" matrix_market "$cases" "$build/solve_input.seeds" ;;
    generator) fuzz "$target" "$share" generator "$build/generator.seeds" ;;
    wisdom) fuzz "$target" "$share" wisdom "$build/wisdom.seeds" ;;
  esac
done
