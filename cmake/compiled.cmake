# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# Einkorn::compiled: the functions of compiled/*.in, explicitly instantiated for Einkorn_COMPILED_TYPES on the default
# execution space. Users compile against the same headers; EINKORN_COMPILED, which the target defines, adds `extern
# template` declarations of these functions, so that their kernels are not compiled again.
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/private_options.cmake)

set(Einkorn_COMPILED_TYPES "double,int,int;double,int,std::size_t;float,int,int;float,int,std::size_t" CACHE STRING
    "Einkorn::compiled: list of scalar,ordinal,offset")

# einkorn_compiled_file(<file> <functions> <prefix> <type combinations>): writes the instantiations after `prefix`.
function(einkorn_compiled_file file functions EXTERN text types)
  set(body "")
  foreach(combination IN LISTS types)
    string(REPLACE "," ";" combination "${combination}")
    list(GET combination 0 SCALAR)
    list(GET combination 1 ORDINAL)
    list(GET combination 2 OFFSET)
    set(TYPES "detail::CompiledTypes<${SCALAR}, ${ORDINAL}, ${OFFSET}>")
    file(READ ${PROJECT_SOURCE_DIR}/compiled/${functions}.in lines)
    string(CONFIGURE "${lines}" lines @ONLY)
    string(APPEND body "${lines}")
  endforeach()
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
       "// Generated from compiled/${functions}.in by cmake/compiled.cmake.\n${text}\nnamespace einkorn {\n\n${body}\n}  // namespace einkorn\n")
endfunction()

# einkorn_add_compiled(<include folder>)
function(einkorn_add_compiled include_dir)
  set(folder ${include_dir}/einkorn/compiled)
  configure_file(${PROJECT_SOURCE_DIR}/compiled/types.hpp ${folder}/types.hpp COPYONLY)
  set(headers ${folder}/types.hpp)
  set(sources "")
  set(includes "#include <einkorn/formats/any_matrix.hpp>\n#include <einkorn/formats/spgemm/spgemm.hpp>\n#include <einkorn/formats/analysis/select.hpp>\n#include <einkorn/solvers/bicgstab.hpp>\n#include <einkorn/solvers/cg.hpp>\n#include <einkorn/solvers/pcg.hpp>\n#include <einkorn/solvers/precond/jacobi.hpp>\n")
  set(of_formats spmv_plan spgemm any_matrix select)
  set(of_solvers cg pcg bicgstab)
  foreach(functions IN LISTS of_formats of_solvers)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/compiled/${functions}.in)
    einkorn_compiled_file(${folder}/${functions}.hpp ${functions} "extern "
                          "#pragma once\n\n#include <einkorn/compiled/types.hpp>\n" "${Einkorn_COMPILED_TYPES}")
    list(APPEND headers ${folder}/${functions}.hpp)
    foreach(combination IN LISTS Einkorn_COMPILED_TYPES)
      string(MAKE_C_IDENTIFIER "${combination}" suffix)
      einkorn_compiled_file(${PROJECT_BINARY_DIR}/compiled/${functions}_${suffix}.inc ${functions} "" "${includes}" "${combination}")
    endforeach()
  endforeach()
  # Two source files per combination: functions of a group instantiate the same templates.
  foreach(combination IN LISTS Einkorn_COMPILED_TYPES)
    string(MAKE_C_IDENTIFIER "${combination}" suffix)
    foreach(group IN ITEMS formats solvers)
      list(TRANSFORM of_${group} REPLACE "(.+)" "#include \"\\1_${suffix}.inc\"\n" OUTPUT_VARIABLE lines)
      list(JOIN lines "" content)
      set(source ${PROJECT_BINARY_DIR}/compiled/${group}_${suffix}.cpp)
      file(CONFIGURE OUTPUT ${source} CONTENT "${content}" @ONLY)
      list(APPEND sources ${source})
    endforeach()
  endforeach()

  add_library(einkorn_compiled STATIC ${sources})
  add_library(Einkorn::compiled ALIAS einkorn_compiled)
  set_target_properties(einkorn_compiled PROPERTIES EXPORT_NAME compiled POSITION_INDEPENDENT_CODE ON
                        CXX_EXTENSIONS OFF)
  target_sources(einkorn_compiled PUBLIC FILE_SET HEADERS BASE_DIRS ${include_dir} FILES ${headers})
  target_compile_definitions(einkorn_compiled PUBLIC EINKORN_COMPILED)
  # The library and its users have kernels of the same names, so both need the vector extension of Einkorn_HOST_SIMD.
  get_target_property(options einkorn.private_options INTERFACE_COMPILE_OPTIONS)
  list(FILTER options INCLUDE REGEX "-march|-mprefer")
  target_compile_options(einkorn_compiled PUBLIC ${options})
  target_link_libraries(einkorn_compiled PUBLIC Einkorn::einkorn)
  if(Kokkos_COMPILE_LANGUAGE)
    set_source_files_properties(${sources} PROPERTIES LANGUAGE ${Kokkos_COMPILE_LANGUAGE})
  endif()
endfunction()
