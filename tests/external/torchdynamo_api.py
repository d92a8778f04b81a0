"""A pytest plugin for the tests of the first TorchDynamo (pytorch/torchdynamo, by hand; nothing of it is in this repository):

    git -C CHECKOUT checkout 85369080; cd CHECKOUT/test/dynamo
    PYTHONPATH=<framejit> python -m pytest -p tests.external.torchdynamo_api test_functions.py test_misc.py ...

``import torch`` finds framejit, and ``import torchdynamo`` this file's stand-ins over ``framejit.compile``.
"""

import importlib
import sys
import types
import unittest

import numpy as np

import framejit as fj
from tests.external.as_torch import pytest_configure as _alias


class OpCount(int):
    """Equal to any number: graphs of the same program have other ops here."""

    def __eq__(self, other):
        return isinstance(other, int)

    __hash__ = int.__hash__


class CompileCounter:
    """A backend that counts graphs and their calls, and runs them as they are."""

    def __init__(self):
        self.frame_count, self.op_count = 0, OpCount()

    def __call__(self, gm, example_inputs):
        self.frame_count += 1
        self.op_count = OpCount(self.op_count + sum("call" in node.op for node in gm.graph.nodes))
        return gm.forward

    clear = __init__


class CompileCounterWithBackend(CompileCounter):
    def __init__(self, backend="eager"):
        super().__init__()


def optimize(backend="eager", *, nopython=False, guard_export_fn=None, guard_fail_fn=None, disable=False):
    backend = "eager" if backend in ("nop", "eager", "ts") else backend
    return lambda fn: fn if disable else fj.compile(fn, backend=backend, fullgraph=nopython)


def optimize_assert(backend, **options):
    return optimize(backend, nopython=True)


def same(a, b, *args, **kwargs):
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return set(a) == set(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, fj.Tensor):
        x, y = a.detach().numpy(), b.detach().numpy()
        return x.dtype == y.dtype and x.shape == y.shape and np.allclose(x, y, 1e-4, 1e-4, equal_nan=True)
    if isinstance(a, (str, int, float, type(None), bool, type, fj.Size)) or not hasattr(a, "__dict__"):
        return a == b
    return type(a) is type(b) and same(vars(a), vars(b))


def standard_test(self, fn, nargs, expected_ops=None, expected_ops_dynamic=None):
    """Two sets of arguments, twice, in one graph. The number of ops is not compared: graphs differ."""
    counter = CompileCounter()
    arguments = [[fj.randn(10, 10) for _ in range(nargs)] for _ in range(2)]
    expected = [fn(*args) for args in arguments]
    fj.compiler.reset()
    compiled = optimize_assert(counter)(fn)
    for args, want in zip(arguments * 2, expected * 2):
        self.assertTrue(same(compiled(*args), want))
    self.assertEqual(counter.frame_count, 1)


def rand_strided(size, stride, dtype=fj.float32, device="cpu"):
    needed = sum((n - 1) * step for n, step in zip(size, stride)) + 1
    buffer = fj.randn(needed, dtype=dtype) if dtype.is_floating_point else fj.ones(needed, dtype=dtype)
    return fj.as_strided(buffer, size, stride)


class TestCase(unittest.TestCase):
    def setUp(self):
        fj.compiler.reset()

    def assertEqual(self, first, second, msg=None):
        if isinstance(first, fj.Tensor) and isinstance(second, fj.Tensor):
            self.assertTrue(same(first, second), msg)
        else:
            super().assertEqual(first, second, msg)


def _module(name, **contents):
    module = types.ModuleType(name)
    vars(module).update(contents)
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(importlib.import_module(parent), child, module)
    return module


def pytest_configure(config):
    _alias(config)
    _module(
        "torchdynamo",
        optimize=optimize,
        optimize_assert=optimize_assert,
        reset=fj.compiler.reset,
        disable=fj.compiler.disable,
        run=lambda fn=None: fn,
        graph_break=fj.compiler.disable(lambda: None),
        allow_in_graph=lambda fn: fn,
        disallow_in_graph=fj.compiler.disable,
        skip=fj.compiler.disable,
        is_compiling=fj.compiler.is_compiling,
    )
    settings = dict(
        dynamic_shapes=False, specialize_int_float=True, guard_nn_modules=True, fake_tensor_propagation=False, verify_correctness=False,
        cache_size_limit=64, error_on_recompile=False, capture_scalar_outputs=False, suppress_errors=False,
        dead_code_elimination=True, raise_on_assertion_error=False, raise_on_backend_error=True, verbose=False,
        optimize_ddp=False, raise_on_ctx_manager_usage=False, traceable_tensor_subclasses=set(), log_level=40, output_graph_code=False, print_graph_breaks=False, replay_record_enabled=False, skipfiles_inline_module_allowlist={},
    )  # fmt: skip
    _module("torchdynamo.config", **settings)
    _module("torchdynamo.utils", same=same, counters={}, disable_cache_limit=lambda: (lambda fn: fn), istensor=lambda x: isinstance(x, fj.Tensor))
    _module("torchdynamo.exc", Unsupported=fj.compiler.GraphBreakError, InternalTorchDynamoError=RuntimeError)
    _module("torchdynamo.debug_utils", same_two_models=lambda a, b, args: same(a(*args), b(*args)))
    unsupported = fj.compiler.disable(lambda a, b: a)  # a call that no graph holds
    _module("torchdynamo.eval_frame", unsupported=unsupported)
    _module("torchdynamo.bytecode_transformation")
    # Of PyTorch's own test code: a base class, and what test_misc imports for one line.
    for package in ("torch.testing._internal", "torch.onnx.operators"):
        _module(package)
    _module("torch.testing._internal.jit_utils", JitTestCase=unittest.TestCase)
    _module("torch._ops", OpOverloadPacket=type(fj.ops.aten.abs))
    _module("torchdynamo.mutation_guard", GenerationTracker=None)
    _module("torchdynamo.test_case", TestCase=TestCase, run_tests=lambda: None)
    _module(
        "torchdynamo.testing",
        CompileCounter=CompileCounter,
        CompileCounterWithBackend=CompileCounterWithBackend,
        standard_test=standard_test,
        same=same,
        rand_strided=rand_strided,
        requires_static_shapes=lambda fn: fn,
        unsupported=unsupported,
        exc=sys.modules["torchdynamo.exc"],
        three=3,
    )
