#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""check_recipe.py: checks the Spack recipe in spack/ without Spack. Prints every fault; exits with 1 if there is one.

  layout     repo.yaml, folders and the name of the class are those that Spack 1.0 expects
  style      what `spack style` checks: lines of at most 99 columns, double quotes, order of imports, no trailing spaces
  options    every Einkorn_* in the recipe is an option of CMake; every option is in the recipe or in NOT_FORWARDED; every
             component and every variant is forwarded
  versions   minimum versions of CMake and Kokkos; a version with its commit for every tagged one of CHANGELOG.md"""
import ast
import pathlib
import re
import subprocess
import sys
import tokenize

root = pathlib.Path(__file__).resolve().parent.parent
NAME = "einkorn"
repository = root / "spack/spack_repo" / NAME
recipe = repository / "packages" / NAME / "package.py"
NOT_FORWARDED = {
    "Einkorn_ENABLE_INSTALL": "on, as Einkorn is the top-level project",
    "Einkorn_COMPILED_TYPES": "the default types",
    "Einkorn_HOST_SIMD": "none: Spack's compiler wrapper passes the target, Kokkos has its own",
    "Einkorn_TEST_SPACES": "the default execution space",
    "Einkorn_TEST_FEW_TYPES": "for sanitizers",
    "Einkorn_TEST_SOLVERS_ON_EVERY_FORMAT": "for sanitizers",
    "Einkorn_MPIEXEC_OPTIONS": "for tests",
    "Einkorn_TEST_THREADS": "for tests",
    "Einkorn_UNITY_SOURCES": "for compile time",
    "Einkorn_PRECOMPILED_HEADERS": "for compile time",
    "Einkorn_TEST_FILTER": "for sanitizers",
}
NOT_COMPONENTS = {"tools": "a program", "openmp": "a variant of Kokkos"}
MAX_COLUMNS = 99
faults = []


def fault(where, what):
    faults.append(f"{where}: {what}")


def read(name):
    return (root / name).read_text(encoding="utf-8")


def check_layout(tree):
    fields = dict(re.findall(r"^  (\w+): *(\S+)$", (repository / "repo.yaml").read_text(encoding="utf-8"), re.M))
    if fields.get("namespace") != NAME:
        fault("repo.yaml", f"the namespace is {fields.get('namespace')}, expected that of the folder, {NAME}")
    if not re.fullmatch(r"v2\.[0-2]", fields.get("api", "")):
        fault("repo.yaml", f"the package API is {fields.get('api')}, expected v2.0 to v2.2 (Spack 1.0)")
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    if [node.name for node in classes] != [NAME.capitalize()]:
        fault("package.py", f"expected one class, {NAME.capitalize()}")
    elif not ast.get_docstring(classes[0]):
        fault("package.py", "the class has no docstring")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not ast.get_docstring(node):
            fault(f"package.py:{node.lineno}", f"{node.name} has no docstring, which Spack prints")


def check_style(text, tree):
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_COLUMNS:
            fault(f"package.py:{number}", f"{len(line)} columns, at most {MAX_COLUMNS}")
        if line != line.rstrip() or "\t" in line:
            fault(f"package.py:{number}", "a trailing space or a tab")
    if not text.endswith("\n") or text.endswith("\n\n"):
        fault("package.py", "expected one newline at the end")
    for token in tokenize.generate_tokens(iter(text.splitlines(True)).__next__):
        if token.type == tokenize.STRING and re.match(r"\w*'", token.string) and '"' not in token.string:
            fault(f"package.py:{token.start[0]}", "single quotes")

    def section(node):
        module = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        return {"spack_repo": 1, "spack": 2}.get(module.split(".")[0], 0), module
    imports = [section(node) for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    if imports != sorted(imports):
        fault("package.py", "imports: standard library, spack_repo, spack.package, each in alphabetical order")


def directives(tree, name):
    """(positional strings, keyword strings) of every call of a directive."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield ([arg.value for arg in node.args if isinstance(arg, ast.Constant)],
                   {word.arg: word.value.value for word in node.keywords if isinstance(word.value, ast.Constant)})


def cmake_options():
    pattern = re.compile(r"\boption\((Einkorn_\w+)|\bset\((Einkorn_\w+)[^()]*\bCACHE\b", re.S)
    paths = [root / "CMakeLists.txt", *root.glob("*/CMakeLists.txt"), *root.glob("cmake/*.cmake")]
    return {match[1] or match[2] for path in paths for match in pattern.finditer(path.read_text(encoding="utf-8"))}


