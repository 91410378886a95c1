# The installation and its packages for other projects. All paths are relative, unless the prefix is /usr: a prefix may be moved.
# Components: runtime (libhpart), development (headers, documents), fortran, mpi, mpi_fortran, blas, command, python, python_mpi; each file belongs to one.
if(NOT HPART_INSTALL)
  return()
endif()

include(CMakePackageConfigHelpers)

# hpart_install_rpath(target path): the folder of the shared libraries installed with a target; the packager's choice comes first.
function(hpart_install_rpath target path)
  if(BUILD_SHARED_LIBS AND NOT DEFINED CMAKE_INSTALL_RPATH)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "${path}")
  endif()
endfunction()

# A directory of GNUInstallDirs as pkg-config shall see it: under ${prefix} unless the user chose an absolute path.
function(hpart_pkgconfig_path result directory)
  if(IS_ABSOLUTE "${directory}")
    set(${result} "${directory}" PARENT_SCOPE)
  else()
    set(${result} "\${prefix}/${directory}" PARENT_SCOPE)
  endif()
endfunction()

# hpart_pkgconfig(name component): pkgconfig/name.pc.in becomes LIBDIR/pkgconfig/name.pc.
function(hpart_pkgconfig name component)
  configure_file(${PROJECT_SOURCE_DIR}/pkgconfig/${name}.pc.in ${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc @ONLY)
  install(
    FILES ${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT ${component})
endfunction()

# hpart_install_library(name): libhpart_NAME, whole, in a component of its name.
function(hpart_install_library name)
  string(REPLACE "_" "-" package hpart-${name})
  hpart_install_rpath(hpart_${name} $ORIGIN)
  install(
    TARGETS hpart_${name}
    EXPORT ${package}-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${name}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${name})
  install(
    EXPORT ${package}-targets
    NAMESPACE hpart::
    DESTINATION ${config_dir}
    COMPONENT ${name})
  hpart_pkgconfig(${package} ${name})
endfunction()

# pkg-config leaves out the system's folders if /usr is named as such. Every other prefix may be moved.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(HPART_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(HPART_PC_PREFIX "\${pcfiledir}/${up}")
endif()
hpart_pkgconfig_path(HPART_PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
hpart_pkgconfig_path(HPART_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
hpart_pkgconfig_path(HPART_PC_MODULEDIR "${HPART_FORTRAN_MODULEDIR}")
# A shared library brings what it needs itself. A static prefix has no other library: plain `pkg-config --libs` must do.
set(HPART_PC_LIBRARIES "")
set(HPART_PC_REQUIRES "")
set(HPART_CONFIG_STATIC "")
if(NOT BUILD_SHARED_LIBS)
  string(REPLACE ";" " " HPART_PC_REQUIRES "${HPART_STATIC_MODULES}")
  set(HPART_CONFIG_STATIC "include(CMakeFindDependencyMacro)\nfind_dependency(Threads)")
  if(HPART_STATIC_MODULES)
    string(APPEND HPART_CONFIG_STATIC "\nfind_dependency(PkgConfig)\npkg_check_modules(hpart_static REQUIRED QUIET IMPORTED_TARGET ${HPART_PC_REQUIRES})")
  endif()
  list(TRANSFORM HPART_STATIC_DIRECTORIES PREPEND "-L" OUTPUT_VARIABLE directories)
  list(TRANSFORM HPART_STATIC_LIBRARIES PREPEND "-l" OUTPUT_VARIABLE libraries)
  string(REPLACE ";" " " HPART_PC_LIBRARIES "${directories};${libraries}")
endif()
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hpart)

install(
  TARGETS hpart
  EXPORT hpart-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(FILES include/hpart.h include/hpart.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY include/hpart DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development PATTERN mpi.hpp EXCLUDE)
# Legacy names, in a folder of their own.
install(FILES include/hcl_functions.h include/hcl_hpopta.h include/hcl_heopta.h include/hcl_hepopta.h include/hcl_wattsup.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hpart-hcl COMPONENT development)
install(
  EXPORT hpart-targets
  NAMESPACE hpart::
  DESTINATION ${config_dir}
  COMPONENT development)
hpart_pkgconfig(hpart development)
hpart_pkgconfig(hpart-hcl development)

if(TARGET hpart_fortran)
  hpart_install_library(fortran)
endif()
if(TARGET hpart_mpi)
  hpart_install_library(mpi)
  install(FILES include/hpart_mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT mpi)
  install(FILES include/hpart/mpi.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hpart COMPONENT mpi)
endif()
if(TARGET hpart_mpi_fortran)
  hpart_install_library(mpi_fortran)
endif()

if(TARGET hpart_blas AND NOT SKBUILD) # programs preload it, and are not linked with it: no files for CMake
  install(TARGETS hpart_blas LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT blas)
endif()

if(TARGET hpart_command AND NOT SKBUILD)
  # The command finds the library beside it, wherever the prefix is moved.
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  hpart_install_rpath(hpart_command "$ORIGIN/${up}")
  install(TARGETS hpart_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  if(HPART_PAGES)
    install(DIRECTORY ${HPART_PAGES}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
    install(FILES ${HPART_PAGES}/bash/hpart DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
    install(FILES ${HPART_PAGES}/zsh/_hpart DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT command)
    install(FILES ${HPART_PAGES}/fish/hpart.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)
  endif()
endif()

configure_package_config_file(cmake/hpart-config.cmake.in ${PROJECT_BINARY_DIR}/cmake/hpart-config.cmake
                              INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/hpart-config-version.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/cmake/hpart-config.cmake ${PROJECT_BINARY_DIR}/cmake/hpart-config-version.cmake
  DESTINATION ${config_dir}
  COMPONENT development)

# share/hpart/env.sh: the shell variables of all parts, those of languages from their folders.
file(RELATIVE_PATH HPART_ENV_UP "/${CMAKE_INSTALL_DATADIR}/hpart" "/")
string(REGEX REPLACE "/$" "" HPART_ENV_UP "${HPART_ENV_UP}")
get_property(HPART_ENV_LANGUAGES GLOBAL PROPERTY HPART_ENVIRONMENT)
configure_file(cmake/env.sh.in ${PROJECT_BINARY_DIR}/env.sh @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/env.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/hpart COMPONENT development)

# As they stand in the source tree, so that the links between them hold.
install(FILES README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES examples/functions.csv DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT development)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development PATTERN CMakeLists.txt EXCLUDE
        PATTERN conf.py EXCLUDE PATTERN _ext EXCLUDE PATTERN _static EXCLUDE)

# Archives: cpack. The library's licence is that of the strictest library inside: the name of the archive has it.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(licence BSD-3-Clause)
if(GSL IN_LIST HPART_FEATURES)
  set(licence GPL-3.0-or-later)
elseif(FFTW IN_LIST HPART_FEATURES)
  set(licence GPL-2.0-or-later)
endif()
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME ${PROJECT_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}-${licence})
set(CPACK_PACKAGE_VENDOR "the hpart developers")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
# cpack -G RPM: a package a component.
set(CPACK_PACKAGE_CONTACT "the hpart developers")
set(description "hpart measures the time and energy of the processors of a node. It
finds the distribution of a workload over them that takes the least
time or energy, or the whole Pareto front of both, and executes it.")
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_RPM_PACKAGE_LICENSE ${licence})
set(CPACK_RPM_PACKAGE_GROUP Development/Libraries)
set(CPACK_RPM_PACKAGE_RELOCATABLE OFF)
foreach(folder man man/man1 bash-completion bash-completion/completions zsh zsh/site-functions fish fish/vendor_completions.d)
  list(APPEND CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/${folder})
endforeach()
# Packages are installed into /usr, wherever cpack puts their files first.
file(WRITE ${PROJECT_BINARY_DIR}/cmake/system_prefix.cmake [[
if(CPACK_GENERATOR STREQUAL "RPM")
  file(GLOB_RECURSE files "${CPACK_TEMPORARY_DIRECTORY}/*.pc")
  foreach(file IN LISTS files)
    file(READ "${file}" text)
    string(REGEX REPLACE "^prefix=[^\n]*" "prefix=${CPACK_PACKAGING_INSTALL_PREFIX}" text "${text}")
    file(WRITE "${file}" "${text}")
  endforeach()
endif()
]])
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/cmake/system_prefix.cmake)
file(WRITE ${PROJECT_BINARY_DIR}/cmake/ldconfig "/sbin/ldconfig\n")
# hpart_rpm(component name requires...): the name of its package, and the packages that it needs, those of hpart in this version.
function(hpart_rpm component name)
  string(TOUPPER ${component} upper)
  set(requires "")
  foreach(other ${ARGN})
    if(other MATCHES hpart)
      string(APPEND other " = ${PROJECT_VERSION}")
    endif()
    list(APPEND requires ${other})
  endforeach()
  list(JOIN requires ", " requires)
  set(CPACK_RPM_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}" PARENT_SCOPE)
  set(CPACK_RPM_${upper}_PACKAGE_DESCRIPTION "${description}" PARENT_SCOPE)
  set(CPACK_RPM_${upper}_PACKAGE_SUMMARY "Optimal distribution of a workload, ${component}" PARENT_SCOPE)
  set(CPACK_RPM_${upper}_FILE_NAME ${name}-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR}-${licence}.rpm PARENT_SCOPE)
  set(CPACK_RPM_${upper}_PACKAGE_REQUIRES "${requires}" PARENT_SCOPE)
  if(component MATCHES "^(runtime|fortran|mpi|mpi_fortran|blas)$")
    set(CPACK_RPM_${upper}_POST_INSTALL_SCRIPT_FILE ${PROJECT_BINARY_DIR}/cmake/ldconfig PARENT_SCOPE)
    set(CPACK_RPM_${upper}_POST_UNINSTALL_SCRIPT_FILE ${PROJECT_BINARY_DIR}/cmake/ldconfig PARENT_SCOPE)
  endif()
endfunction()
hpart_rpm(runtime hpart-libs)
hpart_rpm(development hpart-devel hpart-libs)
hpart_rpm(fortran hpart-fortran hpart-libs)
hpart_rpm(mpi hpart-mpi hpart-libs)
hpart_rpm(mpi_fortran hpart-mpi-fortran hpart-mpi hpart-fortran)
hpart_rpm(blas hpart-blas hpart-libs)
hpart_rpm(command hpart hpart-libs)
hpart_rpm(python python3-hpart hpart-libs python3-numpy)
hpart_rpm(python_mpi python3-hpart-mpi python3-hpart hpart-mpi python3-mpi4py-openmpi)
foreach(language octave lua perl tcl ruby)
  hpart_rpm(${language} ${language}-hpart hpart-libs ${language})
endforeach()
hpart_rpm(guile guile-hpart hpart-libs guile30)
hpart_rpm(r R-hpart hpart-libs R-core)
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_IGNORE_FILES /build /\\.git /demo-results __pycache__)
include(CPack)
