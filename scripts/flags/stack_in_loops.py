#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""stack_in_loops.py BINARY PATTERN...: checks that host kernels keep sums and gathered values in registers.

Functions whose demangled names match PATTERN must have loops with packed multiplications, and the innermost loops around
them must not move vector registers to or from the stack. x86-64 only. Exit 1 otherwise."""
import re
import subprocess
import sys

FUNCTION = re.compile(r"^([0-9a-f]+) <(.*)>:$")
INSTRUCTION = re.compile(r"^ +([0-9a-f]+):\t(\S+) *(.*)$")
PACKED = re.compile(r"^v?(fn?m(add|sub)[0-9]+|mul)p[sd]$")
STACK = re.compile(r"\(%r[sb]p")


def functions(binary):
    """Yields (name, [(address, mnemonic, operands)])."""
    text = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", binary], capture_output=True, text=True, check=True)
    name, body = "", []
    for line in text.stdout.splitlines():
        if head := FUNCTION.match(line):
            yield name, body
            name, body = head[2], []
        elif found := INSTRUCTION.match(line):
            body.append((int(found[1], 16), found[2], found[3]))
    yield name, body


def loops(body):
    """[(first address, last address)] of backward jumps."""
    first, found = body[0][0], []
    for address, mnemonic, operands in body:
        target = re.match(r"([0-9a-f]+)\b", operands) if mnemonic.startswith("j") else None
        if target and first <= int(target[1], 16) <= address:
            found.append((int(target[1], 16), address))
    return found


def main(binary, *patterns):
    status = 0
    bodies = [(name, body) for name, body in functions(binary) if body]
    for pattern in patterns:
        clean, stacked = 0, []
        for name, body in bodies:
            if not re.search(pattern, name):
                continue
            jumps, seen = loops(body), set()
            for address, mnemonic, _ in body:
                around = [(end - begin, begin, end) for begin, end in jumps if begin <= address <= end]
                if PACKED.match(mnemonic) and around:
                    seen.add(min(around))
            for _, begin, end in seen:
                if any(begin <= at <= end and STACK.search(operands) and re.search("%[xyz]mm", operands)
                       for at, _, operands in body):
                    stacked.append(f"{begin:x}..{end:x} of {name[:100]}")
                else:
                    clean += 1
        print(f"{pattern}: {clean} loops of packed arithmetic in registers, {len(stacked)} with vectors on the stack")
        if clean < 1 or stacked:
            print("\n".join(stacked), file=sys.stderr)
            status = 1
    return status


sys.exit(main(*sys.argv[1:]))
