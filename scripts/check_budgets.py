#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""check_budgets.py: checks size and layering limits. Prints every breach; exits with 1 if there is one.

Checks sizes of files, the headers and include chains of public headers, which folder may include which, where backend
macros of Kokkos may be read, macros, allocations, host functions in device code, and that cmake/headers.cmake lists every
header."""
import os
import pathlib
import re
import statistics
import sys

MEDIAN_LINES, P90_LINES, MAX_LINES = 120, 300, 400
MAX_REACH, MAX_CHAIN = 64, 11  # traits.hpp of the formats, small and always included together, are not counted
OWN_LIMITS = {  # (reach, chain) of headers that contain more than one kernel or solver
    **{name: (209, 12) for name in ("formats/all_formats.hpp", "formats/any_matrix.hpp")},  # every format
    "formats/analysis/select_by_measuring.hpp": (223, 13),  # every format, and the choice of the plan of CSR
    "formats/interop/tpetra_operator.hpp": (234, 13),  # every format, and the distribution over ranks
    "formats/analysis/plan_by_measuring.hpp": (73, MAX_CHAIN),  # the plan of CSR, graphs and wisdom
    "solvers/precond/multigrid.hpp": (186, 15),  # three formats, their selection, and products of matrices
    "solvers/interop/belos_cg.hpp": (285, 14),  # tpetra_operator.hpp, cg and pcg
}
SOLVERS = ("solvers/bicgstab.hpp", "solvers/cg.hpp", "solvers/gmres.hpp", "solvers/pcg.hpp",
           "solvers/richardson.hpp",
           "solvers/distributed/operator.hpp", "solvers/distributed/scaled_system.hpp")  # include the plan of CSR, so that one header suffices for a Csr
MAX_SOLVER_REACH = 106
MAX_MACROS = 5
BACKEND_MACROS = re.compile(r"^\s*#.*\b(KOKKOS_(?:ARCH|ENABLE)_\w+|__CUDA\w*|__HIP\w*|__AVX\w*)", re.M)
MAY_READ_BACKEND_MACROS = ("core/arch.hpp", "core/lanes/", "core/cooperative.hpp", "core/captured_graph.hpp",
                           "core/team_launch.hpp", "core/team_scratch.hpp",
                           "core/detail/caller_device.hpp", "core/detail/device_error.hpp", "core/comm/detail/device_runtime.hpp")
HOST_FUNCTIONS = re.compile(r"\bstd::(?:numeric_limits|min|max|minmax|clamp|swap|exchange|abs|sqrt|isnan|isinf|isfinite|"
                            r"lower_bound|upper_bound|sort|fill|copy|gcd|pow|log2?|exp|conj|real|imag|norm)\b")
LAYERS = ["core", "formats", "solvers"]  # each may include itself and the ones before it
FOLDERS = [  # within a layer, each folder may include itself and the folders on lines before it
    ("formats/shared",),
    ("formats/column_codes", "formats/spmm"),
    ("formats/csr",),
    ("formats/diagonals", "formats/padded"),
    ("formats/bdia", "formats/brcv", "formats/bsr", "formats/coo", "formats/csr5", "formats/dia", "formats/ell",
     "formats/generate", "formats/sell", "formats/spgemm"),
    ("formats/column_blocks", "formats/distributed", "formats/hyb", "formats/interop", "formats/vendor"),
    ("formats/list",),
    ("formats/analysis",),
    ("formats/any",),
    ("solvers/shared",),
    ("solvers/engine", "solvers/precond"),
    ("solvers/bicgstab", "solvers/cg", "solvers/gmres", "solvers/richardson"),
    ("solvers/public",),
    ("solvers/distributed",),
    ("solvers/interop",),
]
# Headers that are not in the group of their folder. formats/csr/csr.hpp is the type that every conversion reads and writes.
FOLDER_OF = {"formats/csr/csr.hpp": "formats/shared", "formats/all_formats.hpp": "formats/any",
             "formats/any_matrix.hpp": "formats/any",
             "formats/analysis/structure_types.hpp": "formats/shared",
             "formats/format_list.hpp": "formats/list", "formats/format_name.hpp": "formats/list",
             "formats/analysis/select_by_measuring.hpp": "formats/any",
             **{f"formats/interop/{name}.hpp": "formats/any" for name in (
                 "detail/ghost_columns", "detail/tpetra_maps", "tpetra_distributed", "tpetra_operator", "tpetra_preconditioner")},
             **{f"solvers/{name}.hpp": "solvers/shared" for name in ("operator", "options", "report")}}
# Former names of headers, which only include the new ones: exempt from the order of folders and from reach and chain.
DEPRECATED = (
    "core/dots.hpp", "core/update.hpp", "formats/csr/fingerprint.hpp",
    "formats/csr/full_from_half.hpp", "formats/csr/narrow_values.hpp", "formats/csr/spgemm.hpp",
    "formats/csr/spgemm_options.hpp", "formats/csr/spgemm_plan.hpp", "formats/csr/spgemm_report.hpp",
    "formats/csr/upload.hpp", "formats/csr/upload_staging.hpp",
    "formats/machine_model.hpp", "formats/machine_profile.hpp", "formats/select.hpp",
    "formats/select_by_measuring.hpp", "formats/select_model.hpp", "formats/structure.hpp",
    "formats/symmetry.hpp", "solvers/set_up.hpp",
)
INTERNAL = ("/detail/", "solvers/bicgstab/", "solvers/cg/", "solvers/engine/", "solvers/gmres/",
            "solvers/precond/multigrid/", "solvers/richardson/")  # included by public headers only
FOREIGN = {  # headers of a library: the only places that may include them
    r"KokkosSparse|KokkosBlas|KokkosKernels": ("formats/interop/",),
    r"cusparse|rocsparse": ("/vendor/",),
    r"zlib\.h": ("core/io/",),
    r"mpi\.h": ("core/comm/mpi_",),
    r"Tpetra|Belos": ("formats/interop/", "solvers/interop/"),
}

root = pathlib.Path(__file__).resolve().parent.parent
breaches = []


def breach(where, what):
    breaches.append(f"{where}: {what}")


def files(folders, *suffixes):
    """name relative to the root -> text"""
    found = (path for folder in folders for path in sorted((root / folder).rglob("*")) if path.suffix in suffixes)
    return {path.relative_to(root).as_posix(): path.read_text() for path in found}


def check_sizes(sources):
    lines = sorted((text.count("\n"), name) for name, text in sources.items())
    counts = [count for count, _ in lines]
    median, p90 = statistics.median(counts), counts[min(len(counts) - 1, int(0.9 * len(counts)))]
    if median > MEDIAN_LINES:
        breach("the tree", f"median file of {median} lines, at most {MEDIAN_LINES}")
    if p90 > P90_LINES:
        breach("the tree", f"nine of ten files within {p90} lines, at most {P90_LINES}")
    for count, name in lines:
        if count > MAX_LINES:
            breach(name, f"{count} lines, at most {MAX_LINES}")
    return f"{len(counts)} files, median {median:.0f} lines, p90 {p90}, max {counts[-1]}"


def check_includes(headers):
    own = {name: [i for i in re.findall(r"^\s*#include\s*<einkorn/([^>]+)>", text, re.M)] for name, text in headers.items()}
    for name, included in own.items():
        # Declarations generated by cmake/compiled.cmake, only for users of Einkorn::compiled.
        compiled = [header for header in included if header.startswith("compiled/")]
        for header in compiled:
            if not (root / header).with_suffix(".in").exists():
                breach(name, f"includes <einkorn/{header}>, which is not generated")
            included.remove(header)
        for header in included:
            if header not in headers:
                breach(name, f"includes <einkorn/{header}>, which does not exist")
            elif header in DEPRECATED and name not in DEPRECATED:
                breach(name, f"includes <einkorn/{header}>, which is deprecated")
            elif layer_of(header) > layer_of(name):
                breach(name, f"includes <einkorn/{header}>: imports go solvers -> formats -> core")
            elif name not in DEPRECATED and not may_include(name, header):
                breach(name, f"includes <einkorn/{header}>: {folder_of(header)} is not below {folder_of(name)}")
            elif is_internal(name) and layer_of(header) == layer_of(name) and is_public_entry(header, headers):
                breach(name, f"includes the public header <einkorn/{header}>, which includes it")
        if re.search(r'^\s*#include\s*"', headers[name], re.M):
            breach(name, 'includes with quotes: <einkorn/...> is the path')
        for library, places in FOREIGN.items():
            for foreign in re.findall(rf"^\s*#include\s*<((?:{library})[^>]*)>", headers[name], re.M):
                if not any(place in name for place in places):
                    breach(name, f"includes <{foreign}>: only {', '.join(places)} may")

    def chain(name, above=()):
        """The longest include chain from name, itself counted."""
        if name in above:
            breach(name, "includes itself: " + " -> ".join((*above[above.index(name):], name)))
            return 0
        if name not in chains:
            chains[name] = 1 + max((chain(i, (*above, name)) for i in own.get(name, ())), default=0)
        return chains[name]

    def reach(name, seen):
        for header in own.get(name, ()):
            if header not in seen:
                seen.add(header)
                reach(header, seen)
        return seen

    # check_consumers.sh compiles headers alone after a precompiled Kokkos_Core.hpp.
    has_kokkos = {name for name, text in headers.items() if re.search(r"^\s*#include\s*<Kokkos_", text, re.M)}
    for name, text in headers.items():
        uses = re.search(r"\bKokkos::|\bKOKKOS_", re.sub(r"//.*", "", text))
        if uses and name not in has_kokkos and not reach(name, set()) & has_kokkos:
            breach(name, f"uses {uses[0]} without a header of Kokkos")
    chains, widest, longest = {}, 0, 0
    for name in headers:
        if is_internal(name) or name in DEPRECATED:
            continue
        width = sum(not header.endswith("/traits.hpp") for header in reach(name, set()))
        length = chain(name)
        own_chain = MAX_CHAIN + name.startswith("solvers/")  # a layer higher
        own_reach = MAX_SOLVER_REACH if name in SOLVERS else MAX_REACH
        most, deepest = OWN_LIMITS.get(name, (own_reach, own_chain))
        if name not in OWN_LIMITS:
            widest, longest = max(widest, width), max(longest, length)
        if width > most:
            breach(name, f"includes {width} headers, at most {most}")
        if length > deepest:
            breach(name, f"include chain of {length}, at most {deepest}")
    return f"reach {widest}, chain {longest}"


def layer_of(name):
    return LAYERS.index(name.split("/")[0])


def folder_of(name):
    if name in FOLDER_OF:
        return FOLDER_OF[name]
    parts = name.split("/")
    if len(parts) > 2:
        return "/".join(parts[:2])
    return {"formats": "formats/shared", "solvers": "solvers/public"}.get(parts[0], parts[0])


def may_include(name, header):
    rank = {folder: i for i, line in enumerate(FOLDERS) for folder in line}
    here, there = folder_of(name), folder_of(header)
    return here == there or here not in rank or there not in rank or rank[there] < rank[here]


def is_internal(name):
    return any(folder in name for folder in INTERNAL)


def is_public_entry(name, headers):
    """A public header that includes an internal one of its own folder."""
    return not is_internal(name) and f"<einkorn/{os.path.dirname(name)}/detail/" in headers[name]


def check_macros(headers):
    macros = {}
    for name, text in headers.items():
        code = re.sub(r"//.*", "", text)
        for macro in re.findall(r"^\s*#\s*define\s+(\w+)", code, re.M):
            macros.setdefault(macro, name)
        if not name.startswith(MAY_READ_BACKEND_MACROS):
            for macro in BACKEND_MACROS.findall(code):
                breach(name, f"reads {macro}: only {', '.join(MAY_READ_BACKEND_MACROS)} may")
    for macro, name in macros.items():
        if not macro.startswith("EINKORN_"):
            breach(name, f"defines {macro}: macros begin with EINKORN_")
    if len(macros) > MAX_MACROS:
        breach("the tree", f"{len(macros)} macros ({', '.join(sorted(macros))}), at most {MAX_MACROS}")
    return f"macros {len(macros)}"


def check_lambdas(headers):
    """nvcc keeps function pointers of a host-device lambda per source file, but the linker keeps one copy of the function
    that reads them, possibly of another source file: then a pointer is null. A `static` template is not merged, but an
    inline function that calls it differs between source files, which C++ forbids. Kernels in headers are therefore
    functors (CONTRIBUTING.md, CUDA)."""
    for name, text in headers.items():
        for at in re.finditer(r"^[^/\n]*KOKKOS_(?:CLASS_)?LAMBDA", text, re.M):
            line = text[: at.start()].count("\n") + 1
            breach(name, f"line {line}: KOKKOS_LAMBDA in a header: write a functor")
        for at in re.finditer(r"^static (?!constexpr|_)|^namespace \{", text, re.M):
            line = text[: at.start()].count("\n") + 1
            breach(name, f"line {line}: internal linkage in a header: a different function in each source file")


# The functions that allocate and throw OutOfMemory with the bytes and the purpose.
MAY_ALLOCATE = ("core/allocate.hpp", "core/error.hpp")
# Lists whose length does not depend on the matrix, and lists of the text reader, which translates std::bad_alloc.
SHORT_LISTS = ("core/io/", "core/staged_copy.hpp", "formats/generate/generator_spec.hpp",
               "formats/analysis/", "formats/interop/upload_staging.hpp")
RAW_VIEWS = (
    (r"\bview_alloc\b", "view_alloc()"),
    (r"\bKokkos::(?:realloc|resize|kokkos_malloc|create_mirror\w*)\b", "a Kokkos allocation"),
    # A type, perhaps the name of a variable, and a label as the first argument; or a member that takes one.
    (r"(?<!throw )\b(?!ScopedRegion\b|Error\b|Matrix\b)(?:[A-Z]\w*|decltype\([^()]*\)|View<(?:[^<>;{}()]|<[^<>;{}()]*>)*>)"
     r"(?:\s+const)?(?:\s+(?!region\b)\w+)?\s*[({]\s*(?:std::string\()?\"einkorn", "a View made from a label"),
    (r"\b\w+_\s*[({]\s*(?:std::string\()?\"einkorn", "a View made from a label"),
)
RAW_LISTS = (
    (r"\bstd::vector<[^;(){}=]*>\s+\w+\s*[({](?!\s*(?:[)}]|char const\*|[\w:]+(?:<[^;]*>)? const&))", "a std::vector made with a size"),
    (r"\w[.](?:resize|reserve|assign)\(", "a std::vector that is given a size"),
)


def check_allocations(headers):
    """All memory of the library is allocated by allocate*() of core/allocate.hpp, or allocate_vector() and reserve() of
    core/error.hpp, so that every failure throws OutOfMemory. reserve() precedes push_back()."""
    for name, text in headers.items():
        if name in MAY_ALLOCATE:
            continue
        code = re.sub(r"//[^\n]*", "", text)
        found = [(pattern, what, "allocate()") for pattern, what in RAW_VIEWS]
        if not name.startswith(SHORT_LISTS):
            found += [(pattern, what, "allocate_vector() or reserve()") for pattern, what in RAW_LISTS]
            found += [(rf"\b{re.escape(path)}[.](?:push|emplace)_back\(", f"{path} grows", "reserve() first")
                      for path in set(re.findall(r"([\w.]+)[.](?:push|emplace)_back\(", code))
                      if f"reserve({path}," not in code]
        for pattern, what, instead in found:
            for at in re.finditer(pattern, code):
                breach(name, f"line {code[: at.start()].count(chr(10)) + 1}: {what}; {instead} throws OutOfMemory")


def check_device_code(headers):
    """nvcc warns (20013-D) of host functions in device code, constexpr ones included: Kokkos has its own of each."""
    for name, text in headers.items():
        code = re.sub(r"//.*", lambda comment: " " * len(comment[0]), text)
        for marked in re.finditer(r"\bKOKKOS_\w*(?:FUNCTION|LAMBDA)\b[^;{]*(?=\{)", code):
            depth, end = 0, marked.end()
            while end < len(code):
                depth += {"{": 1, "}": -1}.get(code[end], 0)
                if depth == 0:
                    break
                end += 1
            for host in HOST_FUNCTIONS.finditer(code, marked.end(), end):
                line = code[: host.start()].count("\n") + 1
                breach(name, f"line {line}: {host[0]} in device code: Kokkos::max, Kokkos::Experimental::finite_max_v, ...")


def check_form(sources, headers):
    for name, text in sources.items():
        if not text.startswith("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n// SPDX-FileCopyrightText: "):
            breach(name, "does not begin with the two SPDX lines")
    listed = set(re.findall(r"^\s+([\w/]+\.hpp)", (root / "cmake/headers.cmake").read_text(), re.M))
    for name in sorted(headers.keys() - listed):
        breach(name, "is not listed in cmake/headers.cmake")
    for name in sorted(listed - headers.keys()):
        breach("cmake/headers.cmake", f"lists {name}, which does not exist")


headers = files(LAYERS, ".hpp")
sources = headers | files(["unit_tests", "perf_tests", "tools", "examples"], ".hpp", ".cpp")
summary = [check_sizes(sources), check_includes(headers), check_macros(headers)]
check_lambdas(headers)
check_allocations(headers)
check_device_code(headers)
check_form(sources, headers)
print("; ".join(summary))
for line in breaches:
    print(line, file=sys.stderr)
sys.exit(bool(breaches))
