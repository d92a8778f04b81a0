"""opgen: C++ from the op table (eager/ops/*.toml).

Writes, per table file X:
    registry_X.cc      the rows: schema text, kind, rules, kernels, formulas
    derivatives_X.cc   one backward function per differentiable row
    typed_X.cc         the typed functions, `ops::mul(a, b)`
    ops/X.h            their declarations
    tile/X_<i>.cc      tile kernels of the pointwise rows, a few rows per file; compiled once per instruction set
and once: docs/ops.md (the page that lists all ops), stubs/_C/*.pyi (type stubs), ops.h (all of ops/*.h),
rows.cc and tile_tables.cc (lists of the above).

An output whose text did not change is left alone, so that an edit rebuilds only what it touches.
"""

import argparse
import pathlib
import sys

import derivatives
import registry
import stubs
import table
import tiles
import typed

import docs

STUB_TEMPLATE = pathlib.Path(__file__).parents[2] / "framejit" / "bindings" / "_C.pyi.in"


def outputs(tables: list[table.Table]) -> dict[str, str]:
    """Every output file, relative to the output folder, and its text."""
    files = {"ops.h": typed.umbrella(tables), "rows.cc": registry.index(tables), "tile_tables.cc": tiles.index(tables)}
    homes = typed.homes(tables)
    for one in tables:
        files[f"registry_{one.name}.cc"] = registry.source(one)
        files[f"derivatives_{one.name}.cc"] = derivatives.source(one, homes)
        files[f"ops/{one.name}.h"] = typed.header(one)
        files[f"typed_{one.name}.cc"] = typed.source(one)
        files |= tiles.sources(one)
    files["docs/ops.md"] = docs.page(tables)
    stub_files = stubs.outputs(tables, STUB_TEMPLATE.read_text())
    files |= {f"stubs/{name}": stub for name, stub in stub_files.items()}
    return files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", type=pathlib.Path, required=True, help="folder of the op table")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder to write to")
    parser.add_argument("--list-outputs", action="store_true", help="print the outputs instead of writing them")
    options = parser.parse_args()
    try:
        files = outputs(table.read(options.ops))
    except table.TableError as error:
        print(f"opgen: {error}", file=sys.stderr)
        return 1
    if options.list_outputs:
        print("\n".join(sorted(files)))
        return 0
    for name, text in files.items():
        path = options.out / name
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
