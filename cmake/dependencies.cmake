# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# Einkorn::einkorn needs only Kokkos. The other packages are needed by components; a message reports missing ones. An
# existing target Kokkos::kokkos (add_subdirectory, FetchContent) is used.

if(NOT TARGET Kokkos::kokkos)
  find_package(Kokkos 4.6 QUIET)
  if(NOT Kokkos_FOUND)
    message(FATAL_ERROR "Einkorn needs Kokkos 4.6 or newer: set Kokkos_ROOT to its prefix, or run scripts/test.sh, "
                        "which gets one")
  endif()
endif()

# A Kokkos that was built with CUDA or HIP as CMake language needs the same language for its users.
if(Kokkos_COMPILE_LANGUAGE AND NOT Kokkos_COMPILE_LANGUAGE STREQUAL "CXX")
  if(NOT DEFINED CMAKE_${Kokkos_COMPILE_LANGUAGE}_ARCHITECTURES)
    set(CMAKE_${Kokkos_COMPILE_LANGUAGE}_ARCHITECTURES ${Kokkos_${Kokkos_COMPILE_LANGUAGE}_ARCHITECTURES})
  endif()
  enable_language(${Kokkos_COMPILE_LANGUAGE})
endif()

if(Einkorn_ENABLE_KOKKOS_KERNELS AND NOT TARGET Kokkos::kokkoskernels)
  find_package(KokkosKernels QUIET)
  if(NOT KokkosKernels_FOUND)
    message(STATUS "Einkorn::kokkos_kernels: skipped, Kokkos Kernels was not found (KokkosKernels_ROOT)")
  endif()
endif()

if(Einkorn_ENABLE_IO)
  find_package(Threads QUIET)   # with zlib, for the reader
  find_package(ZLIB QUIET)
  if(NOT ZLIB_FOUND)
    message(STATUS "Einkorn::io: skipped, zlib was not found")
  endif()
endif()

if(Einkorn_ENABLE_MPI AND NOT TARGET MPI::MPI_CXX)
  set(MPI_CXX_SKIP_MPICXX TRUE)  # without the former C++ interface of MPI
  find_package(MPI QUIET COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    message(STATUS "Einkorn::mpi: skipped, MPI was not found (MPI_HOME)")
  endif()
endif()

set(Einkorn_NCCL_TARGET NCCL::NCCL)
if(Kokkos_ENABLE_HIP)
  set(Einkorn_NCCL_TARGET roc::rccl)
endif()
if(Einkorn_ENABLE_NCCL AND (Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP) AND NOT TARGET ${Einkorn_NCCL_TARGET})
  if(Kokkos_ENABLE_HIP)
    find_package(rccl QUIET)
  else()
    list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
    find_package(NCCL QUIET)
  endif()
  if(NOT TARGET ${Einkorn_NCCL_TARGET})
    message(STATUS "Einkorn::nccl: skipped, NCCL was not found (NCCL_ROOT; HIP: rccl_ROOT)")
  endif()
endif()

# Off unless requested, because a Trilinos has its own Kokkos, which may not be the one of Kokkos_ROOT.
if(Einkorn_ENABLE_TPETRA)
  if(NOT TARGET Tpetra::all_libs)
    find_package(Tpetra REQUIRED)
  endif()
  if(NOT Einkorn_ENABLE_MPI OR NOT TARGET MPI::MPI_CXX OR NOT TARGET Tpetra::all_libs)
    message(FATAL_ERROR "Einkorn::tpetra needs Einkorn::mpi and Tpetra::all_libs of a Trilinos with MPI: set Kokkos_ROOT to "
                        "the prefix of Trilinos, or Einkorn_ENABLE_TPETRA=OFF")
  endif()
endif()

if(Einkorn_ENABLE_CUSPARSE AND Kokkos_ENABLE_CUDA)
  find_package(CUDAToolkit QUIET)
  if(NOT TARGET CUDA::cusparse)
    message(STATUS "Einkorn::cusparse: skipped, the CUDA toolkit's cuSPARSE was not found (CUDAToolkit_ROOT)")
  endif()
endif()
