# Compiler settings common to every target, and the tools that make builds fast.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

# The usual build types do not fit: we always optimise, always keep line tables, and choose assertions by NDEBUG alone.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")

# Eager and fused code must agree to the last bit, on every instruction set: no contraction into FMA behind our
# back, no reassociation. errno of math functions is the one part of strict IEEE code that nobody reads.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
                    -fno-math-errno -ffp-contract=off)

# Beside precompiled headers ccache breaks builds: it takes a header whose comments alone have changed for the old one, whose
# checksum GCC then misses in the precompiled header, so that `#pragma once` holds no more. Hence there are none.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM AND NOT APPLE)
  add_link_options(-fuse-ld=mold)
endif()
if(CMAKE_GENERATOR MATCHES Ninja)
  add_compile_options(-fdiagnostics-color=always)
endif()

# Sanitizers. GCC needs ten minutes and 6 GB for UBSan's checks of one file of Eigen's decompositions: AddressSanitizer alone there.
if(FRAMEJIT_SANITIZE)
  list(TRANSFORM FRAMEJIT_SANITIZE PREPEND "-fsanitize=" OUTPUT_VARIABLE sanitizer_flags)
  add_link_options(${sanitizer_flags})
  add_compile_options(${sanitizer_flags} -fno-omit-frame-pointer -O1)
  if("undefined" IN_LIST FRAMEJIT_SANITIZE)
    add_compile_options(-fno-sanitize-recover=undefined)
    file(GLOB eigen_sources ${PROJECT_SOURCE_DIR}/eager/cpu/linalg/*.cc)
    set_source_files_properties(${eigen_sources} PROPERTIES COMPILE_OPTIONS "-fno-sanitize=undefined")
  endif()
endif()

find_package(Threads REQUIRED)
