"""Tile kernels are compiled once per instruction set: each set of this build gives the results of PyTorch, and reductions and
arithmetic the same bits. `FRAMEJIT_ISA=v2 pytest tests/eager/test_ops.py` runs all samples on one of them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import framejit as fj
from tests.processes import environment

torch = pytest.importorskip("torch")

NOT_ON_THIS_MACHINE = 77  # an exit status
SETS = fj._C.build_info()["instruction_sets"].split()
CALLS = {
    "add": lambda t, x, y: x + y,
    "divide": lambda t, x, y: x / y,
    "exp": lambda t, x, y: t.exp(x),
    "tanh": lambda t, x, y: t.tanh(x),
    "gelu": lambda t, x, y: t.nn.functional.gelu(x),
    "pow": lambda t, x, y: t.pow(t.abs(x) + 0.5, y),
    "sin": lambda t, x, y: t.sin(x),
    "where": lambda t, x, y: t.where(x > y, x, y),
    "integers": lambda t, x, y: (x * 10).to(t.int32) // ((y * 10).to(t.int32).abs() + 1),
    "halves": lambda t, x, y: (x.to(t.float16) * y.to(t.float16)).to(t.float32),
    "complexes": lambda t, x, y: t.view_as_real(t.complex(x, y) * t.complex(y, x)),
    "sum": lambda t, x, y: x.sum(),
    "sum of rows": lambda t, x, y: x.sum(1),
    "sum of columns": lambda t, x, y: x.sum(0),
    "amax": lambda t, x, y: x.amax(1),
    "argmax": lambda t, x, y: x.argmax(0),
    "softmax": lambda t, x, y: t.softmax(x, 1),
    "softmax of columns": lambda t, x, y: t.softmax(x, 0),
    "layer_norm": lambda t, x, y: t.nn.functional.layer_norm(x, (x.shape[1],)),
    "matmul": lambda t, x, y: x @ y.T,
    "matmul, doubles": lambda t, x, y: x.double().T @ y.double(),
    "transposed": lambda t, x, y: x.T.contiguous(),
    "convolution": lambda t, x, y: t.nn.functional.conv1d(x[None], y[:, :130, None].repeat(1, 1, 3), padding=1),
    "depthwise": lambda t, x, y: t.nn.functional.conv1d(x[None], y[:, None, :3], groups=130),
    "max_pool": lambda t, x, y: t.nn.functional.max_pool1d(x[None], 3),
    "fft": lambda t, x, y: t.view_as_real(t.fft.fft(t.complex(x, y))),
    "rfft": lambda t, x, y: t.view_as_real(t.fft.rfft(x, dim=0)),
    "irfft": lambda t, x, y: t.fft.irfft(t.complex(x, y)),
}
SAME_BITS = ("add", "divide", "where", "integers", "halves", "sum", "sum of rows", "sum of columns", "amax", "argmax", "transposed")


def operands() -> tuple[np.ndarray, np.ndarray]:
    numbers = np.random.default_rng(0)
    x, y = numbers.standard_normal((2, 130, 205), dtype=np.float32)
    return x, y


def results() -> dict[str, np.ndarray]:
    x, y = (fj.from_numpy(array) for array in operands())
    return {name: np.asarray(call(fj, x, y)) for name, call in CALLS.items()}


@pytest.fixture(scope="module", params=SETS)
def computed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """All results, from a process of its own: the choice is made once."""
    path = tmp_path_factory.mktemp("isa") / "results.npz"
    program = f"""
import sys, numpy, framejit
from tests.eager import test_instruction_sets as these
if framejit._C.cpu_capability() != {request.param!r}: sys.exit({NOT_ON_THIS_MACHINE})
numpy.savez({str(path)!r}, **these.results())
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment(FRAMEJIT_ISA=request.param), capture_output=True, text=True)
    if done.returncode == NOT_ON_THIS_MACHINE:
        pytest.skip(f"this machine does not have {request.param}")
    assert done.returncode == 0, done.stderr
    return dict(np.load(path))


@pytest.mark.parametrize("name", CALLS)
def test_like_torch(computed: dict[str, np.ndarray], name: str) -> None:
    expected = CALLS[name](torch, *(torch.from_numpy(array) for array in operands())).numpy()
    tolerance = 2e-5 * max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(computed[name], expected, rtol=2e-5, atol=tolerance)


@pytest.mark.parametrize("name", SAME_BITS)
def test_same_bits(computed: dict[str, np.ndarray], name: str) -> None:
    np.testing.assert_array_equal(computed[name], results()[name])
