"""Random calls of ops, made from the op table: a row and a seed make one call, as Python text.

A call is either a sample of ``tests/op_samples`` with a few arguments changed, or drawn from the schema alone. Its text is
the same for framejit and PyTorch (``m`` is the library, ``t`` makes a tensor in it), so that a failure can be pasted.

Two sorts: *tame* calls have arguments that a program could have (shapes that broadcast or nearly, all dtypes, views of all
kinds) and must give what PyTorch gives; *wild* ones contain anything, and must give a result or an ordinary exception.
"""

from __future__ import annotations

import dataclasses
import random
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "opgen"))

import schema as schemas  # noqa: E402
from tests.op_samples import ALL, FORMATS, INTERNAL as INTERNAL, SAMPLES, UNSPECIFIED, Sample, T  # noqa: E402

DTYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
LAYOUTS = ("contiguous", "transposed", "permuted", "sliced", "offset", "expanded", "windows", "tail")
INT64_MAX, INT64_MIN = 2**63 - 1, -(2**63)
WILD_INTS = (-1, -2, 0, 7, 100, -100, 2**31 - 1, 2**31, -(2**31), 2**32 + 1, 2**40, 2**62, INT64_MAX, INT64_MIN, INT64_MIN + 1)
WILD_FLOATS = ("inf", "-inf", "nan", "1e308", "-1e308", "1e-320", "-0.0", "0.5")
WILD_OBJECTS = (
    "None", "'text'", "b'bytes'", "object()", "[]", "()", "{}", "[None]", "['a']", "[1.5]", "[[1]]", "True", "2**70", "-2**70", "3j",
    "Ellipsis", "slice(None)", "int", "m.float32", "m.strided", "m.device('cpu')", "lambda: 0", "range(3)", "float('nan')", "m",
    "[2**63 - 1] * 3", "[2**40, 2**40]", "(-1, -1)", "[0, 0, 0, 0]", "[1] * 70", "'reflect'", "'sum'", "m.Generator()",
)  # fmt: skip


@dataclasses.dataclass
class Call:
    """``setup`` binds the tensors a0, a1, ...; ``text`` is the expression that is called."""

    setup: list[str]
    text: str
    tame: bool
    inplace: bool  # the first tensor is written

    def source(self) -> str:
        return "\n".join([*self.setup, self.text])


