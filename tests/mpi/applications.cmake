# The MPI applications of examples/, each against the result that one rank computes alone: docs/background/applications.md.

# hpart_mpi_application_tests(name target RANKS n ... ARGUMENTS ...): as hpart_mpi_test, every rank count but 3 has the label long.
function(hpart_mpi_application_tests name target)
  cmake_parse_arguments(ARG "" "" "RANKS;ARGUMENTS" ${ARGN})
  foreach(ranks IN LISTS ARG_RANKS)
    set(test application.${name}.${ranks})
    add_test(NAME ${test} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${target}> ${ARG_ARGUMENTS})
    set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 60 ENVIRONMENT "${HPART_MPI_ENVIRONMENT}")
    if(NOT ranks EQUAL 3)
      set_tests_properties(${test} PROPERTIES LABELS "mpi;long")
    endif()
  endforeach()
endfunction()

function(hpart_mpi_application name)
  add_executable(example_mpi_${name} ${PROJECT_SOURCE_DIR}/examples/mpi_${name}.c)
  hpart_warnings(example_mpi_${name})
  target_link_libraries(example_mpi_${name} PRIVATE hpart::mpi ${ARGN} m)
endfunction()

hpart_mpi_application(jacobi)
hpart_mpi_application_tests(jacobi example_mpi_jacobi RANKS 1 2 3 4 ARGUMENTS --check --size 61 --rows 37)
hpart_mpi_application_tests(jacobi_idle example_mpi_jacobi RANKS 3 ARGUMENTS --check 5,0,20 --rows 37)
hpart_mpi_application_tests(jacobi_adaptive example_mpi_jacobi RANKS 2 3 4 ARGUMENTS --check --adaptive --slow 0=3 --size 200 --rows 200)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/two.csv "processor,size,time\nA,4,0.001\nA,8,0.002\nA,12,0.003\nB,4,0.001\nB,8,0.0015\nB,12,0.004\n")
hpart_mpi_application_tests(platform example_mpi_jacobi RANKS 2 ARGUMENTS --check --size 12 --rows 37
                            --platform ${CMAKE_CURRENT_BINARY_DIR}/two.csv)
hpart_mpi_application_tests(jacobi_compare example_mpi_jacobi RANKS 2 ARGUMENTS --check --compare --host-copy 0=0.0001 --size 12 --rows 37
                            --platform ${CMAKE_CURRENT_BINARY_DIR}/two.csv)
hpart_mpi_application(convolution)
hpart_mpi_application_tests(convolution example_mpi_convolution RANKS 1 2 3 4 ARGUMENTS --check --size 61 --columns 37)
hpart_mpi_application_tests(convolution_idle example_mpi_convolution RANKS 3 ARGUMENTS --check 2,0,1 --columns 37)
hpart_mpi_application_tests(convolution_adapted example_mpi_convolution RANKS 1 2 3 4 ARGUMENTS --check --adapt --size 61 --columns 37)

if(OPENBLAS IN_LIST HPART_FEATURES)
  hpart_mpi_application(matmul hpart_dep_OPENBLAS)
  hpart_mpi_application_tests(matmul example_mpi_matmul RANKS 1 2 3 4 ARGUMENTS --check --size 61 --n 37 --k 70 --step 16)
  hpart_mpi_application_tests(matmul_rectangles example_mpi_matmul RANKS 1 2 3 4 ARGUMENTS --check --rectangles --size 61 --n 37 --k 70
                              --step 16)
  hpart_mpi_application_tests(matmul_idle example_mpi_matmul RANKS 3 ARGUMENTS --check --rectangles --slow 2=2 20,0,41)
  hpart_mpi_application_tests(matmul_without_work example_mpi_matmul RANKS 3 ARGUMENTS --check --rectangles 0,0,0)
endif()
if(FFTW IN_LIST HPART_FEATURES)
  hpart_mpi_application(fft hpart_dep_FFTW)
  hpart_mpi_application_tests(fft example_mpi_fft RANKS 1 2 3 4 ARGUMENTS --check --size 61 --n 37)
  hpart_mpi_application_tests(fft_idle example_mpi_fft RANKS 3 ARGUMENTS --check --slow 2=2 20,0,41)
  hpart_mpi_application_tests(fft_without_work example_mpi_fft RANKS 3 ARGUMENTS --check 0,0,0)
endif()

if(TARGET hpart_fortran)
  find_package(MPI QUIET COMPONENTS Fortran)
  if(MPI_Fortran_HAVE_F08_MODULE)
    add_executable(example_mpi_jacobi_fortran ${PROJECT_SOURCE_DIR}/examples/mpi_jacobi.f90)
    target_link_libraries(example_mpi_jacobi_fortran PRIVATE hpart::fortran MPI::MPI_Fortran)
    foreach(sizes 60 25,36 20,0,41 9,20,11,21)
      string(REGEX MATCHALL "," commas "${sizes}")
      list(LENGTH commas ranks)
      math(EXPR ranks "${ranks} + 1")
      hpart_mpi_application_tests(jacobi_fortran example_mpi_jacobi_fortran RANKS ${ranks} ARGUMENTS --check --slow 0=2 ${sizes})
    endforeach()
    hpart_mpi_application_tests(jacobi_fortran_equal example_mpi_jacobi_fortran RANKS 3 ARGUMENTS --size 61 --check)
    hpart_mpi_application_tests(jacobi_fortran_platform example_mpi_jacobi_fortran RANKS 2 ARGUMENTS --check --size 12
                                --platform ${CMAKE_CURRENT_BINARY_DIR}/two.csv)
    hpart_mpi_application_tests(jacobi_fortran_refuses example_mpi_jacobi_fortran RANKS 3 ARGUMENTS --rows 8 1,1,1)
    set_tests_properties(application.jacobi_fortran_refuses.3 PROPERTIES PASS_REGULAR_EXPRESSION "--rows: no option of this application")
  endif()
endif()

# hpart measures and tunes one of them, as a command and with --protocol lines.
find_program(HPART_TEST_PYTHON NAMES python3)
if(TARGET hpart_command AND HPART_TEST_PYTHON)
  add_test(NAME application.tune
           COMMAND ${HPART_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tune_application.py $<TARGET_FILE:hpart_command>
                   "${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 2 $<TARGET_FILE:example_mpi_jacobi> --rows 64 --iterations 20 --slow 0=3")
  set_tests_properties(application.tune PROPERTIES LABELS mpi TIMEOUT 200 PROCESSORS 2 ENVIRONMENT "${HPART_MPI_ENVIRONMENT}")
endif()
