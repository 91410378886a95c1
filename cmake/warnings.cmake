# hpart_warnings(target): the project's warnings, which are errors for its developers and none for its users, and the chosen sanitizers.
function(hpart_warnings target)
  if(HPART_WERROR)
    target_compile_options(
      ${target}
      PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wcast-align -Wformat=2 -Werror>
              $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi>
              $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)
    # Null pointers that GCC suspects depend on the level of optimisation: with those of the presets GCC 12 suspects none. Later versions
    # suspect the elements of every std::vector whose size they cannot see.
    if(NOT (CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13))
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-Wnull-dereference>)
    endif()
  endif()
  hpart_sanitize(${target})
endfunction()

function(hpart_sanitize target)
  if(HPART_SANITIZE)
    # GCC sees null pointers and values without a start that are none in the code that sanitizers add.
    target_compile_options(${target} PRIVATE -fsanitize=${HPART_SANITIZE} -fno-omit-frame-pointer
                                             $<$<COMPILE_LANGUAGE:C,CXX>:-Wno-null-dereference>
                                             $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>
                                             $<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize-recover=all>)
    target_link_options(${target} PRIVATE -fsanitize=${HPART_SANITIZE})
    # A C program with a C++ library needs that part of Clang's runtime, too.
    target_link_options(${target} PRIVATE $<$<LINK_LANG_AND_ID:C,Clang>:-fsanitize-link-c++-runtime>)
    target_link_libraries(${target} PRIVATE $<$<LINK_LANG_AND_ID:C,Clang>:stdc++>)
  endif()
endfunction()