class Maker:
    """Writes calls of one row. ``row`` is an entry of ``fj._C.op_table()``."""

    def __init__(self, row: dict, seed: int) -> None:
        self.row = row
        self.random = random.Random(f"{row['full_name']} {seed}")
        self.setup: list[str] = []
        self.tame = self.chance(0.6)
        self.dtype = self.pick(("float32", "float32", "float64", "int64", *DTYPES))
        self.shape = self.draw_shape()

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def pick(self, options: Any) -> Any:
        return self.random.choice(options)

    def make(self) -> Call:
        base = self.row["functional"] or self.row["full_name"]
        samples = SAMPLES.get(base) or UNSPECIFIED.get(base)
        sample = self.pick(samples) if samples and self.chance(0.7) else None
        args, kwargs = self.from_sample(sample) if sample else self.from_schema()
        if not self.tame:
            args, kwargs = self.spoil(args, kwargs)
        return self.call(sample, args, kwargs)

    # -- the call ----------------------------------------------------------------------------------------------------

    def call(self, sample: Sample | None, args: list[str], kwargs: dict[str, str]) -> Call:
        row = self.row
        name = (sample.name if sample and sample.name and row["functional"] is None else None) or row["name"]
        inplace = row["kind"] == "inplace" or name.endswith("_")
        as_method = args and row["is_method"] and (not row["is_function"] or inplace or self.chance(0.4))
        path = ".".join(filter(None, ("m", row["module"], name.removeprefix(row["module"] + "_")))) if not as_method else ""
        if row["kind"] == "out" and "out" not in kwargs:
            kwargs = {**kwargs, "out": self.tensor(self.draw_shape() if self.chance(0.5) else (0,), grad=0.05)}
        # What comes of writing to elements that are one is for no one to say.
        written = args[:1] if inplace else [kwargs["out"]] if "out" in kwargs else []
        if any(f"{name} = " in line and ("windows" in line or "expanded" in line) for name in written for line in self.setup):
            self.tame = False
        keywords = [f"{key}={value}" for key, value in kwargs.items()]
        if as_method:
            return Call(self.setup, f"({args[0]}).{name}({', '.join([*args[1:], *keywords])})", self.tame, inplace)
        return Call(self.setup, f"{path}({', '.join([*args, *keywords])})", self.tame, inplace)

    # -- arguments from a sample -------------------------------------------------------------------------------------

    def from_sample(self, sample: Sample) -> tuple[list[str], dict[str, str]]:
        """The sample in one of its dtypes or any other, one or two of its arguments changed."""
        dtype = self.pick(sample.dtypes) if self.chance(0.4) else self.dtype
        count = len(sample.args) + len(sample.kwargs)
        changed = set(self.random.choices(range(count), k=self.pick((0, 1, 1, 2)))) if count else set()
        written = [self.sampled(value, dtype, i in changed) for i, value in enumerate((*sample.args, *sample.kwargs.values()))]
        split = len(sample.args)
        return written[:split], dict(zip(sample.kwargs, written[split:]))

    def sampled(self, value: Any, dtype: str, changed: bool) -> str:
        if isinstance(value, T):
            return self.sampled_tensor(value, dtype, changed)
        if isinstance(value, list | tuple) and any(isinstance(entry, T) for entry in value):
            entries = [self.sampled(entry, dtype, changed and self.chance(0.5)) for entry in value]
            return f"[{', '.join(entries)}]"
        if isinstance(value, str) and value in (*ALL, *DTYPES, *FORMATS):
            return f"m.{self.pick(DTYPES) if changed and value in DTYPES else value}"
        if not changed:
            return written(value)
        return self.changed_number(value)

    def sampled_tensor(self, spec: T, dtype: str, changed: bool) -> str:
        shape, dtype = tuple(spec.shape), spec.dtype or dtype
        low, high, values = spec.low, spec.high, spec.values
        layout = self.pick(LAYOUTS) if self.chance(0.5) else "contiguous"
        if changed:
            what = self.pick(("shape", "shape", "dtype", "range")) if not self.tame else self.pick(("shape", "dtype"))
            if what == "shape":
                shape, values = self.changed_shape(shape), None
            elif what == "dtype" and not (spec.dtype == "int64" and self.tame and self.chance(0.7)):
                dtype = self.pick(DTYPES)
            elif what == "range":
                low, high, values = self.pick((-1000, -2, 0)), self.pick((1, 100, 1e9)), None
        return self.tensor(shape, dtype, layout, low, high, values)

    def changed_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        sizes = list(shape)
        kind = self.pick(("one", "grow", "zero", "drop", "add", "swap", "other", "flat"))
        if not sizes or kind == "other":
            return self.draw_shape()
        where = self.random.randrange(len(sizes))
        if kind in ("one", "grow", "zero"):
            sizes[where] = {"one": 1, "grow": sizes[where] + 1, "zero": 0}[kind]
        elif kind == "drop":
            del sizes[where]
        elif kind == "add":
            sizes.insert(where, self.pick((1, 2)))
        elif kind == "swap":
            other = self.random.randrange(len(sizes))
            sizes[where], sizes[other] = sizes[other], sizes[where]
        else:
            sizes = [1] * len(sizes)
        return tuple(sizes)

    def changed_number(self, value: Any) -> str:
        if isinstance(value, bool):
            return str(not value)
        if isinstance(value, int):
            return repr(value + self.pick((-2, -1, 1, 2, -value, -value - 1)))
        if isinstance(value, float):
            return written(self.pick((0.0, -value, value * 2, 1.0, 0.25)))
        if isinstance(value, list | tuple) and value and all(isinstance(v, int) and not isinstance(v, bool) for v in value):
            entries = [v + self.pick((0, 0, 1, -1)) for v in value]
            return written(type(value)(self.pick((entries, entries[1:], entries[::-1], [*entries, 1]))))
        return written(value)

    # -- arguments from the schema -----------------------------------------------------------------------------------

    def from_schema(self) -> tuple[list[str], dict[str, str]]:
        signature = schemas.parse(self.row["schema"])
        args: list[str] = []
        kwargs: dict[str, str] = {}
        positional = True
        for argument in signature.arguments:
            if argument.name == "out" or (self.row["kind"] == "out" and argument.mutated and argument.keyword_only):
                continue
            if argument.default is not None and self.chance(0.6):
                positional = False
                continue
            value = self.drawn(argument)
            if argument.keyword_only or not positional:
                kwargs["input" if argument.name == "self" else argument.name] = value
            else:
                args.append(value)
        return args, kwargs

    def drawn(self, argument: schemas.Argument) -> str:
        if argument.optional and self.chance(0.3):
            return "None"
        if argument.is_list and not (argument.accepts_one and self.chance(0.4)):
            entries = [self.drawn_one(argument.base) for _ in range(self.pick((0, 1, 1, 2, 2, 3, 4)))]
            return f"[{', '.join(entries)}]" if self.chance(0.7) else f"({''.join(e + ', ' for e in entries)})"
        return self.drawn_one(argument.base)

    def drawn_one(self, base: str) -> str:
        if base == "Tensor":
            return self.related_tensor()
        if base == "int":
            return str(self.pick(WILD_INTS) if not self.tame and self.chance(0.3) else self.pick((0, 0, 1, 1, 2, 3, -1, -2, 4)))
        if base == "float":
            return f"float('{self.pick(WILD_FLOATS)}')" if self.chance(0.2) else self.pick(("0.5", "1.0", "2.0", "0.0", "-1.5", "1", "0.1"))
        if base == "Scalar":
            return self.pick(("2", "0", "-1", "1.5", "True", "0.0", "2+1j"))
        choices = {
            "bool": ("True", "False"),
            "ScalarType": [f"m.{name}" for name in DTYPES],
            "Device": ("'cpu'", "m.device('cpu')", "'meta_'") if not self.tame else ("'cpu'", "m.device('cpu')"),
            "Generator": ("m.Generator()", "None"),
            "str": ("'none'", "'mean'", "'sum'", "'ij'", "'constant'", "'reflect'", "'replicate'", "'circular'", "'linear'", "'nearest'",
                    "'bilinear'", "'fro'", "'nuc'", "'valid'", "'same'", "'floor'", "'trunc'", "'tanh'", "'ii'", "'ij,jk->ik'", "'amax'", "'prod'"),
        }  # fmt: skip
        return str(self.pick(choices[base]))

    # -- tensors -----------------------------------------------------------------------------------------------------

    def draw_shape(self) -> tuple[int, ...]:
        r = self.random
        rank = r.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 5))
        if self.chance(0.2):
            return (r.choice((1, 2, 3, 4)),) * rank
        return tuple(r.choice((0, 1, 2, 2, 3, 3, 4, 5, 17) if self.chance(0.5) else (2, 3, 4)) for _ in range(rank))

    def related_tensor(self) -> str:
        """Of the call's shape and dtype, or one that broadcasts with it, or any."""
        shape = self.shape
        kind = self.pick(("same", "same", "same", "ones", "drop", "changed", "any", "scalar"))
        if kind == "ones":
            shape = tuple(self.pick((size, 1)) for size in shape)
        elif kind == "drop":
            shape = shape[self.random.randint(0, len(shape)) :]
        elif kind == "changed":
            shape = self.changed_shape(shape)
        elif kind == "any":
            shape = self.draw_shape()
        elif kind == "scalar":
            shape = ()
        dtype = self.pick((self.dtype, self.dtype, self.dtype, "int64", "bool", self.pick(DTYPES)))
        low, high = self.pick(((-3, 3), (-3, 3), (0, 1), (0, 3), (0.1, 2)))
        return self.tensor(shape, dtype, self.pick(LAYOUTS), low, high)

    def tensor(
        self, shape: tuple[int, ...], dtype: str | None = None, layout: str = "contiguous", low: float = -3, high: float = 3,
        values: Any = None, grad: float = 0.25,
    ) -> str:  # fmt: skip
        """Adds a line to the setup and returns the variable."""
        dtype = dtype or self.dtype
        name = f"a{len(self.setup)}"
        more = f", layout='{layout}'" * (layout != "contiguous")
        if values is not None:
            more += f", values={numbers(values)}"
        elif not self.tame and self.chance(0.2):
            more += ", special=True"
        elif (low, high) != (-3, 3):
            more += f", low={written(low)}, high={written(high)}"
        if self.chance(grad) and dtype.startswith(("float", "bfloat", "complex")):
            more += ", grad=True"
        self.setup.append(f"{name} = t({shape}, '{dtype}'{more})")
        if len(self.setup) > 1 and self.chance(0.03):
            return self.pick([f"a{i}" for i in range(len(self.setup))])  # the same tensor twice
        return name

    # -- spoiling ----------------------------------------------------------------------------------------------------

    def spoil(self, args: list[str], kwargs: dict[str, str]) -> tuple[list[str], dict[str, str]]:
        """One or two arguments replaced by anything, left out, or given too often."""
        args, kwargs = list(args), dict(kwargs)
        for _ in range(self.pick((0, 1, 1, 2))):
            what = self.pick(("value", "value", "value", "value", "missing", "extra", "keyword"))
            if what == "extra":
                args.append(self.wild())
            elif what == "keyword":
                kwargs[self.pick(("dim", "out", "dtype", "device", "keepdim", "nonsense", "input", "self", "generator", "size"))] = self.wild()
            elif args and (self.chance(0.8) or not kwargs):
                where = self.random.randrange(len(args))
                if what == "value":
                    args[where] = self.wild()
                else:
                    del args[where]
            elif kwargs:
                kwargs[self.pick(sorted(kwargs))] = self.wild()
        return args, kwargs

    def wild(self) -> str:
        kind = self.pick(("int", "int", "ints", "object", "object", "tensor", "float"))
        if kind == "int":
            return str(self.pick(WILD_INTS))
        if kind == "ints":
            return str([self.pick((*WILD_INTS, 1, 2, 3)) for _ in range(self.pick((1, 2, 3)))])
        if kind == "tensor":
            return self.related_tensor()
        return f"float('{self.pick(WILD_FLOATS)}')" if kind == "float" else self.pick(WILD_OBJECTS)


