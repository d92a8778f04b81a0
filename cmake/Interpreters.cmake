# One interface target framejit_python_<tag> (tag = 311, 312, ...) per interpreter in FRAMEJIT_PYTHONS.
# FindPython knows one interpreter per build tree; we build for several, so we ask each one ourselves.
if(NOT FRAMEJIT_PYTHONS)
  if(Python_EXECUTABLE)
    set(FRAMEJIT_PYTHONS ${Python_EXECUTABLE})
  else()
    find_program(framejit_default_python NAMES python3 python REQUIRED)
    set(FRAMEJIT_PYTHONS ${framejit_default_python})
  endif()
endif()
list(GET FRAMEJIT_PYTHONS 0 FRAMEJIT_HOST_PYTHON)  # runs opgen

set(FRAMEJIT_PYTHON_TAGS "")
foreach(python IN LISTS FRAMEJIT_PYTHONS)
  execute_process(COMMAND ${python} ${PROJECT_SOURCE_DIR}/tools/describe_python.py
                  OUTPUT_VARIABLE description RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    message(FATAL_ERROR "framejit: ${python} cannot be built for (see the message above)")
  endif()
  list(GET description 0 tag)
  list(GET description 1 suffix)
  list(SUBLIST description 2 -1 includes)
  list(APPEND FRAMEJIT_PYTHON_TAGS ${tag})
  set(FRAMEJIT_EXT_SUFFIX_${tag} ${suffix})
  add_library(framejit_python_${tag} INTERFACE)
  # Each interpreter describes its own bytecode; the decoder includes "opcode_table.inc".
  set(opcodes ${PROJECT_BINARY_DIR}/generated/py${tag})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated)
  execute_process(COMMAND ${python} ${PROJECT_SOURCE_DIR}/tools/describe_opcodes.py
                  OUTPUT_FILE ${opcodes}.tmp COMMAND_ERROR_IS_FATAL ANY)
  configure_file(${opcodes}.tmp ${opcodes}/opcode_table.inc COPYONLY)
  target_include_directories(framejit_python_${tag} SYSTEM INTERFACE ${includes})
  target_include_directories(framejit_python_${tag} INTERFACE ${opcodes})
  message(STATUS "framejit: CPython ${tag} from ${python}")
endforeach()
