# vcpkg install hpart --overlay-ports=CLONE/packaging/vcpkg: the source is this clone.
get_filename_component(SOURCE_PATH ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)

vcpkg_check_features(
  OUT_FEATURE_OPTIONS features
  FEATURES
    command HPART_TOOLS
    fftw HPART_WITH_FFTW
    opencl HPART_WITH_OPENCL
    opencl HPART_WITH_CLBLAST)

vcpkg_cmake_configure(
  SOURCE_PATH ${SOURCE_PATH}
  OPTIONS
    ${features}
    -DCMAKE_UNITY_BUILD=ON
    -DHPART_FORTRAN=OFF
    -DHPART_MPI=OFF
    -DHPART_PYTHON=OFF
    -DHPART_LANGUAGES=none
    -DHPART_WITH_GSL=OFF
    -DHPART_WITH_LAPACK=OFF
    -DHPART_WITH_VKFFT=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/hpart)
vcpkg_fixup_pkgconfig()
if("command" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES hpart AUTO_CLEAN)
endif()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)
