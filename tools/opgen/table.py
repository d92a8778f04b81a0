"""Reads eager/ops/*.toml into rows; every default of eager/ops/README.md is applied here and nowhere else."""

import dataclasses
import pathlib
import re
import tomllib

import schema

KINDS = ("pointwise reduction view matmul creation random structural composite data_dependent inplace").split()
DTYPE_RULES = "promote promote_float boolean real first sum int64 custom".split()
AUTOCAST_RULES = "none low_precision float32".split()
# Types with kernels of their own; the others borrow those of a wider type (wider_type in eager/dtype.h).
DTYPES = {"bool": "boolean", "uint8": "integral", "int32": "integral", "int64": "integral", "float32": "floating",
          "float64": "floating", "complex128": "complex"}  # fmt: skip
# Rows with `narrow` have kernels for these too, those with `narrow = "halves"` for halves alone. Halves are computed in float32.
NARROW = {"int8": "integral", "int16": "integral", "float16": "floating", "bfloat16": "floating",
          "complex64": "complex"}  # fmt: skip
HALVES = {dtype: NARROW[dtype] for dtype in ("float16", "bfloat16")}
CATEGORY_KEYS = {"boolean": "bool", "integral": "integral", "floating": "floating", "complex": "complex"}
KEYS = set(
    "schema kind dtypes module method function doc tile tile_for params unpromoted grad inplace out wrap meta kernel "
    "composite decompose aliases inplace_kernel autocast analytic narrow half_bits".split()
)
DEFAULT_META = {"pointwise": "meta_pointwise", "reduction": "meta_reduction"}
DEFAULT_KERNEL = {"pointwise": "pointwise_kernel"}
# What a formula may ask of an argument without its data being kept.
META_CALLS = r"(?:sizes|size|dim|dtype|device|meta|numel|strides)\("


class TableError(Exception):
    pass


@dataclasses.dataclass
class Formula:
    """The gradient of one argument, or of several by one call that gives an array."""

    arguments: list[int]
    code: str
    saved: list[int]  # arguments whose data the code reads
    saved_meta: list[int]  # arguments of which it reads the sizes or dtype alone
    saved_results: list[int]


@dataclasses.dataclass
class Row:
    signature: schema.Signature
    kind: str
    dtypes: str
    autocast: str
    doc: str
    tiles: dict[str, str]  # expression by dtype
    params: list[int]
    unpromoted: list[int]
    operand_count: int
    formulas: list[Formula]
    analytic: bool
    half_bits: str
    derive_inplace: bool
    derive_out: bool
    wrap: bool
    meta: str
    kernel: str
    inplace_kernel: str
    composite: str
    decompose: str
    module: str
    is_method: bool
    is_function: bool
    aliases: list[str]

    @property
    def fixed_ints(self) -> list[int]:
        """The int arguments that are plain numbers in a trace too."""
        return [i for i, arg in enumerate(self.signature.arguments) if arg.base == "int" and not arg.symbolic]

    def python_name(self, name: str) -> str:
        """Of a function ``name`` of this row in its module: ``inv`` in linalg for linalg_inv."""
        return name.removeprefix(f"{self.module}_") if self.module else name

    def takes_number(self, index: int) -> bool:
        """A Tensor argument for which a Python number may be given."""
        argument = self.signature.arguments[index]
        return self.wrap and argument.base == "Tensor" and not argument.is_list


@dataclasses.dataclass
class Table:
    name: str
    rows: list[Row]


def _operand_count(signature: schema.Signature) -> int:
    count = 0
    while count < len(signature.arguments) and signature.arguments[count].is_tensor:
        count += 1
    return count


def _tiles(raw: dict, rule: str) -> dict[str, str]:
    """Expression by compute dtype: the most specific key wins, an empty text means no kernel."""
    by_key = raw.get("tile_for", {})
    unknown = set(by_key) - set(DTYPES) - set(CATEGORY_KEYS.values()) - {"all"}
    if unknown:
        raise TableError(f"tile_for: unknown key {sorted(unknown)}")
    result = {}
    narrow = {"halves": HALVES, True: NARROW, False: {}}[raw.get("narrow", False)]
    for dtype, category in (DTYPES | narrow).items():
        if rule == "promote_float" and category not in ("floating", "complex"):
            continue
        general = {"all": by_key.get("all", raw.get("tile", ""))} if category != "complex" else {}
        code = next((source[key] for source, key in ((by_key, dtype), (by_key, CATEGORY_KEYS[category]), (general, "all"))
                     if key in source), "")  # fmt: skip
        if code:
            result[dtype] = code
    return result


