"""Print, as a CMake list, what the build must know of the interpreter that runs this: tag;suffix;include dirs."""

import os
import sys
import sysconfig

SUPPORTED = ((3, 11), (3, 12), (3, 13))


def main() -> int:
    version = sys.version_info[:2]
    if sys.implementation.name != "cpython" or version not in SUPPORTED:
        names = ", ".join("%d.%d" % v for v in SUPPORTED)
        sys.stderr.write("got %s, expected CPython %s\n" % (sys.version.split()[0], names))
        return 1
    paths = sysconfig.get_paths()
    includes = list(dict.fromkeys([paths["include"], paths["platinclude"]]))
    if not any(os.path.exists(os.path.join(path, "Python.h")) for path in includes):
        sys.stderr.write("no Python.h in %s: install this interpreter's development headers\n" % includes[0])
        return 1
    try:
        import pybind11
    except ImportError:
        sys.stderr.write(
            "no pybind11 for %s: run `%s -m pip install pybind11`\n" % (sys.executable, sys.executable)
        )
        return 1
    includes.append(pybind11.get_include())
    sys.stdout.write(";".join(["%d%d" % version, sysconfig.get_config_var("EXT_SUFFIX"), *includes]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
