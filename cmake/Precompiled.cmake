# Precompiled headers (FRAMEJIT_PCH): what nearly every file of a target includes. Where ccache is found it is used instead,
# see Toolchain.cmake.
set(standard_headers <algorithm> <array> <atomic> <cmath> <cstdint> <cstring> <functional> <limits> <map> <memory>
                     <mutex> <optional> <string> <type_traits> <unordered_map> <variant> <vector>)

function(framejit_precompile target kind)
  if(NOT FRAMEJIT_PCH)
    return()
  endif()
  if(kind STREQUAL "core")
    target_precompile_headers(${target} PRIVATE ${standard_headers} "eager/dispatch.h" "eager/op.h" "graph/graph.h")
  elseif(kind STREQUAL "tile")
    target_precompile_headers(${target} PRIVATE ${standard_headers} "eager/cpu/tile/functions.h" "eager/cpu/loops/tile_kernel.h")
  elseif(kind STREQUAL "extension")
    target_precompile_headers(${target} PRIVATE <Python.h> ${standard_headers} "eager/dispatch.h" "eager/op.h")
  endif()
endfunction()

# These include CPython's internals, which must be asked for before the first Python.h.
set_source_files_properties(${PROJECT_SOURCE_DIR}/eval_frame/frame_311.cc ${PROJECT_SOURCE_DIR}/eval_frame/frame_312.cc
                            ${PROJECT_SOURCE_DIR}/eval_frame/frame_313.cc PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
