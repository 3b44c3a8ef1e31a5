# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# einkorn_add_test, einkorn_add_mpi_test and einkorn_add_perf, for unit_tests/ and perf_tests/; einkorn_install_program, for
# einkorn-bench and einkorn-solve; einkorn_configure, einkorn_precompiled_headers and einkorn_unity_sources, for all of them.
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/private_options.cmake)

# einkorn_configure(<target> [HEADER_ONLY] [<library>...]): sets the options and libraries of a program.
# Programs link Einkorn::compiled if it is built, except HEADER_ONLY ones.
function(einkorn_configure target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HEADER_ONLY" "" "")
  target_link_libraries(${target} PRIVATE Einkorn::einkorn ${arg_UNPARSED_ARGUMENTS} einkorn.private_options)
  if(TARGET Einkorn::compiled AND NOT arg_HEADER_ONLY)
    target_link_libraries(${target} PRIVATE Einkorn::compiled)
  endif()
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF HIP_STANDARD 20 HIP_EXTENSIONS OFF)
  if(Kokkos_COMPILE_LANGUAGE)
    get_target_property(sources ${target} SOURCES)
    set_source_files_properties(${sources} PROPERTIES LANGUAGE ${Kokkos_COMPILE_LANGUAGE})
  endif()
endfunction()

# einkorn_precompiled_headers(<target> <kind>): compiles the sources of the target, which has einkorn_quick_options, with a
# precompiled header of Kokkos_Core.hpp (kind program) or of this and GoogleTest (kind test); reading them takes 1.5 s per
# source otherwise. Only g++, and not for devices. Not for other options: at -O3, g++ 12 warns falsely of std::string if
# <string> is precompiled (bug 105651).
set(precompile_by_default OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT Kokkos_ENABLE_CUDA AND NOT Kokkos_ENABLE_HIP AND NOT Kokkos_ENABLE_SYCL)
  set(precompile_by_default ON)
endif()
option(Einkorn_PRECOMPILED_HEADERS "Precompile Kokkos_Core.hpp for tests" ${precompile_by_default})
function(einkorn_precompiled_headers target kind)
  if(NOT Einkorn_PRECOMPILED_HEADERS)
    return()
  endif()
  set(header einkorn.precompiled.${kind})
  if(NOT TARGET ${header})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${header}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "")
    add_library(${header} OBJECT EXCLUDE_FROM_ALL ${source})
    set(headers <Kokkos_Core.hpp>)
    set(libraries "")
    if(kind STREQUAL test)
      list(APPEND headers <gtest/gtest.h>)
      set(libraries GTest::gtest)
    endif()
    einkorn_configure(${header} HEADER_ONLY ${libraries})
    target_compile_options(${header} PRIVATE ${einkorn_quick_options} -fpch-preprocess)  # the last for ccache
    target_precompile_headers(${header} PRIVATE ${headers})
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess)
  target_precompile_headers(${target} REUSE_FROM ${header})
endfunction()

# einkorn_install_program(<target> <description in one line>): installs the program with a manual page made from its
# --help. It finds shared libraries, such as those of Kokkos, in ../lib and where they were when it was linked.
function(einkorn_install_program target summary)
  include(GNUInstallDirs)
  if(NOT APPLE AND NOT CMAKE_INSTALL_LIBDIR MATCHES "^/")
    set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT einkorn OPTIONAL)
  if(NOT CMAKE_CROSSCOMPILING)
    set(page ${CMAKE_CURRENT_BINARY_DIR}/${target}.1)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM BYPRODUCTS ${page}
                       COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${target}> "-DSUMMARY=${summary}" -DPAGE=${page}
                               -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/man_page.cmake)
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT einkorn OPTIONAL)
  endif()
endfunction()

