# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# Tests of einkorn-solve under mpirun. Included by tools/CMakeLists.txt, which defines `data` and `out`.
einkorn_find_mpiexec_options()
set(mpi_environment "OMP_NUM_THREADS=1;OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive;KOKKOS_DISABLE_WARNINGS=1;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
set(expect ${CMAKE_CURRENT_SOURCE_DIR}/../perf_tests/tests/expect_exit_code.cmake)

# add_mpi_solve_test(<name> <ranks> <exit code> <regular expression of what it writes> <argument>...)
function(add_mpi_solve_test name ranks code output)
  set(test einkorn.test.tools.einkorn_solve.mpi.${name}.ranks_${ranks})
  set(command ${MPIEXEC_EXECUTABLE} ${Einkorn_MPIEXEC_OPTIONS} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS}
              $<TARGET_FILE:einkorn-solve> ${MPIEXEC_POSTFLAGS} ${ARGN})
  add_test(NAME ${test} COMMAND ${CMAKE_COMMAND} "-DCOMMAND=${command}" -DCODE=${code} "-DOUTPUT=${output}" -P ${expect})
  set_tests_properties(${test} PROPERTIES TIMEOUT 120 LABELS mpi ENVIRONMENT "${mpi_environment}")
  if(code EQUAL 0)  # after an error mpirun waits for 2 s without computing
    set_tests_properties(${test} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# add_mpi_x_test(<name> <ranks> <largest difference of x> <argument>...): x of the ranks against x of one process without
# MPI, relative to its largest entry. In <argument>, --owners and its file are for the ranks only.
find_package(Python3 COMPONENTS Interpreter QUIET)
function(add_mpi_x_test name ranks limit)
  if(NOT Python3_Interpreter_FOUND)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "OWNERS" "")
  set(owners "")
  if(arg_OWNERS)
    set(owners --owners ${arg_OWNERS})
  endif()
  set(test einkorn.test.tools.einkorn_solve.mpi.x_of_${name}.ranks_${ranks})
  set(file ${CMAKE_CURRENT_BINARY_DIR}/mpi_x_of_${name}_${ranks})
  set(mpirun ${MPIEXEC_EXECUTABLE} ${Einkorn_MPIEXEC_OPTIONS} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS})
  list(JOIN mpirun " " mpirun)
  list(JOIN owners " " owners)
  list(JOIN arg_UNPARSED_ARGUMENTS " " arguments)
  set(program "$<TARGET_FILE:einkorn-solve> ${arguments} --quiet --output ${file}")
  add_test(NAME ${test} COMMAND sh -c "${program}_alone.mtx --mpi off && ${mpirun} ${program}.mtx --mpi on ${owners} && \
${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tests/compare_vectors.py ${file}_alone.mtx ${file}.mtx ${limit}")
  set_tests_properties(${test} PROPERTIES TIMEOUT 120 RUN_SERIAL ON LABELS mpi ENVIRONMENT "${mpi_environment}")
endfunction()

# add_mpi_json_test(<name> <ranks> <expression> <argument>...): the Python expression of the JSON object `j` is true.
function(add_mpi_json_test name ranks expression)
  if(NOT Python3_Interpreter_FOUND)
    return()
  endif()
  set(test einkorn.test.tools.einkorn_solve.mpi.json_${name}.ranks_${ranks})
  set(file ${CMAKE_CURRENT_BINARY_DIR}/mpi_json_${name}_${ranks}.json)
  set(mpirun ${MPIEXEC_EXECUTABLE} ${Einkorn_MPIEXEC_OPTIONS} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS})
  list(JOIN mpirun " " mpirun)
  list(JOIN ARGN " " arguments)
  add_test(NAME ${test} COMMAND sh -c "${mpirun} $<TARGET_FILE:einkorn-solve> ${arguments} --mpi on --quiet --json ${file} && \
${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tests/check_json.py ${file} \"${expression}\"")
  set_tests_properties(${test} PROPERTIES TIMEOUT 120 RUN_SERIAL ON LABELS mpi ENVIRONMENT "${mpi_environment}")
endfunction()

# Owners of the 1138 rows of 1138_bus: rows in turn to 3 ranks, and a file with an invalid one.
set(in_turn "")
foreach(row RANGE 1 379)
  string(APPEND in_turn "0\n1\n2\n")
endforeach()
file(WRITE ${out}/in_turn.txt "${in_turn}0\n")
file(WRITE ${out}/bad_owner.txt "0\n1\n7\n")
file(WRITE ${out}/few_owners.txt "0\n1\n")
file(WRITE ${out}/two_rows.mtx "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 2\n1 2 -1\n2 1 -1\n2 2 2\n")
set(entries "")
set(complex_entries "")
foreach(row RANGE 1 200)
  string(APPEND entries "${row} ${row} 3\n")
  string(APPEND complex_entries "${row} ${row} 3 0\n")
  if(row GREATER 1)
    math(EXPR before "${row} - 1")
    string(APPEND entries "${row} ${before} -1.6\n${before} ${row} -0.4\n")
    string(APPEND complex_entries "${row} ${before} 0 1\n")
  endif()
