#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# test.sh [--bench | --asan | --tsan] [CTEST ARGUMENT...]     builds and runs the tests of the library, of einkorn-solve, the
#                                                           examples and the documentation; `test.sh -R csr5` only those
#                                                           that match
#
#   --bench           the tests of the benchmark programs (label bench), which also compile other libraries to compare with
#   --asan            under the address and undefined-behaviour sanitizers
#   --tsan            under the thread sanitizer: the tests that start host threads (label threads), with one OpenMP
#                     thread, because OpenMP run-time libraries are not instrumented
#
#   Kokkos_ROOT       prefix of an installed Kokkos (else one is fetched, once)
#   EINKORN_DEBS      folder with the Kokkos packages, for machines that cannot reach Debian's newer suites
#   EINKORN_MATRICES  folder of Matrix Market files that the tests then try as well
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

need_build_packages
use_kokkos
build=$repo/build/release
preset=()
tests=einkorn.test
select=(-LE bench)
if [ "${1:-}" = --bench ]; then
  shift
  tests=einkorn.test.bench
  select=(-L bench)
elif [ "${1:-}" = --asan ]; then
  shift
  build=$repo/build/asan
  preset=(--preset asan)
  export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
elif [ "${1:-}" = --tsan ]; then
  shift
  build=$repo/build/tsan
  preset=(--preset tsan -DEinkorn_ENABLE_COMPILED=OFF)  # not needed by these tests
  tests=einkorn.test.threads
  select=(-L threads -R 'openmp\.1$')
  export TSAN_OPTIONS=${TSAN_OPTIONS:-allocator_may_return_null=1}  # tests request more memory than available
fi
configure "$build" "${preset[@]}"
build "$build" "$tests"

say "running the tests"
result=0
(cd "$build" && ctest --output-on-failure --no-tests=error -j "$(nproc)" --output-junit "$build/tests.xml" \
  --test-output-size-passed 1000000 "${select[@]}" "$@") >&2 || result=$?
[ -s "$build/tests.xml" ] || die "ctest did not run: see its message above"
say "done"
python3 - "$build/tests.xml" <<'PYTHON'
# Sums the test cases of GoogleTest over all runs (Einkorn_TEST_THREADS); a run that crashed is one failure.
import re, sys, xml.etree.ElementTree as xml
count = dict.fromkeys(("PASSED", "FAILED", "SKIPPED"), 0)
for run in xml.parse(sys.argv[1]).getroot():
    summary = re.findall(r"^\[ +(PASSED|FAILED|SKIPPED) +\] (\d+) tests?", run.findtext("system-out") or "", re.M)
    for verdict, cases in summary:
        count[verdict] += int(cases)
    if run.get("status") == "fail" and not any(verdict == "FAILED" for verdict, _ in summary):
        count["FAILED"] += 1
print(f"{count['PASSED']} passed, {count['FAILED']} failed" + (f", {count['SKIPPED']} skipped" if count["SKIPPED"] else ""))
PYTHON
exit "$result"