class CallableMaker(Maker):
    """Wild calls of what is no row of the table: ``row["callable"]`` is its path."""

    def make(self) -> Call:
        self.tame = False
        path = self.row["callable"]
        args = [self.anything() for _ in range(self.pick((0, 1, 1, 1, 2, 2, 3)))]
        if path.startswith("m.Tensor."):
            path = f"({self.related_tensor()}).{path.removeprefix('m.Tensor.')}"
        elif path.startswith("m.nn.") and path.split(".")[-1][0].isupper():  # a module: made, then called
            return Call(self.setup, f"{path}({', '.join(args)})({self.related_tensor()})", False, False)
        if self.chance(0.2):
            name = self.pick(("dim", "dtype", "device", "size", "requires_grad", "input", "stream", "max_version", "copy", "nonsense"))
            args.append(f"{name}={self.wild()}")
        return Call(self.setup, f"{path}({', '.join(args)})", False, False)

    def anything(self) -> str:
        if self.chance(0.4):
            return self.related_tensor()
        return self.index() if self.row["callable"].endswith("item__") and self.chance(0.7) else self.pick((self.wild, self.small))()

    def small(self) -> str:
        return self.pick(("0", "1", "2", "3", "-1", "0.5", "True", "(2, 3)", "[1]", "'mean'", "m.float64", "m.int32", "None"))

    def index(self) -> str:
        """What stands in brackets."""
        parts = [self.part_of_index() for _ in range(self.pick((1, 1, 2, 3)))]
        return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"

    def part_of_index(self) -> str:
        bounds = ("None", "0", "1", "-1", "2", "-2", "7", *map(str, WILD_INTS))
        kind = self.pick(("int", "slice", "tensor", "other"))
        if kind == "int":
            return self.pick(bounds)
        if kind == "slice":
            return f"slice({self.pick(bounds)}, {self.pick(bounds)}, {self.pick(bounds)})"
        return self.related_tensor() if kind == "tensor" else self.pick(("Ellipsis", "None", "True", "False", "[0, 1]", "[True]", "'a'", "1.5", "[]"))


def numbers(values: Any) -> str:
    """A nested list; numbers without a literal by their name."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, list | tuple):
        return f"[{', '.join(map(numbers, values))}]"
    return written(values)


def written(value: Any) -> str:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return f"float('{value}')"
    return repr(value)


def make_call(row: dict, seed: int) -> Call:
    """Call number ``seed`` of a row."""
    return (CallableMaker if "callable" in row else Maker)(row, seed).make()