endforeach()
file(WRITE ${out}/convection.mtx "%%MatrixMarket matrix coordinate real general\n200 200 598\n${entries}")
file(WRITE ${out}/hermitian.mtx "%%MatrixMarket matrix coordinate complex hermitian\n200 200 399\n${complex_entries}")
set(bus ${data}/1138_bus.mtx.gz)

foreach(ranks IN ITEMS 1 2 3 4)
  add_mpi_x_test(cg ${ranks} 1e-4 ${bus} --tolerance 1e-12)
  add_mpi_x_test(pcg ${ranks} 1e-4 ${bus} --tolerance 1e-12 --preconditioner jacobi)
endforeach()
foreach(ranks IN ITEMS 2 3)
  add_mpi_x_test(bicgstab ${ranks} 1e-7 ${out}/convection.mtx --tolerance 1e-10)
  add_mpi_x_test(complex ${ranks} 1e-7 ${out}/hermitian.mtx --tolerance 1e-10)
  add_mpi_x_test(formats ${ranks} 1e-6 gen:elasticity:5 --tolerance 1e-10 --format bsr --preconditioner block-jacobi:3)
endforeach()
foreach(solver IN ITEMS gmres fgmres)
  foreach(ranks IN ITEMS 2 3)
    add_mpi_x_test(${solver} ${ranks} 1e-7 ${out}/convection.mtx --tolerance 1e-10 --solver ${solver})
  endforeach()
endforeach()
add_mpi_x_test(gmres_restarts 2 1e-6 gen:elasticity:5 --tolerance 1e-10 --solver gmres --restart 7 --preconditioner block-jacobi:3)
add_mpi_x_test(gmres_complex 2 1e-7 ${out}/hermitian.mtx --tolerance 1e-10 --solver gmres)
add_mpi_x_test(richardson 2 1e-7 ${out}/convection.mtx --tolerance 1e-10 --solver richardson)
add_mpi_x_test(richardson_formats 3 1e-7 ${out}/convection.mtx --tolerance 1e-10 --solver richardson --format sell)
add_mpi_x_test(owners 3 1e-4 ${bus} --tolerance 1e-12 --preconditioner jacobi OWNERS ${out}/in_turn.txt)
add_mpi_x_test(owners_bicgstab 4 1e-4 ${bus} --tolerance 1e-12 --solver bicgstab --preconditioner jacobi
               OWNERS ${out}/in_turn.txt)

add_mpi_solve_test(table 3 0 "ranks *3, transport .*rows *[0-9]+ to [0-9]+ per rank.*ghosts .*pcg.*converged"
                   ${bus} --preconditioner jacobi)
add_mpi_solve_test(one_rank_alone 1 0 "concurrency [0-9]+\nformat" gen:stencil7:12)
add_mpi_solve_test(on 1 0 "ranks *1, transport" gen:stencil7:12 --mpi on)
add_mpi_solve_test(more_ranks_than_rows 4 0 "rows *0 to 1 per rank.*converged" ${out}/two_rows.mtx)
add_mpi_solve_test(more_ranks_than_rows_bicgstab 3 0 "rows *0 to 1 per rank.*converged"
                   ${out}/two_rows.mtx --solver bicgstab --preconditioner block-jacobi:2 --format dia)
add_mpi_solve_test(not_converged 2 1 "iteration limit.*iterations *3\n" gen:stencil7:12 --max-iterations 3 --progress)
add_mpi_solve_test(no_pivot 2 1 "outcome *zero pivot, row 1\n" ${data}/plsk1919.mtx.gz --solver pcg)
add_mpi_solve_test(quiet 2 0 "^$" gen:stencil7:12 --quiet)
add_mpi_solve_test(help 3 0 "^[^\n]*Solves A x = b.*--owners" --help)
# Errors: one line, and the exit code of one process.
add_mpi_solve_test(missing_file 3 3 "^einkorn-solve: no_such_file.mtx: cannot open[^\n]*\n(-|$)" no_such_file.mtx)
add_mpi_solve_test(rectangular 2 3 "expected a square matrix" ${data}/lp_dfl001.mtx.gz)
add_mpi_solve_test(bad_owner 3 3 "bad_owner.txt:3: the owner is 7, expected one integer, 0 .. 3 - 1" ${bus} --owners ${out}/bad_owner.txt)
add_mpi_solve_test(too_many_owners 2 3 "in_turn.txt:3: the owner is 2" ${bus} --owners ${out}/in_turn.txt)
add_mpi_solve_test(few_owners 3 3 "few_owners.txt: 2 owners, expected 1138" ${bus} --owners ${out}/few_owners.txt)
add_mpi_solve_test(no_owners 2 3 "no_such_file.txt: cannot open for reading" ${bus} --owners no_such_file.txt)
add_mpi_solve_test(refused_format 2 3 "DIA would store.*the fill limit is 3" gen:circuit:2000 --format dia)
add_mpi_solve_test(complex_format 2 3 "--format dia: complex matrices are supported in csr only" ${out}/hermitian.mtx --format dia)
add_mpi_solve_test(unwritable_output 2 3 "no_such_folder" gen:stencil7:12 --output ${out}/no_such_folder/x.mtx)
add_mpi_solve_test(unknown_solver 3 2 "--solver" gen:stencil7:12 --solver qmr)
add_mpi_solve_test(multigrid 2 2 "^einkorn-solve: --preconditioner multigrid is not available with MPI; use [^\n]*\n(-|$)"
                   gen:stencil7:12 --preconditioner multigrid)
