#!/usr/bin/env bash
# Configure and build the developer tree in one command.
#   tools/dev.sh [interpreter ...]      default: $PY, else python3;  several interpreters share one libframejit_core.so
# Environment: TARGET (a ninja target), JOBS, CMAKE_ARGS.
set -eu
cd "$(dirname "$0")/.."
pythons=("$@")
[ ${#pythons[@]} -gt 0 ] || pythons=("${PY:-$(command -v python3)}")
list=$(IFS=';'; echo "${pythons[*]}")
cmake --preset dev -DFRAMEJIT_PYTHONS="$list" ${CMAKE_ARGS:-} >build-dev.log 2>&1 || { cat build-dev.log; rm -f build-dev.log; exit 1; }
rm -f build-dev.log
exec cmake --build build/dev -j "${JOBS:-$(nproc)}" ${TARGET:+--target "$TARGET"}
