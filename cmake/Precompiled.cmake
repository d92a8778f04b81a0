# Precompiled headers: what nearly every file of a target includes. Off in developer builds, where files are compiled one
# at a time, ccache shares objects between checkouts (it cannot share these), and a missing #include should show.
option(FRAMEJIT_PCH "Precompile the headers that most files include" ON)

set(standard_headers <algorithm> <array> <atomic> <cmath> <cstdint> <cstring> <functional> <limits> <map> <memory>
                     <mutex> <optional> <string> <type_traits> <unordered_map> <variant> <vector>)

function(framejit_precompile target kind)
  if(NOT FRAMEJIT_PCH)
    return()
  endif()
  if(kind STREQUAL "core")
    target_precompile_headers(${target} PRIVATE ${standard_headers} "eager/dispatch.h" "eager/op.h" "graph/graph.h")
  elseif(kind STREQUAL "tile")
    target_precompile_headers(${target} PRIVATE ${standard_headers} "eager/cpu/tile/functions.h" "eager/cpu/tile_kernel.h")
  elseif(kind STREQUAL "extension")
    target_precompile_headers(${target} PRIVATE <Python.h> ${standard_headers} "eager/dispatch.h" "eager/op.h")
  endif()
endfunction()

# These include CPython's internals, which must be asked for before the first Python.h.
set_source_files_properties(${PROJECT_SOURCE_DIR}/eval_frame/frame_311.cc ${PROJECT_SOURCE_DIR}/eval_frame/frame_312.cc
                            ${PROJECT_SOURCE_DIR}/eval_frame/frame_313.cc PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