def check_options(text, tree):
    options, used = cmake_options(), set(re.findall(r'"(Einkorn_[A-Z]\w+)"', text))
    for name in sorted(used - options):
        fault("package.py", f"{name} is no option of CMake")
    for name in sorted(options - used - NOT_FORWARDED.keys()):
        fault("package.py", f"{name} is neither forwarded nor in NOT_FORWARDED of check_recipe.py")
    for name in sorted(NOT_FORWARDED.keys() - options | NOT_FORWARDED.keys() & used):
        fault("check_recipe.py", f"NOT_FORWARDED has {name}, which is forwarded or no option")

    variants = {names[0] for names, _ in directives(tree, "variant")}
    conditional = {names[0] for names, words in directives(tree, "variant") if "when" in words}
    forwarded = dict(re.findall(r'define_from_variant\("(\w+)", "(\w+)"\)', text))
    for name in sorted(conditional & set(forwarded.values())):
        fault("package.py", f"define_from_variant gives an empty argument where {name}, which has a condition, is no variant")
    forwarded |= dict(re.findall(r'define\("(\w+)", self.spec.satisfies\("\+(\w+)"\)\)', text))
    for option, variant in forwarded.items():
        if option != f"Einkorn_ENABLE_{variant.upper()}":
            fault("package.py", f"the variant {variant} sets {option}")
    for name in sorted(set(forwarded.values()) - variants):
        fault("package.py", f"{name} is forwarded and no variant")
    for name in sorted(variants - set(forwarded.values()) - {"openmp"}):
        fault("package.py", f"the variant {name} is not forwarded")
    components = set(re.findall(r"einkorn_component\((\w+) HEADERS", read("CMakeLists.txt"))) | {"compiled"}
    for name in sorted(components - {NAME} ^ variants - NOT_COMPONENTS.keys()):
        fault("package.py", f"{name} is a variant or a component of CMakeLists.txt, not both")
    for name in sorted(components):
        if f'"{name}"' not in re.search(r"def components.*?return[^\n]*", text, re.S)[0]:
            fault("package.py", f"components() lacks {name}")


def commit_of(name):
    done = subprocess.run(["git", "-C", root, "rev-parse", "-q", "--verify", f"{name}^{{commit}}"],
                          stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout.strip()


def check_versions(tree):
    own = re.search(r'return "([\d.]+)"', read("core/version.hpp"))[1]
    released = re.findall(r"^## \[([\d.]+)\](.*)$", read("CHANGELOG.md"), re.M)
    if released[0][0] != own:
        fault("CHANGELOG.md", f"the newest version is {released[0][0]}, that of core/version.hpp {own}")
    found = {names[0]: words for names, words in directives(tree, "version")}
    if found.pop("main", None) != {"branch": "main"}:
        fault("package.py", 'expected version("main", branch="main")')
    head = commit_of("HEAD")
    for version, state in released:
        words, commit = found.pop(version, None), commit_of(f"refs/tags/v{version}")
        if "not tagged" in state:
            if words or commit:
                fault("CHANGELOG.md", f"{version} is not tagged, but the recipe or git has its tag")
        elif not words and version == own and commit in ("", head):
            continue  # the commit of a release cannot name itself: the next one does
        elif not words or not re.fullmatch("[0-9a-f]{40}", words.get("commit", "")):
            fault("package.py", f'expected version("{version}", commit="...")')
        elif commit and commit != words["commit"]:
            fault("package.py", f"v{version} is the commit {commit}")
    for version in found:
        fault("package.py", f"version {version} is not in CHANGELOG.md")

    needed = [names[0] for names, _ in directives(tree, "depends_on") if names]
    cmake = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", read("CMakeLists.txt"))[1]
    kokkos = re.search(r"find_package\(Kokkos ([\d.]+)", read("cmake/dependencies.cmake"))[1]
    for spec in (f"cmake@{cmake}:", f"kokkos@{kokkos}:"):
        if not any(each.startswith(spec) for each in needed):
            fault("package.py", f"no depends_on({spec}...), the minimum of CMake")


def main():
    if sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    text = recipe.read_text(encoding="utf-8")
    tree = ast.parse(text, recipe)
    check_layout(tree)
    check_style(text, tree)
    check_options(text, tree)
    check_versions(tree)
    for each in faults:
        print(each, file=sys.stderr)
    print(f"recipe of Spack: {len(cmake_options())} options of CMake, {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
