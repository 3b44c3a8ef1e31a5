#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""retarget.py IN.so OUT.so: let a library that was built on a newer Debian load on this one.

Where IN needs a symbol version that this system's library does not define (GLIBC_2.38, say), the need is renamed to
that library's oldest version. Only .gnu.version_r changes, 8 bytes a need (hash and name offset). The symbols
themselves must then come from elsewhere, at the oldest version: from libkokkosshim.so (shim.cpp, shim.map)."""
import re
import struct
import subprocess
import sys

OLDEST = {"libc.so.6": "GLIBC_2.2.5", "libstdc++.so.6": "GLIBCXX_3.4"}
SHT_GNU_VERNEED = 0x6FFFFFFE


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def defined_versions(library):
    """The versions that this system's `library` defines, or None where there is no such library."""
    cached = output_of("/sbin/ldconfig", "-p")
    path = re.search(rf"^\s*{re.escape(library)} \(libc6,x86-64[^)]*\) => (\S+)", cached, re.M)
    return path and set(re.findall(r"^\d+ 0x\S+ 0x\S+ (\S+)", output_of("objdump", "-p", path[1]), re.M))


def needs(image):
    """Yields (library, [(offset of the record, hash, name offset, name)]) for every library in .gnu.version_r."""
    section_headers, = struct.unpack_from("<Q", image, 0x28)
    size, count, _ = struct.unpack_from("<HHH", image, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", image, section_headers + i * size) for i in range(count)]
    need = next(section for section in sections if section[1] == SHT_GNU_VERNEED)
    strings = sections[need[6]][4]

    def text(offset):
        return image[strings + offset:image.index(0, strings + offset)].decode()

    record, step = need[4], True
    while step:
        _, versions, file, first, step = struct.unpack_from("<HHIII", image, record)
        entries, at = [], record + first
        for _ in range(versions):
            code, _, _, name, following = struct.unpack_from("<IHHII", image, at)
            entries.append((at, code, name, text(name)))
            at += following
        yield text(file), entries
        record += step


def main(source, target):
    with open(source, "rb") as file:
        image = bytearray(file.read())
    if image[:6] != b"\x7fELF\x02\x01":
        sys.exit(f"retarget.py: {source} is no 64-bit little-endian ELF file")
    for library, entries in list(needs(image)):
        defined = defined_versions(library)
        for at, _, _, version in entries:
            if defined is not None and version not in defined:
                _, code, name, oldest = next(entry for entry in entries if entry[3] == OLDEST[library])
                struct.pack_into("<I", image, at, code)
                struct.pack_into("<I", image, at + 8, name)
                print(f"{library}: {version} -> {oldest}")
    with open(target, "wb") as file:
        file.write(image)


main(*sys.argv[1:3])
