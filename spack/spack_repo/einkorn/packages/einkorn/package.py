# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
import os
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Einkorn(CMakePackage, CudaPackage, ROCmPackage):
    """Header-only C++20 library on Kokkos: sparse matrix-vector products, products of sparse
    matrices and Krylov solvers."""

    # The clone that contains this file, because the project has no public address yet.
    git = pathlib.Path(__file__).resolve().parents[5].as_uri()

    tags = ["kokkos"]
    license("Apache-2.0 WITH LLVM-exception")
    test_requires_compiler = True

    # Every tagged version of CHANGELOG.md: version("X.Y.Z", commit="..."), the commit of its tag.
    version("main", branch="main")
    version("0.2.0", commit="f176c63e930417b29ddc50242e70c4b3ab3a011b")

    variant("io", default=True, description="Matrix Market reader and writer (zlib)")
    variant("tools", default=False, when="+io", description="Program einkorn-solve")
    variant("compiled", default=False, description="Library of the kernels for common types")
    variant("kokkos_kernels", default=False, description="Conversion to CrsMatrix")
    variant("mpi", default=False, description="Matrices and solves on the ranks of MPI")
    variant("nccl", default=False, when="+mpi", description="NCCL or RCCL between GPUs")
    variant("tpetra", default=False, when="+mpi", description="Operators for Tpetra and Belos")
    variant("cusparse", default=True, when="+cuda", description="Calls of cuSPARSE by name")
    variant("openmp", default=False, description="Kokkos with OpenMP")

    depends_on("cxx", type="build")
    depends_on("c", type="build", when="+mpi")  # recipes of MPI set their C compiler for users
    depends_on("cmake@3.23:", type="build")
    depends_on("googletest@1.12:", type="test")
    depends_on("zlib-api", when="+io")
    depends_on("cli11", when="+tools")
    depends_on("mpi@3:", when="+mpi")
    depends_on("nccl@2.7:", when="+nccl+cuda")  # ncclSend
    depends_on("rccl", when="+nccl+rocm")
    depends_on("trilinos@16.2:+mpi+tpetra", when="+tpetra")
    depends_on("kokkos-kernels", when="+kokkos_kernels")

    depends_on("kokkos@4.6:5")
    depends_on("kokkos+openmp", when="+openmp")
    requires("^kokkos cxxstd=20", "^kokkos cxxstd=23", policy="any_of")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos+cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
        depends_on(
            f"kokkos-kernels+cuda cuda_arch={arch}",
            when=f"+kokkos_kernels+cuda cuda_arch={arch}",
        )
        depends_on(f"nccl cuda_arch={arch}", when=f"+nccl+cuda cuda_arch={arch}")
        depends_on(
            f"trilinos+cuda cuda_arch={arch}",
            when=f"+tpetra+cuda cuda_arch={arch}",
        )
    for arch in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos+rocm amdgpu_target={arch}", when=f"+rocm amdgpu_target={arch}")
        depends_on(
            f"trilinos+rocm amdgpu_target={arch}",
            when=f"+tpetra+rocm amdgpu_target={arch}",
        )
    conflicts("+cuda", when="cuda_arch=none", msg="Kokkos needs one cuda_arch")
    conflicts("+rocm", when="amdgpu_target=none", msg="Kokkos needs one amdgpu_target")
    conflicts("+cuda", when="+rocm", msg="Kokkos has either CUDA or ROCm")
    conflicts("+nccl", when="~cuda~rocm", msg="NCCL and RCCL need a GPU")
    requires("^kokkos+cuda_lambda", when="+cuda ^kokkos@:4")
    requires("^kokkos+wrapper", "^kokkos+cmake_lang", policy="any_of", when="+cuda %gcc")
    # The recipe of Kokkos accepts a wrapper of any version.
    for v in ("4.6", "4.7", "5.0", "5.1"):
        depends_on(f"kokkos-nvcc-wrapper@{v}", when=f"+cuda ^kokkos@{v}+wrapper")

    conflicts("%gcc@:10", msg="C++20")
    conflicts("%clang@:13", msg="C++20")

    @property
    def components(self):
        names = ("io", "compiled", "kokkos_kernels", "mpi", "nccl", "tpetra", "cusparse")
        return ["einkorn", *(name for name in names if self.spec.satisfies(f"+{name}"))]

    @property
    def sanity_check_is_file(self):
        """The exported targets: CMake skips a component without the library that it needs."""
        folder = join_path("lib64" if os.path.isdir(self.prefix.lib64.cmake) else "lib", "cmake")
        files = [join_path(folder, "Einkorn", f"Einkorn_{c}.cmake") for c in self.components]
        files.append(join_path("include", "einkorn", "core", "version.hpp"))
        if self.spec.satisfies("+tools"):
            files.append(join_path("bin", "einkorn-solve"))
        return files

    def compiler_args(self):
        """The compiler of Kokkos where it is not the one of this package."""
        if self.spec.satisfies("^kokkos+rocm"):
            return [self.define("CMAKE_CXX_COMPILER", self.spec["hip"].hipcc)]
        if self.spec.satisfies("^kokkos+wrapper"):
            return [self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx)]
        return []

    def cmake_args(self):
        return [
            *self.compiler_args(),
            self.define("Kokkos_ROOT", self.spec["kokkos"].prefix),
            self.define_from_variant("Einkorn_ENABLE_IO", "io"),
            self.define("Einkorn_ENABLE_TOOLS", self.spec.satisfies("+tools")),
            self.define_from_variant("Einkorn_ENABLE_COMPILED", "compiled"),
            self.define_from_variant("Einkorn_ENABLE_KOKKOS_KERNELS", "kokkos_kernels"),
            self.define_from_variant("Einkorn_ENABLE_MPI", "mpi"),
            self.define("Einkorn_ENABLE_NCCL", self.spec.satisfies("+nccl")),
            self.define("Einkorn_ENABLE_TPETRA", self.spec.satisfies("+tpetra")),
            self.define("Einkorn_ENABLE_CUSPARSE", self.spec.satisfies("+cusparse")),
            self.define("Einkorn_ENABLE_TESTS", self.run_tests and self.spec.satisfies("+io")),
            self.define("Einkorn_ENABLE_PERF_TESTS", False),
            self.define("Einkorn_ENABLE_EXAMPLES", False),
            self.define("Einkorn_ENABLE_WERROR", False),
        ]

    @run_after("install")
    def keep_examples(self):
        cache_extra_test_sources(self, "examples")

    @property
    def examples(self):
        return join_path(self.test_suite.current_test_cache_dir, "examples")

    def configure(self, source):
        """Configures a project that uses the installation, in the current folder."""
        cmake = which(self.spec["cmake"].prefix.bin.cmake, required=True)
        cmake(
            source,
            *self.compiler_args(),
            self.define("CMAKE_BUILD_TYPE", "Release"),
            self.define("CMAKE_PREFIX_PATH", [self.prefix, *get_cmake_prefix_path(self)]),
        )
        return cmake

    def build_and_run(self, example, *arguments):
        with working_dir(join_path(self.examples, example, "build"), create=True):
            cmake = self.configure("..")
            cmake("--build", ".")
            run = which(join_path(".", f"einkorn.example.{example}"), required=True)
            return run(*arguments, output=str.split, error=str.split)

    def test_components(self):
        """find every component of the variants with find_package"""
        with working_dir(join_path(self.examples, "components"), create=True):
            with open("CMakeLists.txt", "w", encoding="utf-8") as file:
                file.write("cmake_minimum_required(VERSION 3.23)\n")
                file.write("project(Components LANGUAGES CXX)\n")
                names = " ".join(self.components)
                file.write(f"find_package(Einkorn REQUIRED COMPONENTS {names})\n")
            self.configure(".")

    def test_solve(self):
        """build examples/solve against the installation and solve a system"""
        check_outputs("converged after", self.build_and_run("solve", "1000"))

    def test_spmv(self):
        """build examples/spmv against the installation and read a matrix"""
        if self.spec.satisfies("~io"):
            raise SkipTest("needs the variant io")
        matrix = join_path(self.examples, "data", "1138_bus.mtx.gz")
        check_outputs("1138 x 1138, 4054 entries", self.build_and_run("spmv", matrix))

    def test_einkorn_solve(self):
        """solve a generated system with einkorn-solve"""
        if not self.spec.satisfies("+tools"):
            raise SkipTest("needs the variant tools")
        run = which(self.prefix.bin.join("einkorn-solve"), required=True)
        output = run("gen:stencil7:12", output=str.split, error=str.split)
        check_outputs("converged", output)
