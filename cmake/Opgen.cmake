# Code generated from the op table (eager/ops/*.toml) by tools/opgen, into <build>/generated.
# `main.py --list-outputs` prints the files it will write, relative to that folder; by their place they go to
#   tile/*.cc        compiled once per instruction set
#   bindings/*.cc    the extension module
#   other *.cc       framejit_core
#   stubs/           copied into the package (cmake/Products.cmake)
# Sources include generated headers as "generated/<name>.h". opgen leaves a file alone whose text did not change, so
# that an edit of one row rebuilds only what it touches.
set(generated_dir ${PROJECT_BINARY_DIR}/generated)
set(opgen ${PROJECT_SOURCE_DIR}/tools/opgen/main.py)
set(opgen_args --ops ${PROJECT_SOURCE_DIR}/eager/ops --out ${generated_dir})
file(GLOB_RECURSE opgen_inputs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/eager/ops/*.toml ${PROJECT_SOURCE_DIR}/tools/opgen/*.py
     ${PROJECT_SOURCE_DIR}/tools/opgen/*.in ${PROJECT_SOURCE_DIR}/framejit/bindings/*.pyi.in)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${opgen_inputs})

set(opgen_outputs "")
if(EXISTS ${opgen})
  execute_process(COMMAND ${FRAMEJIT_HOST_PYTHON} ${opgen} ${opgen_args} --list-outputs
                  OUTPUT_VARIABLE opgen_outputs OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" opgen_outputs "${opgen_outputs}")
  list(TRANSFORM opgen_outputs PREPEND ${generated_dir}/)
  add_custom_command(OUTPUT ${opgen_outputs} COMMAND ${FRAMEJIT_HOST_PYTHON} ${opgen} ${opgen_args}
                     DEPENDS ${opgen_inputs} COMMENT "opgen: reading the op table" VERBATIM)
endif()
add_custom_target(framejit_opgen DEPENDS ${opgen_outputs})

set(generated_sources ${opgen_outputs})
list(FILTER generated_sources INCLUDE REGEX "\\.cc$")
set(FRAMEJIT_GENERATED_TILE ${generated_sources})
list(FILTER FRAMEJIT_GENERATED_TILE INCLUDE REGEX "/generated/tile/")
set(FRAMEJIT_GENERATED_BINDINGS ${generated_sources})
list(FILTER FRAMEJIT_GENERATED_BINDINGS INCLUDE REGEX "/generated/bindings/")
set(FRAMEJIT_GENERATED_CORE ${generated_sources})
list(FILTER FRAMEJIT_GENERATED_CORE EXCLUDE REGEX "/generated/(tile|bindings)/")
set_source_files_properties(${generated_sources} PROPERTIES GENERATED TRUE)
