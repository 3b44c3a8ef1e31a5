# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# cmake -DCOMMAND=<list> -DCODE=<n> [-DOUTPUT=<regular expression>] -P expect_exit_code.cmake
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT code EQUAL CODE)
  message(FATAL_ERROR "exit ${code}, expected ${CODE}\n${output}${errors}")
endif()
if(DEFINED OUTPUT AND NOT "${output}${errors}" MATCHES "${OUTPUT}")
  message(FATAL_ERROR "expected ${OUTPUT}, got\n${output}${errors}")
endif()
