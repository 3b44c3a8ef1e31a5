# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# cmake -DPROGRAM=<file> -DSUMMARY=<line> -DPAGE=<file.1> -P man_page.cmake
#
# Writes a manual page with the name and the text of PROGRAM --help. If PROGRAM does not run (missing device), no page is
# written, without an error.
cmake_path(GET PROGRAM FILENAME name)
set(ENV{OMP_NUM_THREADS} 1)
set(ENV{OMP_PROC_BIND} false)
execute_process(COMMAND ${PROGRAM} --help OUTPUT_VARIABLE help ERROR_VARIABLE errors RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(STATUS "${name}.1: skipped, ${name} --help ends with ${code}")
  file(REMOVE ${PAGE})
  return()
endif()
execute_process(COMMAND ${PROGRAM} --version OUTPUT_VARIABLE version ERROR_VARIABLE errors RESULT_VARIABLE code)
string(REGEX MATCH "[0-9]+[.][0-9]+[.][0-9]+" version "${version}")
string(REPLACE "${PROGRAM}" "${name}" help "${help}")
string(REPLACE "\\" "\\e" help "${help}")
string(REPLACE "-" "\\-" help "${help}")
string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" help "${help}")
string(TOUPPER ${name} title)
file(WRITE ${PAGE} ".TH ${title} 1 \"\" \"Einkorn ${version}\" \"User Commands\"\n"
                   ".SH NAME\n${name} \\- ${SUMMARY}\n.SH DESCRIPTION\n.nf\n${help}.fi\n")
