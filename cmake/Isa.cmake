# The instruction sets that tile kernels are built for. Sets
#   FRAMEJIT_ISAS           names, weakest first (v2 v3 v4, or neon); each is also the C++ namespace of its kernels
#   FRAMEJIT_ISA_FLAGS_<n>  compiler flags
# and writes generated/isas.h with FRAMEJIT_FOR_EACH_ISA(X), from which the run-time chooser is made.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(FRAMEJIT_ISAS v2 v3 v4)
  set(FRAMEJIT_ISA_FLAGS_v2 -march=x86-64-v2)
  set(FRAMEJIT_ISA_FLAGS_v3 -march=x86-64-v3)
  set(FRAMEJIT_ISA_FLAGS_v4 -march=x86-64-v4)
  set(FRAMEJIT_BASELINE_FLAGS ${FRAMEJIT_ISA_FLAGS_v2})
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(FRAMEJIT_ISAS neon)
  set(FRAMEJIT_ISA_FLAGS_neon "")
  set(FRAMEJIT_BASELINE_FLAGS "")
else()
  set(FRAMEJIT_ISAS generic)
  set(FRAMEJIT_ISA_FLAGS_generic "")
  set(FRAMEJIT_BASELINE_FLAGS "")
endif()

if(FRAMEJIT_ISA STREQUAL "native" AND "v4" IN_LIST FRAMEJIT_ISAS)
  # Ask the compiler what -march=native turns on here, and keep the best of ours that is contained in it.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=native -dM -E -x c++ /dev/null
                  OUTPUT_VARIABLE native_macros ERROR_QUIET)
  if(native_macros MATCHES "__AVX512VL__" AND native_macros MATCHES "__AVX512DQ__" AND native_macros MATCHES "__AVX512BW__")
    set(FRAMEJIT_ISAS v4)
  elseif(native_macros MATCHES "__AVX2__" AND native_macros MATCHES "__FMA__")
    set(FRAMEJIT_ISAS v3)
  else()
    set(FRAMEJIT_ISAS v2)
  endif()
endif()
message(STATUS "framejit: tile kernels for ${FRAMEJIT_ISAS}")

list(TRANSFORM FRAMEJIT_ISAS REPLACE "(.+)" "X(\\1 __VA_OPT__(,) __VA_ARGS__)" OUTPUT_VARIABLE isa_rows)
list(JOIN isa_rows " " isa_rows)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/isas.h @ONLY CONTENT
"// Written by cmake/Isa.cmake: the instruction sets of this build, weakest first.
#pragma once
#define FRAMEJIT_FOR_EACH_ISA(X, ...) @isa_rows@
")
