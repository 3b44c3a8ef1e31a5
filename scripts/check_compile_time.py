#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""check_compile_time.py BUILD

Measures what source files of a user cost to compile, relative to a file that includes Kokkos_Core.hpp and has one kernel:
headers only, and with Einkorn::compiled. BUILD: a build folder configured with Einkorn_ENABLE_COMPILED. Prints a table of
two ratios: CPU time of the compiler at -O2 without a cache, and memory that it allocates in total (-ftime-report, g++ only).
Fails if a ratio of memory is above its limit: it is the same in every run, while the ratio of times for the same sources
differs by up to 40 % between machines."""
import argparse
import json
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile

PRELUDE = """
using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = einkorn::Csr<double, int, int, Exec::device_type>;
using In = Kokkos::View<double const*, Exec>;
using Out = Kokkos::View<double*, Exec>;
"""
BASE = """#include <Kokkos_Core.hpp>
using Exec = Kokkos::DefaultExecutionSpace;
struct Axpy {
  Kokkos::View<double const*, Exec> x;
  Kokkos::View<double*, Exec> y;
  double a;
  KOKKOS_FUNCTION void operator()(int i) const { y(i) += a * x(i); }
};
void axpy(double a, Kokkos::View<double const*, Exec> x, Kokkos::View<double*, Exec> y) {
  Kokkos::parallel_for("axpy", Kokkos::RangePolicy<Exec>(0, static_cast<int>(x.extent(0))), Axpy{x, y, a});
}
"""
# name: headers, code, limit of the ratio of memory (g++ 12, 3 % above what was measured) with headers only, with
# Einkorn::compiled
FILES = {
    "plan + spmv": (["formats/csr/spmv_plan.hpp"], """
void product(Matrix const& A, In const& x, Out const& y) {
  auto const plan = einkorn::make_spmv_plan(Exec(), A);
  einkorn::spmv(Exec(), plan, 1.0, x, 0.0, y);
}""", 1.62, 1.16),
    "cg": (["solvers/cg.hpp"], """
einkorn::SolveReport solve(Matrix const& A, In const& b, Out const& x) { return einkorn::cg(Exec(), A, b, x); }
""", 2.22, 1.31),
    "spgemm": (["formats/spgemm/spgemm.hpp"], """
Matrix product(Matrix const& A, Matrix const& B) { return einkorn::spgemm(Exec(), A, B); }
""", 1.76, 1.14),
    "AnyMatrix + select + cg": (["formats/any_matrix.hpp", "formats/analysis/select.hpp", "solvers/cg.hpp"], """
einkorn::SolveReport solve(Matrix const& A, In const& b, Out const& x) {
  auto const format = einkorn::select(Exec(), A, 1000).format;
  return einkorn::cg(Exec(), einkorn::make_any_matrix(Exec(), A, format), b, x);
}""", 4.10, 1.54),
}


def flags_of(build):
    """The compiler and flags of the library, without those of optimization and warnings."""
    entries = json.loads(subprocess.run(["ninja", "-C", build, "-t", "compdb"], check=True, capture_output=True,
                                        text=True).stdout)
    entry = next(entry for entry in entries if "einkorn_compiled.dir" in entry["output"] and entry["output"].endswith(".o"))
    words = shlex.split(entry["command"])
    words = words[:words.index("-MD")]  # the rest are file names
    while "ccache" in words[0]:
        words = words[1:]
    drop = ("-O", "-W", "-march", "-mprefer", "-DKOKKOS_ARCH", "-DEINKORN_COMPILED", "-x", "c++")
    return words[0], [word for word in words[1:] if not word.startswith(drop)]


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def allocated_megabytes(command):
    """Memory that g++ allocates, freed or not; 0 for compilers that do not report it."""
    report = subprocess.run([*command, "-ftime-report"], check=True, capture_output=True, text=True).stderr
    total = re.search(r"^ TOTAL .*?(\d+)M$", report, re.M)
    return int(total[1]) if total else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[2])
    parser.add_argument("build", type=pathlib.Path)
    build = parser.parse_args().build.resolve()
    compiler, flags = flags_of(build)
    with tempfile.TemporaryDirectory() as folder:
        def cost(name, text, *more):
            source = pathlib.Path(folder) / f"{name.replace(' ', '_')}.cpp"
            source.write_text(text)
            command = [compiler, *flags, "-O2", *more, "-c", str(source), "-o", str(source.with_suffix(".o"))]
            return cpu_seconds(command), allocated_megabytes(command)

        base_time, base_memory = cost("base", BASE)
        print(f"Kokkos_Core.hpp and one kernel: {base_time:.2f} s of CPU, {base_memory} MB allocated")
        print(f"{'':26}{'headers only':^24}{'compiled':^24}")
        print(f"{'':26}" + f"{'time':>8}{'memory':>8}{'limit':>8}" * 2)
        breaches = []
        for name, (headers, code, *limits) in FILES.items():
            text = "".join(f"#include <einkorn/{header}>\n" for header in headers) + PRELUDE + code
            row = f"{name:26}"
            for kind, limit, options in zip(("headers only", "compiled"), limits, ([], ["-DEINKORN_COMPILED"])):
                time, memory = cost(name, text, *options)
                ratio = memory / max(base_memory, 1)
                row += f"{time / base_time:8.2f}{ratio:8.2f}{limit:8.2f}"
                if ratio > limit:
                    breaches.append(f"{name}, {kind}: {ratio:.2f} times the memory, limit {limit}")
            print(row, flush=True)
    for breach in breaches:
        print(f"check_compile_time.py: {breach}", file=sys.stderr)
    return 1 if breaches else 0


sys.exit(main())
