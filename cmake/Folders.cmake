# Each source folder adds its *.cc files (recursively, found again at every build) to one of three lists.
define_property(GLOBAL PROPERTY FRAMEJIT_CORE_SOURCES)
define_property(GLOBAL PROPERTY FRAMEJIT_TILE_SOURCES)
define_property(GLOBAL PROPERTY FRAMEJIT_EXTENSION_SOURCES)

function(framejit_add_sources list folder exclude)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cc)
  if(exclude)
    list(FILTER sources EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}/${folder}/${exclude}/")
  endif()
  set_property(GLOBAL APPEND PROPERTY ${list} ${sources})
endfunction()

# A folder of libframejit_core.so: no CPython in it.
function(framejit_folder folder)
  cmake_parse_arguments(arg "" "EXCLUDE" "" ${ARGN})
  framejit_add_sources(FRAMEJIT_CORE_SOURCES ${folder} "${arg_EXCLUDE}")
endfunction()

# A folder of kernels, compiled once per instruction set into namespace FRAMEJIT_ISA_NAMESPACE.
function(framejit_isa_folder folder)
  framejit_add_sources(FRAMEJIT_TILE_SOURCES ${folder} "")
endfunction()

# A folder of the extension module _C: compiled once per CPython.
function(framejit_extension_folder folder)
  framejit_add_sources(FRAMEJIT_EXTENSION_SOURCES ${folder} "")
endfunction()
