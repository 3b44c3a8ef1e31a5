#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""check_docs.py [--fix]: checks the code, links and names in the pages.

A code block after `<!-- snippet: docs/snippets/tutorial.cpp#plan -->` must equal the lines between the two `// [plan]`
marks of that file, without their common indentation; without `#...` the whole file without its SPDX lines. Every C++ block
must be such a snippet. Commands: scripts/check_commands.py. Relative links must name existing files. In `code`, file names
must exist, and functions (`name(...)`) and qualified names (`a::b`) must occur in the sources; CHANGELOG.md may have former
names. --fix rewrites the blocks."""
import pathlib
import re
import sys
import textwrap

root = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- snippet: (\S+?)(?:#(\w+))? -->\n\n?```\w*\n)(.*?)(```\n)", re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"[\w./-]*\w\.(?:hpp|cpp|py|sh|cmake|in|md|tsv)")
NAME = re.compile(r"((?:\w+::)*\w+)(?:<[^()]*>)?(?:\(|$)")
SOURCES = ("core", "formats", "solvers", "compiled", "unit_tests", "perf_tests", "tools", "examples", "docs", "scripts", "cmake")
FOREIGN = ("std::", "Kokkos::", "KokkosSparse::", "KokkosBlas::", "Eigen::", "CLI::", "CUDA::", "Tpetra::", "Belos::", "MueLu::",
           "Ifpack2::", "Teuchos::")  # names of other projects


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


def tree():
    """The paths of all files, and the words in those that are not pages."""
    paths, words = {path.name for path in root.iterdir()}, set()
    for folder in SOURCES:
        for path in (root / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                paths.add(path.relative_to(root).as_posix())
                if path.suffix in (".hpp", ".cpp", ".py", ".sh", ".cmake", ".in", ".txt"):
                    words.update(re.findall(r"\w+", path.read_text(encoding="utf-8", errors="replace")))
    return paths, words


def missing_names(text, folder, paths, words):
    """Yields the file names and functions in `code` that the tree does not have."""
    for code in CODE.findall(re.sub(r"```.*?```", "", text, flags=re.S)):
        if FILE.fullmatch(code):
            name = code.removeprefix("../").removeprefix("../").removeprefix("einkorn/")
            if not (folder / code).exists() and not any(path == name or path.endswith("/" + name) for path in paths):
                yield code
            continue
        match = NAME.match(code)
        is_name = match and ("(" in match[0] or ("::" in match[1] and match.end() == len(code)))
        if is_name and not match[1].startswith(FOREIGN) and not set(match[1].split("::")) - {"Einkorn"} <= words:
            yield code


def main():
    fix = sys.argv[1:] == ["--fix"]
    if sys.argv[1:] and not fix:
        print(__doc__, file=sys.stderr)
        return 2
    faults = []
    paths, words = tree()
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
                faults.append(f"{name}:{line}: C++ without a snippet mark")
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)
        for link in LINK.findall(prose):
            if not re.match(r"[a-z]+:", link) and not (path.parent / link).exists():
                faults.append(f"{name}: links to {link}, which does not exist")
        if path.name != "CHANGELOG.md":
            faults += [f"{name}: `{code}` does not exist" for code in missing_names(text, path.parent, paths, words)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
