#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""check_docs.py [--fix]: what the pages show is what the tests compile, and their links lead somewhere.

A code block after `<!-- snippet: docs/snippets/tutorial.cpp#plan -->` holds the lines between the two `// [plan]` marks
of that file, without their common indentation; without `#...` the whole file but its SPDX lines. Every block of C++ is
such a snippet. Commands: scripts/check_commands.py. Relative links in
README.md, CONTRIBUTING.md and every page of the tree must name files that exist. --fix rewrites the blocks."""
import pathlib
import re
import sys
import textwrap

root = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- snippet: (\S+?)(?:#(\w+))? -->\n\n?```\w*\n)(.*?)(```\n)", re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def snippet(name, mark):
    lines = (root / name).read_text(encoding="utf-8").splitlines()
    if mark is None:
        return "\n".join(line for line in lines if not line.startswith("// SPDX-")) + "\n"
    at = [i for i, line in enumerate(lines) if line.strip() == f"// [{mark}]"]
    if len(at) != 2:
        raise LookupError(f"{name} has {len(at)} marks // [{mark}], expected 2")
    return textwrap.dedent("\n".join(lines[at[0] + 1:at[1]]) + "\n")


def pages():
    skip = {"build", ".git", ".cache"}
    for path in sorted(root.rglob("*.md")):
        if not any(part in skip or part.startswith("build") for part in path.relative_to(root).parts):
            yield path


def main():
    fix = sys.argv[1:] == ["--fix"]
    if sys.argv[1:] and not fix:
        print(__doc__, file=sys.stderr)
        return 2
    faults = []
    for path in pages():
        name, text = path.relative_to(root), path.read_text(encoding="utf-8")

        def replace(match):
            head, source, mark, shown, tail = match.groups()
            try:
                wanted = snippet(source, mark)
            except (OSError, LookupError) as error:
                faults.append(f"{name}: {error}")
                return match[0]
            if wanted != shown and not fix:
                faults.append(f"{name}: the block of {source}{'#' + mark if mark else ''} differs (--fix)")
            return head + wanted + tail

        wanted = BLOCK.sub(replace, text)
        if fix and wanted != text:
            path.write_text(wanted, encoding="utf-8")
        if text.count("<!-- snippet:") != len(BLOCK.findall(text)):
            faults.append(f"{name}: a snippet mark without a code block right after it")
        for block in re.finditer(r"^```cpp$", text, re.M):
            if not re.search(r"<!-- snippet: \S+ -->\n\n?\Z", text[:block.start()]):
                line = text[:block.start()].count("\n") + 1
                faults.append(f"{name}:{line}: C++ that nothing compiles: it needs a snippet mark")
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)
        for link in LINK.findall(prose):
            if not re.match(r"[a-z]+:", link) and not (path.parent / link).exists():
                faults.append(f"{name}: links to {link}, which does not exist")
    for fault in faults:
        print(fault, file=sys.stderr)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