# Less optimization, for code that instantiates many kernels and computes little, such as tests of contracts, layouts and
# outcomes: two thirds of the compile time of -O1 (g++ 12). Other tests compile the same kernels with the options of users.
# None for devices, whose compilers do not become faster. In the cache, because other directories do not have the variables
# of the first that includes this file.
set(quick_options "")
if(NOT Kokkos_ENABLE_CUDA AND NOT Kokkos_ENABLE_HIP AND NOT Kokkos_ENABLE_SYCL)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    set(quick_options -Og)
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang|IntelLLVM")
    set(quick_options -O1)
  endif()
endif()
set(einkorn_quick_options ${quick_options} CACHE INTERNAL "")

# Halves the compile time of files that instantiate the same templates, such as those of a test or of the methods of
# einkorn-solve, and of small files, for which it is the time to read Kokkos_Core.hpp. Not for devices: a larger file uses one
# core.
set(unity_by_default ON)
if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP OR Kokkos_ENABLE_SYCL)
  set(unity_by_default OFF)
endif()
option(Einkorn_UNITY_SOURCES "Compile the sources of a test, and groups of sources of a program, as one translation unit" ${unity_by_default})
# einkorn_unity_sources(<result> <name> <source>...): one file <name>.cpp that includes the sources, with Einkorn_UNITY_SOURCES,
# else the sources. Unlike that of CMake's UNITY_BUILD the file has relative paths: clones in different directories share
# a compiler cache. Targets need the current source directory as an include directory.
function(einkorn_unity_sources result name)
  set(sources ${ARGN})
  if(Einkorn_UNITY_SOURCES AND ARGC GREATER 3)
    list(TRANSFORM ARGN REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
    list(JOIN includes "" content)
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    file(CONFIGURE OUTPUT ${sources} CONTENT "${content}" @ONLY)
  endif()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()
# einkorn_add_test_executable(<target> <source>...)
function(einkorn_add_test_executable target)
  einkorn_unity_sources(sources ${target} ${ARGN})
  add_executable(${target} ${sources})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
endfunction()

# The execution spaces of this Kokkos by their C++ names, the default first.
set(einkorn_spaces "")
foreach(space IN ITEMS Cuda HIP SYCL OpenMP Threads Serial)
  string(TOUPPER ${space} device)
  if(Kokkos_ENABLE_${device})
    list(APPEND einkorn_spaces ${space})
  endif()
endforeach()
list(GET einkorn_spaces 0 default_space)
set(Einkorn_TEST_SPACES ${default_space} CACHE STRING "Execution spaces that the tests are built for: ${einkorn_spaces}")
foreach(space IN LISTS Einkorn_TEST_SPACES)
  if(NOT space IN_LIST einkorn_spaces)
    message(FATAL_ERROR "Einkorn_TEST_SPACES names ${space}, but this Kokkos has ${einkorn_spaces} (Kokkos_ROOT)")
  endif()
endforeach()

# einkorn_add_test(NAME csr.spmv SOURCES csr/spmv_test.cpp
#                  [LIBRARIES Einkorn::io] [LABELS long] [TIMEOUT seconds] [QUICK] [DEBUG] [ONE_THREAD]
#                  [SEVERAL_THREADS filter])
#
# Builds einkorn.test.csr.spmv: one executable einkorn.test.csr.spmv.<space> per space of Einkorn_TEST_SPACES, with
# the macro EINKORN_TEST_SPACE. OpenMP executables run once per number in Einkorn_TEST_THREADS. Labels: unit, the space,
# LABELS. The target einkorn.test builds all tests, except those with the label bench: einkorn.test.bench.
# Label threads: the test starts host threads; scripts/test.sh --tsan runs it (target einkorn.test.threads).
# QUICK: compiled with einkorn_quick_options. DEBUG: its sources undefine NDEBUG (nvcc has no -UNDEBUG). ONE_THREAD:
# does not depend on the number of OpenMP threads; runs once. SEVERAL_THREADS: with other numbers of threads than the first only
# the tests of this filter of GoogleTest run. Default: typed tests for their first type, because work is distributed to threads
# by code that all types share.
option(Einkorn_TEST_FEW_TYPES "Build typed tests for the first of their types only (what the sanitizers run)" OFF)
set(Einkorn_TEST_FILTER "" CACHE STRING "Filter of GoogleTest for the runs of all tests with the first number of threads; empty: all")
set(einkorn_further_types */1.*:*/2.*:*/3.* CACHE INTERNAL "")  # the second to fourth type of typed tests
set(Einkorn_TEST_THREADS 1 3 CACHE STRING "Numbers of OpenMP threads that the tests run with; the sanitizers' builds use others")
function(einkorn_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "QUICK;DEBUG;ONE_THREAD" "NAME;TIMEOUT;SEVERAL_THREADS" "SOURCES;LIBRARIES;LABELS")
  set(name einkorn.test.${arg_NAME})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 1500)  # large enough for sanitizers
  endif()
  add_custom_target(${name})
  if("bench" IN_LIST arg_LABELS)
    add_dependencies(einkorn.test.bench ${name})
  else()
    add_dependencies(einkorn.test ${name})
  endif()
  if("threads" IN_LIST arg_LABELS)
    add_dependencies(einkorn.test.threads ${name})
  endif()
  foreach(space IN LISTS Einkorn_TEST_SPACES)
    string(TOLOWER ${space} suffix)
    einkorn_add_test_executable(${name}.${suffix} ${arg_SOURCES})
    set(header_only "")
    if(arg_DEBUG)
      set(header_only HEADER_ONLY)  # the library has NDEBUG
    endif()
    einkorn_configure(${name}.${suffix} ${header_only} ${arg_LIBRARIES} einkorn.test.main GTest::gtest)
    target_compile_definitions(${name}.${suffix} PRIVATE EINKORN_TEST_SPACE=Kokkos::${space})
    if(Einkorn_TEST_FEW_TYPES)
      target_compile_definitions(${name}.${suffix} PRIVATE EINKORN_TEST_FEW_TYPES)
    endif()
    if(arg_QUICK)
      target_compile_options(${name}.${suffix} PRIVATE ${einkorn_quick_options})
      einkorn_precompiled_headers(${name}.${suffix} test)
    endif()
    add_dependencies(${name} ${name}.${suffix})

    set(thread_counts 1)
    if(space STREQUAL "OpenMP" AND NOT arg_ONE_THREAD)
      set(thread_counts ${Einkorn_TEST_THREADS})
    endif()
    list(GET thread_counts 0 first_count)
    if(NOT arg_SEVERAL_THREADS)
      set(arg_SEVERAL_THREADS -${einkorn_further_types})
    endif()
    foreach(threads IN LISTS thread_counts)
      set(test ${name}.${suffix})
      set(filter ${Einkorn_TEST_FILTER})
      if(NOT threads EQUAL first_count)
        set(filter ${arg_SEVERAL_THREADS})
      endif()
      if(filter)
        set(filter --gtest_filter=${filter})
      endif()
      if(space STREQUAL "OpenMP")
        string(APPEND test .${threads})
      endif()
      add_test(NAME ${test} COMMAND ${name}.${suffix} --gtest_brief=1 ${filter})
      # Without PROCESSORS: most of the time of a test is sequential, and threads without work do not spin.
      set_tests_properties(${test} PROPERTIES
        LABELS "unit;${suffix};${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
        ENVIRONMENT "EINKORN_PROFILE=;OMP_NUM_THREADS=${threads};OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive")
      if(space MATCHES "Cuda|HIP|SYCL")
        set_property(TEST ${test} PROPERTY RESOURCE_LOCK device)
      endif()
    endforeach()
  endforeach()
