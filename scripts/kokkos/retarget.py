#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""retarget.py IN.so OUT.so: makes a library of a newer Debian loadable on this system.

Renames required symbol versions that the libraries of this system do not define (such as GLIBC_2.38) to the oldest
version of the library. Changes only .gnu.version_r, 8 bytes per requirement (hash and name offset). libkokkosshim.so
(shim.cpp, shim.map) must provide these symbols at the oldest version."""
import re
import struct
import subprocess
import sys

OLDEST = {"libc.so.6": "GLIBC_2.2.5", "libstdc++.so.6": "GLIBCXX_3.4"}
SHT_GNU_VERNEED = 0x6FFFFFFE


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def defined_versions(library):
    """The versions that `library` of this system defines, or None if it does not exist."""
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
        sys.exit(f"retarget.py: {source} is not a 64-bit little-endian ELF file")
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
