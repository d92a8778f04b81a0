"""Print, as a C++ include file, what the decoder must know of the opcodes of the interpreter that runs this."""

import opcode
import sys


def cache_units() -> dict[str, int]:
    """Code units of inline cache behind each opcode."""
    if sys.version_info >= (3, 13):
        return dict(opcode._inline_cache_entries)
    return {opcode.opname[number]: units for number, units in enumerate(opcode._inline_cache_entries)}


def main() -> None:
    caches = cache_units()
    version = sys.version.split()[0]
    print(f"// Made by tools/describe_opcodes.py from {version}: CPython opcode number, name, code units of cache.")
    for number, name in enumerate(opcode.opname[:256]):
        if not name.startswith("<"):
            print('CPYTHON_OPCODE(%d, %s, %d)' % (number, name, caches.get(name, 0)))
    for number, (name, symbol) in enumerate(opcode._nb_ops):
        print('CPYTHON_BINARY_OPERATOR(%d, %s, "%s")' % (number, name, symbol))


if __name__ == "__main__":
    main()
