#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""check_commands.py [BUILD]: checks that the commands in the pages exist and have the options used.

Checks every command in a shell block (a code block without a language, or of sh or bash, that begins with a command), and
every Einkorn command in `code`:
  einkorn-solve     is executed in a folder with A.mtx, A.mtx.gz, b.mtx; in `code` and after mpirun its options are in --help
  einkorn-bench...  its options are in --help (a run measures for minutes)
  scripts/*, *.py   the file exists and contains the options
  cmake             every -DEinkorn_* is an option of Einkorn, every --preset is in CMakePresets.json
  NOT_RUN           commands that cannot run in CI, with the reason
Any other command is a fault. BUILD (default build/release) contains the programs; a missing one is a fault."""
import gzip
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
NOT_RUN = (
    (r"compute-sanitizer ", "needs a GPU"),
    (r"for \w+ in .*draw\.py", "needs an hour of measurements by measure.sh on an idle machine"),
    (r"export \w+=", "sets a variable for the next lines"),
    (r"spack ", "needs Spack: scripts/check_spack.sh"),
    (r"cpack ", "scripts/check_consumers.sh runs it"),
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)
FIRST = re.compile(r"(?:[A-Z]\w*=\S+ +)*(?:sudo )?((?:[\w./-]+/)?(?:einkorn-[\w-]+|[\w-]+\.(?:sh|py))|perf_tests/plot|cmake|ctest|ninja|export|for|"
                   r"compute-sanitizer|git|apt-get|spack|cpack)\b")
INLINE = re.compile(r"`((?:sudo )?(?:[\w./-]+/)?(?:einkorn-(?:bench|bench-full|solve)|plot|[\w-]+\.(?:sh|py))(?: [^`]*)?)`")
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
TAKES_CTEST_OPTIONS = "[CTEST ARGUMENT...]"  # in a script's header: the options are those of ctest


def tracked(*patterns):
    listed = subprocess.run(["git", "-C", root, "ls-files", *patterns], stdout=subprocess.PIPE, text=True, check=True)
    return [root / name for name in listed.stdout.split()]


def pages():
    return [path for path in tracked("*.md") if path.name != "CHANGELOG.md"]


def commands(text):
    """Yields (line, command, whether it is from a block) of a page."""
    for block in FENCE.finditer(text):
        if block[1] not in ("", "sh", "bash") or not FIRST.match(block[2]):
            continue
        line = text[: block.start()].count("\n") + 2
        for command in re.split(r"(?<!\\)\n", block[2].rstrip("\n")):
            bare = re.sub(r"(?:^|\s)#.*", "", command.replace("\\\n", " ")).strip()
            if bare:
                yield line, bare, True
            line += command.count("\n") + 1
    prose = FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)
    for code in INLINE.finditer(prose):
        yield prose[: code.start()].count("\n") + 1, code[1], False


class Checker:
    def __init__(self, build, folder):
        self.build, self.folder, self.helps, self.ran = build, folder, {}, 0
        self.files = tracked("*.sh", "*.py", "perf_tests/plot")
        presets = json.loads((root / "CMakePresets.json").read_text(encoding="utf-8"))
        self.presets = {preset["name"] for kind in presets.values() if isinstance(kind, list) for preset in kind}
        self.cmake = "\n".join(path.read_text(encoding="utf-8") for path in
                               [root / "CMakeLists.txt", *root.glob("*/CMakeLists.txt"), *root.glob("cmake/*.cmake")])

    def program(self, name):
        return self.build / ("tools" if name == "einkorn-solve" else "perf_tests") / name

    def help_of(self, name):
        if name not in self.helps:
            shown = subprocess.run([self.program(name), "--help"], stdout=subprocess.PIPE, text=True, check=True)
            self.helps[name] = set(OPTION.findall(shown.stdout))
        return self.helps[name]

    def fault(self, page, command, from_block):
        """The error of a command, or None."""
        if any(re.match(pattern, command) for pattern, _ in NOT_RUN):
            return None
        if command.startswith("mpirun "):  # the tests of tools/ run it
            command, from_block = re.sub(r"^mpirun -n \d+ ", "", command), False
        first = FIRST.match(command)
        if not first:
            return "unknown command: add it to NOT_RUN, with the reason"
        options = OPTION.findall(command[first.end():])
        name = first[1].split("/")[-1]
        if name in ("einkorn-bench", "einkorn-bench-full", "einkorn-bench-ranks", "einkorn-solve"):
            unknown = [option for option in options if option not in self.help_of(name)]
            if unknown:
                return f"{', '.join(unknown)}: not in {name} --help"
            return self.run(command) if from_block and name == "einkorn-solve" else None
        if name.endswith((".sh", ".py")) or name == "plot":
            places = [folder / first[1] for folder in (root, page.parent)] + [path for path in self.files if path.name == first[1]]
            path = next((place for place in places if place.is_file()), None)
            if path is None:
                return f"{first[1]} does not exist"
            text = path.read_text(encoding="utf-8") + ("--help" if path.suffix != ".sh" else "")
            unknown = [option for option in options if option not in text and TAKES_CTEST_OPTIONS not in text]
            return f"{', '.join(unknown)}: not in {first[1]}" if unknown else None
        if name == "cmake":
            unknown = [option for option in re.findall(r"-D(Einkorn_\w+)", command) if option not in self.cmake]
            unknown += [preset for preset in re.findall(r"--preset[ =](\S+)", command) if preset not in self.presets]
            return f"{', '.join(unknown)}: not an option or preset of Einkorn" if unknown else None
        return "no check for this command: add it to NOT_RUN, with the reason"

    def run(self, command):
        words = shlex.split(command)
        words[0] = str(self.program(words[0]))
        self.ran += 1
        done = subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              timeout=600, env={**os.environ, "OMP_NUM_THREADS": "2", "OMP_PROC_BIND": "false"})
        return f"exit {done.returncode}: {done.stdout.strip()[-400:]}" if done.returncode else None


def main():
    build = pathlib.Path(sys.argv[1] if sys.argv[1:] else root / "build/release").resolve()
    faults, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        matrix = (root / "examples/data/1138_bus.mtx.gz").read_bytes()
        (pathlib.Path(folder) / "A.mtx.gz").write_bytes(matrix)
        (pathlib.Path(folder) / "A.mtx").write_bytes(gzip.decompress(matrix))
        (pathlib.Path(folder) / "b.mtx").write_text("%%MatrixMarket matrix array real general\n1138 1\n" + "1\n" * 1138)
        checker = Checker(build, folder)
        for path in pages():
            for line, command, from_block in commands(path.read_text(encoding="utf-8")):
                count += 1
                fault = checker.fault(path, command, from_block)
                if fault:
                    faults.append(f"{path.relative_to(root)}:{line}: {command}\n  {fault}")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{count} commands in the pages, {checker.ran} of them run, {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
