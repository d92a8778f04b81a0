"""Tile kernels: one C++ function per row, compute dtype and choice of scalar operands."""

import text
from table import HALVES, Row, Table

ROWS_PER_FILE = 6  # small enough that two cores share the work and an edit rebuilds quickly
CTYPES = {"bool": "bool", "uint8": "uint8_t", "int32": "int32_t", "int64": "int64_t", "float32": "float",
          "float64": "double", "complex128": "std::complex<double>", "int8": "int8_t", "int16": "int16_t",
          "float16": "Half", "bfloat16": "BFloat16", "complex64": "std::complex<float>"}  # fmt: skip
ENUM = {name: name for name in CTYPES} | {"bool": "bool_"}


def _kernel(row: Row, dtype: str, code: str) -> str:
    stored = CTYPES[dtype]
    if row.half_bits and dtype in HALVES:
        stored, code = "uint16_t", f"each([](T x) {{ return T({row.half_bits}); }}, a)"
    out = {"boolean": "bool", "real": f"RealOf<{stored}>"}.get(row.dtypes, stored)
    operands = "".join(f", const auto& {name}" for name in "abcd"[: row.operand_count])
    params = "".join(f"  [[maybe_unused]] const double p{i} = p[{i}];\n" for i in range(len(row.params)))
    return f"""template <unsigned kScalarMask>
void {row.signature.identifier}_{dtype}(const void* const* in, void* out, int64_t n, [[maybe_unused]] const double* p) {{
  using T [[maybe_unused]] = ComputedAs<{stored}>;
{params}  tile_loop<{out}, {stored}, {row.operand_count}, kScalarMask>(
      in, out, n, [=](auto& r{operands}) {{ r = {code}; }});
}}
"""


def _entry(row: Row, dtype: str) -> str:
    # As `tile_variant` of eager/cpu/loops/tile_variant.h looks for them.
    masks = {2: [0, 1, 2], 3: [0, 2, 4, 6]}.get(row.operand_count, [0])
    kernels = ", ".join(f"&{row.signature.identifier}_{dtype}<{mask}>" for mask in masks)
    return f'    {{{text.quote(row.signature.full_name)}, DType::{ENUM[dtype]}, {{{{{kernels}}}}}}},\n'


def _chunks(table: Table) -> list[list[Row]]:
    rows = [row for row in table.rows if row.tiles]
    return [rows[i : i + ROWS_PER_FILE] for i in range(0, len(rows), ROWS_PER_FILE)]


def _source(table: Table, index: int, rows: list[Row]) -> str:
    kernels = "\n".join(_kernel(row, dtype, code) for row in rows for dtype, code in row.tiles.items())
    entries = "".join(_entry(row, dtype) for row in rows for dtype in row.tiles)
    return f"""{text.banner(table.name)}#include "eager/cpu/tile/functions.h"
#include "eager/cpu/loops/tile_kernel.h"
#if __has_include("eager/cpu/tile/{table.name}_functions.h")
#include "eager/cpu/tile/{table.name}_functions.h"
#endif

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {{

namespace {{

{kernels}
}}  // namespace

extern const TileEntry tiles_{table.name}_{index}[];
const TileEntry tiles_{table.name}_{index}[] = {{
{entries}    {{}},
}};

}}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
"""


def sources(table: Table) -> dict[str, str]:
    return {f"tile/{table.name}_{i}.cc": _source(table, i, rows) for i, rows in enumerate(_chunks(table))}


def index(tables: list[Table]) -> str:
    names = [f"tiles_{table.name}_{i}" for table in tables for i in range(len(_chunks(table)))]
    declarations = "".join(f"  extern const TileEntry {name}[]; \\\n" for name in names)
    entries = ", ".join(f"isa::{name}" for name in names)
    return f"""{text.banner('*')}#include <vector>

#include "eager/cpu/isa.h"
#include "eager/cpu/loops/tile_kernel.h"

namespace framejit::eager {{

#define FRAMEJIT_DECLARE(isa) namespace isa {{ \\
{declarations}  }}
FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DECLARE)
#undef FRAMEJIT_DECLARE

std::vector<const TileEntry*> tile_tables() {{
  switch (cpu::chosen_isa()) {{
#define FRAMEJIT_TABLES(isa) \\
  case cpu::Isa::isa: return {{{entries}}};
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_TABLES)
#undef FRAMEJIT_TABLES
  }}
  return {{}};
}}

}}  // namespace framejit::eager
"""
