#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""check.py SOURCE COMPILER [FLAG...]: each line of SOURCE with `// expect: SENTENCE` must give exactly one error, a
failed static_assert with that sentence, and every other line none. Compiles once, without code generation.
COMPILER: g++."""
import os
import re
import subprocess
import sys

MAX_LINES = 14  # of compiler output per mistake, with the quoted source lines


def main():
    source, command = sys.argv[1], sys.argv[2:]
    expected = {}
    with open(source, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if "// expect: " in line:
                expected[number] = line.split("// expect: ")[1].strip()
    name = re.escape(os.path.basename(source))
    run = subprocess.run([*command, "-fsyntax-only", "-O0", "-w", source], env={**os.environ, "LC_ALL": "C"},
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    faults, errors_of, at = [], {}, None
    for line in run.stdout.splitlines():
        here = re.search(rf"{name}:(\d+):\d+:.*required from here", line)  # before the error
        error = re.search(r"(?:fatal )?error: (.*)", line)
        if here:
            at = int(here[1])
        if error:
            own = re.search(rf"{name}:(\d+):\d+: ", line)
            errors_of.setdefault(int(own[1]) if own else at, []).append(error[1])
    for line, sentence in expected.items():
        errors = errors_of.pop(line, [])
        if len(errors) != 1 or sentence not in errors[0] or not errors[0].startswith("static assertion failed"):
            faults.append(f"{source}:{line}: expected one error with '{sentence}', got {errors or 'none'}")
    for line, errors in errors_of.items():
        faults.append(f"{source}:{line}: unexpected errors: {errors}")
    lines = run.stdout.count("\n")
    if lines > MAX_LINES * len(expected):
        faults.append(f"{source}: {lines} lines for {len(expected)} mistakes, at most {MAX_LINES} each")
    if faults:
        print(*faults, "", run.stdout, sep="\n")
        return 1
    print(f"{len(expected)} mistakes, each one sentence; {lines / len(expected):.1f} lines each")
    return 0


if __name__ == "__main__":
    sys.exit(main())
