"""Tests of an op of one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from framejit._C import Tensor, _library
from framejit.autograd.grad_mode import no_grad
from framejit.compiler.api import compile
from framejit.library.operators import OpOverload, OpOverloadPacket
from framejit.utils._pytree import tree_leaves, tree_map_only

DEFAULT_TEST_UTILS = (
    "test_schema",
    "test_autograd_registration",
    "test_faketensor",
    "test_aot_dispatch_dynamic",
)


class OpCheckError(Exception):
    """An op does not do what was registered of it."""


def _tensors(tree: Any) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, Tensor)]


def _copied(tree: Any) -> Any:
    """With copies of all tensors, which require grad as those do."""
    return tree_map_only(Tensor, lambda x: x.detach().clone().requires_grad_(x.requires_grad), tree)


def _same(a: Tensor, b: Tensor, rtol: float, atol: float) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if not (a.is_floating_point() or a.is_complex()):
        return bool((a == b).all().item())
    return bool(a.detach().isclose(b.detach(), rtol=rtol, atol=atol, equal_nan=True).all().item())


class _Check:
    def __init__(self, op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], rtol: float, atol: float) -> None:
        self.op, self.args, self.kwargs = op, args, kwargs
        self.rtol, self.atol = rtol, atol
        schema = _library.parse(op._schema)
        self.written = [arg["mutated"] for arg in schema["args"]]

    def _require(self, condition: bool, message: str) -> None:
        if not condition:
            raise OpCheckError(f"opcheck({self.op.name()}, ...): {message}")

    def test_schema(self) -> None:
        """Nothing is written but what the schema says, and nothing is returned that is an argument."""
        args, kwargs = _copied(self.args), _copied(self.kwargs)
        with no_grad():
            results = _tensors(self.op(*args, **kwargs))
        for position, (before, after) in enumerate(zip(self.args, args, strict=True)):
            if self.written[position]:
                continue
            for old, new in zip(_tensors(before), _tensors(after), strict=True):
                self._require(
                    _same(old, new, 0, 0),
                    f"Argument {position} is not defined as mutable but was mutated",
                )
        inputs = {tensor.untyped_storage().data_ptr() for tensor in _tensors((args, kwargs)) if tensor.numel()}
        for result in results:
            aliased = result.numel() > 0 and result.untyped_storage().data_ptr() in inputs
            self._require(not aliased, "a result shares memory with an argument")

    def test_autograd_registration(self) -> None:
        """Where an argument requires grad, so do the results."""
        args, kwargs = _copied(self.args), _copied(self.kwargs)
        if any(self.written) or not any(tensor.requires_grad for tensor in _tensors((args, kwargs))):
            return
        for result in _tensors(self.op(*args, **kwargs)):
            if result.is_floating_point() or result.is_complex():
                self._require(
                    result.requires_grad,
                    "an argument requires grad and a result does not: the op was given an implementation for the key "
                    "Autograd that loses the gradient",
                )

    def test_faketensor(self) -> None:
        """The fake implementation says what the kernel makes."""
        if self.kwargs:
            return  # its arguments are checked by the next test
        with no_grad():
            real = _tensors(self.op(*_copied(self.args)))
        fake = _library.infer(self.op._function, *self.args)
        self._require(len(real) == len(fake), f"the kernel returns {len(real)} tensors, the fake {len(fake)}")
        for index, (tensor, (shape, strides, dtype)) in enumerate(zip(real, fake, strict=True)):
            for what, got, promised in (
                ("shape", tensor.shape, shape),
                ("dtype", tensor.dtype, dtype),
                ("strides", tuple(tensor.stride()), tuple(strides)),
            ):
                self._require(
                    got == promised,
                    f"the kernel returned as result {index} a tensor of {what} {got}, the fake implementation one of {promised}",
                )

    def test_aot_dispatch_dynamic(self) -> None:
        """Compiled with symbolic sizes, results and gradients are the same."""
        expected = self._results_and_gradients(self.op)
        compiled = compile(
            lambda *args, **kwargs: self.op(*args, **kwargs), backend="aot_eager", fullgraph=True, dynamic=True
        )
        found = self._results_and_gradients(compiled)
        self._require(len(expected) == len(found), "compiled, it has another number of results or gradients")
        for (what, a), (_, b) in zip(expected, found, strict=True):
            self._require(_same(a, b, self.rtol, self.atol), f"compiled, it gives another {what}")

    def _results_and_gradients(self, function: Callable[..., Any]) -> list[tuple[str, Tensor]]:
        args, kwargs = _copied(self.args), _copied(self.kwargs)
        results = _tensors(function(*args, **kwargs))
        found = [("result", result) for result in results]
        found += [("written argument", tensor) for tensor in _tensors((args, kwargs)) if not tensor.requires_grad]
        differentiable = [result for result in results if result.requires_grad]
        if differentiable:
            sum((result.abs().sum() for result in differentiable[1:]), differentiable[0].abs().sum()).backward()
            found += [("gradient", t.grad) for t in _tensors((args, kwargs)) if t.grad is not None]
        return found


def opcheck(
    op: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    test_utils: str | Sequence[str] = DEFAULT_TEST_UTILS,
    raise_exception: bool = True,
    atol: float | None = None,
    rtol: float | None = None,
) -> dict[str, Any]:
    """Tests that what has been registered of an op agrees: schema, derivative, fake implementation, kernel.

    It does not test the values; :func:`framejit.autograd.gradcheck` tests the derivative.

    Args:
        op: an op of ``framejit.ops`` or a custom op.
        args, kwargs: sample arguments.
        test_utils: one test or several.
        raise_exception: raise the first error; else return it.

    Returns:
        ``"SUCCESS"`` or the exception, for each test.
    """
    own = getattr(op, "_opoverload", op)
    overload = own.default if isinstance(own, OpOverloadPacket) else own
    if not isinstance(overload, OpOverload):
        raise ValueError(f"opcheck(op, ...): Got unexpected type for op: {type(op)}, expected an op")
    names = (test_utils,) if isinstance(test_utils, str) else tuple(test_utils)
    unknown = set(names) - set(DEFAULT_TEST_UTILS)
    if unknown:
        raise ValueError(
            f"opcheck(op, ..., test_utils={test_utils}): invalid test_util, expected ones of {DEFAULT_TEST_UTILS}"
        )
    check = _Check(
        overload, tuple(args), dict(kwargs or {}), 1e-5 if rtol is None else rtol, 1e-8 if atol is None else atol
    )
    outcomes: dict[str, Any] = {}
    for name in names:
        try:
            getattr(check, name)()
            outcomes[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise
            outcomes[name] = error
    return outcomes