add_mpi_solve_test(transport 3 0 "ranks *3, transport mpi" gen:stencil7:12 --transport mpi)
add_mpi_solve_test(unknown_transport 3 2 "^--transport: pigeon is not a transport of this program; it has automatic[|]mpi[^\n]*\nRun with --help[^\n]*\n(-|$)"
                   gen:stencil7:12 --transport pigeon)
if(NOT Kokkos_ENABLE_CUDA AND NOT Kokkos_ENABLE_HIP)
  add_mpi_solve_test(no_peer_memory 3 2 "^--transport: peer needs an execution space of CUDA or HIP[^\n]*; it has automatic[|]mpi\nRun with --help[^\n]*\n(-|$)"
                     gen:stencil7:12 --transport peer)
  add_mpi_solve_test(no_nccl 2 2 "^--transport: nccl needs Einkorn::nccl[^\n]*\nRun with --help[^\n]*\n(-|$)" gen:stencil7:12 --transport nccl)
endif()
add_mpi_solve_test(exchange 3 0 "exchange *[0-9.]+ % hidden; [0-9.e+]+ us alone, product [0-9.e+]+ us, [0-9.e+]+ us without it"
                   gen:stencil7:12 --measure-exchange)
add_mpi_solve_test(no_exchange 1 0 "exchange *none" gen:stencil7:12 --measure-exchange --mpi on)
add_mpi_solve_test(unwritable_json 2 3 "no_such_folder/solve.json: cannot write" gen:stencil7:12 --json ${out}/no_such_folder/solve.json)
# JSON. The 12^3 rows of the stencil are sent in blocks of consecutive rows.
set(sums "j['rows'] == 1728 and j['entries'] == 11232 and j['solver'] == 'cg' and j['converged'] is True and j['relative_residual'] < 1e-8 and j['error'] < 1e-6")
set(times "j['seconds']['per_iteration'] * j['iterations'] / j['seconds']['solve'] < 1.001 and min(j['seconds'].values()) > 0")
add_mpi_json_test(cg 2 "${sums} and ${times} and j['ranks'] == 2 and j['distribution']['transport'].startswith('mpi') and j['exchange'] is None and j['distribution']['transport_times'] is None"
                  gen:stencil7:12 --transport mpi)
if(NOT Kokkos_ENABLE_CUDA AND NOT Kokkos_ENABLE_HIP)  # mpi is the only one
  set(mpi_is_measured "j['distribution']['transport'] == 'mpi' and [(t['name'], t['error'], t['gather_seconds'] > 0, t['exchange_seconds'] > 0) for t in j['distribution']['transport_times']] == [('mpi', None, True, True)]")
  add_mpi_json_test(automatic_transport 3 "${mpi_is_measured}" gen:stencil7:6)
  add_mpi_json_test(automatic_transport 2 "${mpi_is_measured}" gen:stencil7:6 --transport auto)
  add_mpi_json_test(automatic_transport 1 "j['distribution']['transport_times'] == [{'name': 'mpi', 'gather_seconds': None, 'exchange_seconds': None, 'error': None}]"
                    gen:stencil7:6 --transport automatic)
endif()
add_mpi_json_test(neighbours 3 "j['distribution']['neighbours'] == {'min': 1, 'max': 2} and j['distribution']['ghosts'] == {'min': 144, 'max': 288}"
                  gen:stencil7:12)
add_mpi_json_test(exchange 3 "0 <= j['exchange']['hidden_fraction'] <= 1 and min(j['exchange'].values()) >= 0 and j['exchange']['exchange_seconds'] > 0"
                  gen:stencil7:12 --measure-exchange)
add_mpi_json_test(exchange_of_few_rows 4 "0 <= j['exchange']['hidden_fraction'] <= 1" ${out}/two_rows.mtx --measure-exchange)
add_mpi_json_test(exchange_of_complex 2 "0 <= j['exchange']['hidden_fraction'] <= 1" ${out}/hermitian.mtx --measure-exchange)
add_mpi_json_test(no_exchange 1 "j['ranks'] == 1 and j['exchange']['hidden_fraction'] is None and j['distribution']['neighbours']['max'] == 0"
                  gen:stencil7:12 --measure-exchange)
add_mpi_json_test(gmres 2 "j['solver'] == 'gmres' and j['restarts'] > 0" gen:stencil7:12 --solver gmres --restart 5)
# An error of one rank only ends all.
add_mpi_solve_test(one_rank_fails 1 2 "rank 1: exit code 2 of this rank only" gen:stencil7:12 --mpi on :
                   ${MPIEXEC_NUMPROC_FLAG} 1 $<TARGET_FILE:einkorn-solve> --no-such-option --mpi on)