def _saved_results(code: str, count: int) -> list[int]:
    indexed = {int(index) for index in re.findall(r"\bresults\[(\d+)\]", code)}
    if re.search(r"\bresult\b", code):
        indexed.add(0)
    if any(index >= count for index in indexed):
        raise TableError(f"no such result: {code}")
    return sorted(indexed)


def _formula(signature: schema.Signature, names: str, code: str) -> Formula:
    known = [argument.name for argument in signature.arguments]
    for name in names.split(", "):
        if name not in known:
            raise TableError(f"grad.{name}: no such argument")
    saved, saved_meta = [], []
    for index, argument in enumerate(signature.arguments):
        uses = len(re.findall(rf"(?<![\w.]){argument.name}\b", code))
        meta_call = rf"shapes_of\({argument.name}\)" if argument.is_list else rf"(?<![\w.]){argument.name}\.{META_CALLS}"
        if uses == 0:
            continue
        only_meta = argument.is_tensor and uses == len(re.findall(meta_call, code))
        (saved_meta if only_meta else saved).append(index)
    arguments = [signature.index(name) for name in names.split(", ")]
    return Formula(arguments, code, saved, saved_meta, _saved_results(code, len(signature.results)))


def _row(raw: dict) -> Row:
    signature = schema.parse(raw["schema"])
    kind, rule = raw.get("kind", "structural"), raw.get("dtypes", "promote")
    unknown = set(raw) - KEYS
    if unknown:
        raise TableError(f"unknown key {sorted(unknown)}")
    if kind not in KINDS or rule not in DTYPE_RULES:
        raise TableError(f"unknown kind {kind} or dtypes {rule}")
    if raw.get("autocast", "none") not in AUTOCAST_RULES:
        raise TableError(f"unknown autocast {raw['autocast']}")
    pointwise = kind == "pointwise"
    operands = _operand_count(signature) if pointwise else 0
    single = signature.results == ["Tensor"]
    derivable = kind not in ("view", "composite", "inplace", "data_dependent", "creation", "random")
    starts_with_self = bool(signature.arguments) and signature.arguments[0].name == "self"
    return Row(
        signature=signature,
        kind=kind,
        dtypes=rule,
        autocast=raw.get("autocast", "none"),
        doc=raw.get("doc", ""),
        tiles=_tiles(raw, rule) if pointwise else {},
        params=[signature.index(name) for name in raw.get("params", [])],
        unpromoted=[signature.index(name) for name in raw.get("unpromoted", [])],
        operand_count=operands,
        formulas=[_formula(signature, names, code) for names, code in raw.get("grad", {}).items()],
        analytic=raw.get("analytic", True),
        half_bits=raw.get("half_bits", ""),
        derive_inplace=raw.get("inplace", pointwise and starts_with_self),
        derive_out=raw.get("out", single and derivable),
        wrap=raw.get("wrap", pointwise and operands > 1),
        meta=raw.get("meta", DEFAULT_META.get(kind, "")),
        kernel=raw.get("kernel", DEFAULT_KERNEL.get(kind, "")),
        inplace_kernel=raw.get("inplace_kernel", ""),
        composite=raw.get("composite", ""),
        decompose=raw.get("decompose", ""),
        module=raw.get("module", ""),
        is_method=raw.get("method", starts_with_self and "module" not in raw),
        is_function=raw.get("function", True),
        aliases=raw.get("aliases", []),
    )


def read(folder: pathlib.Path) -> list[Table]:
    tables, names = [], set()
    for path in sorted(folder.glob("*.toml")):
        rows = []
        for raw in tomllib.loads(path.read_text()).get("op", []):
            try:
                row = _row(raw)
            except (ValueError, TableError) as error:
                raise TableError(f"{path.name}: {raw.get('schema', raw)}: {error}") from error
            if row.signature.full_name in names:
                raise TableError(f"{path.name}: {row.signature.full_name} is there twice")
            names.add(row.signature.full_name)
            rows.append(row)
        tables.append(Table(path.stem, rows))
    return tables