endfunction()

# Sets Einkorn_MPIEXEC_OPTIONS in the cache.
function(einkorn_find_mpiexec_options)
  if(DEFINED Einkorn_MPIEXEC_OPTIONS)
    return()
  endif()
  execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE version ERROR_VARIABLE version)
  set(options "")
  if(version MATCHES "Open MPI|OpenRTE")  # more ranks than cores
    set(options --oversubscribe --bind-to none)
  endif()
  set(Einkorn_MPIEXEC_OPTIONS ${options} CACHE STRING "Options of MPIEXEC_EXECUTABLE for the tests")
endfunction()

# einkorn_add_mpi_test(NAME comm.mpi SOURCES comm/mpi_test.cpp [RANKS 1 2 3 4] [LIBRARIES ...] [LABELS ...] [QUICK])
#
# Builds einkorn.test.comm.mpi.<space> as einkorn_add_test does, with the main() of support/mpi_main.cpp and
# EINKORN_TEST_MPI (support/ranks.hpp), and runs it by mpirun once per number in RANKS (without them 1 to 4), with one
# OpenMP thread per rank and no other test at the same time. Label mpi. Nothing without Einkorn::mpi, and nothing under the sanitizers, for which MPI libraries are not instrumented:
# the tests of run_ranks() run the same code.
function(einkorn_add_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "QUICK" "NAME" "SOURCES;RANKS;LIBRARIES;LABELS")
  if(NOT TARGET Einkorn::mpi OR Einkorn_TEST_FEW_TYPES)
    return()
  endif()
  if(NOT arg_RANKS)
    set(arg_RANKS 1 2 3 4)
  endif()
  einkorn_find_mpiexec_options()
  if(NOT TARGET einkorn.test.mpi_main)
    add_library(einkorn.test.mpi_main STATIC support/mpi_main.cpp)
    einkorn_configure(einkorn.test.mpi_main HEADER_ONLY Einkorn::mpi GTest::gtest)
  endif()
  set(name einkorn.test.${arg_NAME})
  add_custom_target(${name})
  add_dependencies(einkorn.test ${name})
  foreach(space IN LISTS Einkorn_TEST_SPACES)
    string(TOLOWER ${space} suffix)
    set(target ${name}.${suffix})
    einkorn_add_test_executable(${target} ${arg_SOURCES})
    # main() is that of the first library; the second has the test matrices.
    einkorn_configure(${target} ${arg_LIBRARIES} Einkorn::mpi einkorn.test.mpi_main einkorn.test.main GTest::gtest)
    target_compile_definitions(${target} PRIVATE EINKORN_TEST_SPACE=Kokkos::${space} EINKORN_TEST_MPI)
    if(arg_QUICK)
      target_compile_options(${target} PRIVATE ${einkorn_quick_options})
      einkorn_precompiled_headers(${target} test)
    endif()
    add_dependencies(${name} ${target})
    foreach(ranks IN LISTS arg_RANKS)
      set(test ${target}.ranks_${ranks})
      add_test(NAME ${test} COMMAND ${MPIEXEC_EXECUTABLE} ${Einkorn_MPIEXEC_OPTIONS} ${MPIEXEC_NUMPROC_FLAG} ${ranks}
                                    ${MPIEXEC_PREFLAGS} $<TARGET_FILE:${target}> ${MPIEXEC_POSTFLAGS} --gtest_brief=1)
      set_tests_properties(${test} PROPERTIES
        LABELS "unit;mpi;${suffix};${arg_LABELS}" TIMEOUT 120 PROCESSORS ${ranks} RUN_SERIAL ON
        ENVIRONMENT "EINKORN_PROFILE=;OMP_NUM_THREADS=1;OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive;GTEST_COLOR=no;KOKKOS_DISABLE_WARNINGS=1;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
    endforeach()
  endforeach()
endfunction()

# einkorn_add_perf(NAME csr.spmv SOURCES csr/spmv_perf.cpp [LIBRARIES ...]): einkorn.perf.csr.spmv, on the default space.
function(einkorn_add_perf)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;LIBRARIES")
  add_executable(einkorn.perf.${arg_NAME} ${arg_SOURCES})
  einkorn_configure(einkorn.perf.${arg_NAME} ${arg_LIBRARIES})
endfunction()
