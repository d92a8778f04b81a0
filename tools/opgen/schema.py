"""Signatures of the op table, as far as the generator needs them. The full parser is eager/schema.cc."""

import dataclasses
import re

_ARGUMENT = re.compile(r"^(?P<type>[A-Za-z]+)(?P<alias>\([a-z]!?\))?(?P<inner>\?)?(?P<list>\[\d*\])?(?P<outer>\?)? "
                       r"(?P<name>\w+)(=(?P<default>.*))?$")  # fmt: skip


@dataclasses.dataclass
class Argument:
    name: str
    base: str  # Tensor, int, float, bool, Scalar, str, ScalarType, Device, Generator
    is_list: bool
    optional: bool
    mutated: bool
    default: str | None
    keyword_only: bool
    accepts_one: bool  # of int[2]: one int stands for the list
    symbolic: bool  # SymInt: stays a symbol in a trace

    @property
    def is_tensor(self) -> bool:
        return self.base == "Tensor"


@dataclasses.dataclass
class Signature:
    text: str
    name: str
    overload: str
    arguments: list[Argument]
    results: list[str]  # types: Tensor, Tensor[], Scalar, bool, ...

    @property
    def identifier(self) -> str:
        """Name for generated C++ functions: sum_dim."""
        return self.name if not self.overload else f"{self.name}_{self.overload}"

    @property
    def full_name(self) -> str:
        return self.name if not self.overload else f"{self.name}.{self.overload}"

    def index(self, name: str) -> int:
        return [argument.name for argument in self.arguments].index(name)


def _split(text: str) -> list[str]:
    """At commas outside of quotes and brackets."""
    parts = re.findall(r"(?:'[^']*'|\[[^\]]*\]|[^,'\[])+", text)
    return [part.strip() for part in parts if part.strip()]


def parse(text: str) -> Signature:
    match = re.match(r"^(\w+)(?:\.(\w+))?\((.*)\) -> (.+)$", text)
    if not match:
        raise ValueError(f"not a schema: {text}")
    name, overload, inside, results = match.groups()
    arguments: list[Argument] = []
    keyword_only = False
    for part in _split(inside):
        if part == "*":
            keyword_only = True
            continue
        found = _ARGUMENT.match(part)
        if not found:
            raise ValueError(f"not an argument: {part!r} in {text}")
        arguments.append(
            Argument(
                name=found["name"],
                base="int" if found["type"] == "SymInt" else found["type"],
                is_list=bool(found["list"]),
                optional=bool(found["outer"]) or bool(found["inner"] and not found["list"]),
                mutated="!" in (found["alias"] or ""),
                default=found["default"],
                keyword_only=keyword_only,
                accepts_one=found["list"] not in (None, "[]"),
                symbolic=found["type"] == "SymInt",
            )
        )
    if results.startswith("(") and not results.endswith(")"):
        raise ValueError(f"unbalanced results: {text}")
    results = results[1:-1] if results.startswith("(") else results
    result_types = [re.sub(r"\([a-z]!?\)", "", part).split()[0] for part in _split(results)]
    return Signature(text, name, overload or "", arguments, result_types)
