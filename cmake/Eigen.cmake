# Eigen's headers: the cmeel-eigen wheel beside the building interpreter (what `pip install .` brings), else the system's.
execute_process(
  COMMAND ${FRAMEJIT_HOST_PYTHON} -c "import os, sys; print(';'.join(os.path.join(p, 'cmeel.prefix', 'include', 'eigen3') for p in sys.path if p))"
  OUTPUT_VARIABLE cmeel_include OUTPUT_STRIP_TRAILING_WHITESPACE)
find_path(FRAMEJIT_EIGEN_INCLUDE Eigen/Core HINTS ${cmeel_include} PATH_SUFFIXES eigen3 REQUIRED
          DOC "Folder that holds Eigen/Core (3.4)")
file(STRINGS ${FRAMEJIT_EIGEN_INCLUDE}/Eigen/src/Core/util/Macros.h eigen_version REGEX "define EIGEN_(WORLD|MAJOR)_VERSION")
if(NOT eigen_version MATCHES "WORLD_VERSION 3.*MAJOR_VERSION 4")
  message(FATAL_ERROR "framejit needs Eigen 3.4; ${FRAMEJIT_EIGEN_INCLUDE} holds: ${eigen_version}")
endif()

add_library(framejit_eigen INTERFACE)
target_include_directories(framejit_eigen SYSTEM INTERFACE ${FRAMEJIT_EIGEN_INCLUDE})
target_compile_definitions(framejit_eigen INTERFACE EIGEN_MPL2_ONLY EIGEN_DONT_PARALLELIZE)
message(STATUS "framejit: Eigen from ${FRAMEJIT_EIGEN_INCLUDE}")
