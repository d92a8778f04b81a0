# What is built: libframejit_core.so, _C.<abi>.so per interpreter, framejit_tests; and what a wheel installs.
get_property(core_sources GLOBAL PROPERTY FRAMEJIT_CORE_SOURCES)
get_property(tile_sources GLOBAL PROPERTY FRAMEJIT_TILE_SOURCES)
get_property(extension_sources GLOBAL PROPERTY FRAMEJIT_EXTENSION_SOURCES)
list(APPEND tile_sources ${FRAMEJIT_GENERATED_TILE})

# A wheel build keeps its products in the build tree; the developer's build puts them where `PYTHONPATH=.` finds them; every
# other build gets a package folder of its own, links to the sources beside its products, so that none tests another's.
if(SKBUILD)
  set(package_dir ${PROJECT_BINARY_DIR}/framejit)
elseif(FRAMEJIT_IN_SOURCE)
  set(package_dir ${PROJECT_SOURCE_DIR}/framejit)
else()
  set(package_dir ${PROJECT_BINARY_DIR}/package/framejit)
  file(GLOB package_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/framejit/*)
  list(FILTER package_files EXCLUDE REGEX "\\.so$")
  file(MAKE_DIRECTORY ${package_dir})
  foreach(file IN LISTS package_files)
    cmake_path(GET file FILENAME name)
    file(CREATE_LINK ${file} ${package_dir}/${name} SYMBOLIC)
  endforeach()
endif()

add_library(framejit_common INTERFACE)
target_include_directories(framejit_common INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
target_link_libraries(framejit_common INTERFACE framejit_eigen Threads::Threads ${CMAKE_DL_LIBS})

# --- libframejit_core -------------------------------------------------------------------------------------------------
list(JOIN FRAMEJIT_ISAS " " FRAMEJIT_ISAS_TEXT)
configure_file(eager/build_info.cc.in generated/build_info.cc @ONLY)
add_library(framejit_core_objects OBJECT ${core_sources} ${FRAMEJIT_GENERATED_CORE}
            ${PROJECT_BINARY_DIR}/generated/build_info.cc)
target_link_libraries(framejit_core_objects PUBLIC framejit_common)
target_compile_options(framejit_core_objects PRIVATE ${FRAMEJIT_BASELINE_FLAGS})
add_dependencies(framejit_core_objects framejit_opgen)

# Order matters: of an inline function that several objects hold, the linker keeps the first. The baseline objects come
# first and the strongest instruction set last, so no AVX-512 copy of, say, std::vector code can run on an older machine.
# Eigen itself is renamed per instruction set, so its templates never meet.
set(core_objects $<TARGET_OBJECTS:framejit_core_objects>)
if(tile_sources)
  # Fourier transforms share no loop with compiled code, whose bits they would have to have.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/eager/cpu/tile/fft.cc PROPERTIES COMPILE_OPTIONS -ffp-contract=fast)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # decompositions: products of complex numbers do not look for infinities
    set(linalg_sources ${tile_sources})
    list(FILTER linalg_sources INCLUDE REGEX "cpu/tile/linalg/")
    set_source_files_properties(${linalg_sources} PROPERTIES COMPILE_OPTIONS -fcx-fortran-rules)
  endif()
  foreach(isa IN LISTS FRAMEJIT_ISAS)
    add_library(framejit_tile_${isa} OBJECT ${tile_sources})
    target_link_libraries(framejit_tile_${isa} PUBLIC framejit_common)
    # GCC 12 warns of uninitialised variables inside its own AVX-512 intrinsics.
    target_compile_options(framejit_tile_${isa} PRIVATE ${FRAMEJIT_ISA_FLAGS_${isa}} -ftree-vectorize
                           -fno-trapping-math -Wno-uninitialized -Wno-maybe-uninitialized)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(framejit_tile_${isa} PRIVATE -fvect-cost-model=dynamic)
    endif()
    target_compile_definitions(framejit_tile_${isa} PRIVATE FRAMEJIT_ISA_NAMESPACE=${isa} Eigen=Eigen_${isa})
    add_dependencies(framejit_tile_${isa} framejit_opgen)
    list(APPEND core_objects $<TARGET_OBJECTS:framejit_tile_${isa}>)
  endforeach()
endif()

add_library(framejit_core SHARED ${core_objects})
target_link_libraries(framejit_core PUBLIC framejit_common)
set_target_properties(framejit_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${package_dir} LINKER_LANGUAGE CXX)

# --- _C, once per interpreter -----------------------------------------------------------------------------------------
list(APPEND extension_sources ${FRAMEJIT_GENERATED_BINDINGS})
set(extension_targets "")
if(extension_sources)
  foreach(tag IN LISTS FRAMEJIT_PYTHON_TAGS)
    add_library(framejit_ext_${tag} MODULE ${extension_sources})
    target_link_libraries(framejit_ext_${tag} PRIVATE framejit_core framejit_python_${tag})
    target_compile_options(framejit_ext_${tag} PRIVATE ${FRAMEJIT_BASELINE_FLAGS})
    add_dependencies(framejit_ext_${tag} framejit_opgen)
    set_target_properties(framejit_ext_${tag} PROPERTIES
      OUTPUT_NAME _C PREFIX "" SUFFIX ${FRAMEJIT_EXT_SUFFIX_${tag}} LIBRARY_OUTPUT_DIRECTORY ${package_dir}
      BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
    list(APPEND extension_targets framejit_ext_${tag})
  endforeach()
endif()

# --- type stubs of _C -------------------------------------------------------------------------------------------------
add_custom_target(framejit_stubs ALL COMMAND ${CMAKE_COMMAND} -E copy_directory ${generated_dir}/stubs/_C ${package_dir}/_C
                  VERBATIM)
add_dependencies(framejit_stubs framejit_opgen)
install(DIRECTORY ${generated_dir}/stubs/_C DESTINATION framejit FILES_MATCHING PATTERN "*.pyi")

# --- C++ tests: tests/cpp/**/*_test.cc --------------------------------------------------------------------------------
if(FRAMEJIT_BUILD_TESTS)
  file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cpp/*.cc)
  if(test_sources)
    find_package(GTest QUIET)
    if(NOT GTest_FOUND)
      include(FetchContent)
      FetchContent_Declare(googletest URL https://github.com/google/googletest/archive/refs/tags/v1.15.2.tar.gz)
      FetchContent_MakeAvailable(googletest)
    endif()
    add_executable(framejit_tests ${test_sources})
    target_link_libraries(framejit_tests PRIVATE framejit_core GTest::gtest GTest::gtest_main)
    target_compile_options(framejit_tests PRIVATE ${FRAMEJIT_BASELINE_FLAGS})
    target_compile_definitions(framejit_tests PRIVATE FRAMEJIT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")  # golden files
    add_dependencies(framejit_tests framejit_opgen)
  endif()
endif()

# --- C++ benchmarks: one program per bench/cpp/*.cc, built on demand -----------------------------------------------------
file(GLOB bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/cpp/*.cc)
foreach(bench_source IN LISTS bench_sources)
  get_filename_component(bench ${bench_source} NAME_WE)
  add_executable(${bench} EXCLUDE_FROM_ALL ${bench_source})
  target_link_libraries(${bench} PRIVATE framejit_core)
  target_compile_options(${bench} PRIVATE ${FRAMEJIT_BASELINE_FLAGS})
  add_dependencies(${bench} framejit_opgen)
endforeach()

install(TARGETS framejit_core ${extension_targets} LIBRARY DESTINATION framejit)
