"""The type stubs of framejit._C name what the extension module has."""

import ast
import pathlib

import pytest

import framejit as fj

STUBS = pathlib.Path(fj.__file__).parent / "_C"


def defined(body) -> set[str]:
    """Names that a module or a class body of a stub defines or imports."""
    names = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def stub(name: str) -> list:
    return ast.parse((STUBS / f"{name}.pyi").read_text()).body


def public(owner) -> set[str]:
    return {name for name in dir(owner) if not name.startswith("_")}


def test_methods_and_attributes_of_tensor():
    (tensor,) = (node for node in stub("__init__") if isinstance(node, ast.ClassDef) and node.name == "Tensor")
    assert public(fj.Tensor) == {name for name in defined(tensor.body) if not name.startswith("_")}


@pytest.mark.parametrize("name", ["ops", "nn_functional", "linalg", "special", "fft", "_autograd"])
def test_functions_of_submodules(name):
    submodule = getattr(fj._C, name)
    helpers = {"Sequence", "Callable", "Any", "overload", "Generator", "Number", "Tensor", "Node", "dtype"}
    assert public(submodule) == {n for n in defined(stub(name)) - helpers if not n.startswith("_")}


def test_the_module_itself():
    own_stubs = {"compiler", "fft", "fx", "linalg", "nn_functional", "special"}
    assert public(fj._C) - own_stubs <= defined(stub("__init__"))
