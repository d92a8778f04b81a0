"""Distributions beyond the uniform and the normal one, by their moments and frequencies under fixed seeds."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import framejit as fj

COUNT = 100_000


@pytest.fixture(autouse=True)
def fixed_seed() -> None:
    fj.manual_seed(11)


def check_moments(x: np.ndarray, mean: float, variance: float) -> None:
    """Within six standard errors, taking the fourth moment from the sample."""
    x = x.astype("float64")
    assert abs(x.mean() - mean) <= 6 * math.sqrt(variance / x.size)
    error = math.sqrt(((x - mean) ** 4).mean() / x.size)
    assert abs(((x - mean) ** 2).mean() - variance) <= 6 * error


@pytest.mark.parametrize("rate", [0.3, 4.0, 9.9, 12.0, 150.0, 1e5])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_poisson(rate: float, dtype: str) -> None:
    x = fj.poisson(fj.full((COUNT,), rate, dtype=getattr(fj, dtype))).numpy()
    assert (x == np.floor(x)).all() and x.min() >= 0
    check_moments(x, rate, rate)


def test_poisson_frequencies() -> None:
    x = fj.poisson(fj.full((COUNT,), 3.0)).numpy()
    for k in range(8):
        expected = math.exp(-3) * 3**k / math.factorial(k)
        assert abs((x == k).mean() - expected) < 6 * math.sqrt(expected / COUNT)


def test_poisson_errors() -> None:
    with pytest.raises(RuntimeError, match="non-negative"):
        fj.poisson(fj.tensor([-1.0]))
    assert fj.poisson(fj.zeros(3)).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("n", "p"), [(1, 0.3), (10, 0.05), (10, 0.95), (40, 0.5), (1000, 0.2), (1000, 0.9), (5, 1.0), (5, 0.0)]
)
def test_binomial(n: int, p: float) -> None:
    x = fj.binomial(fj.full((COUNT,), float(n)), fj.full((1,), p)).numpy()
    assert x.min() >= 0 and x.max() <= n
    check_moments(x, n * p, n * p * (1 - p))


def test_binomial_frequencies() -> None:
    x = fj.binomial(fj.full((COUNT,), 40.0), fj.full((COUNT,), 0.4)).numpy()
    for k in (10, 14, 16, 18, 24):
        expected = math.comb(40, k) * 0.4**k * 0.6 ** (40 - k)
        assert abs((x == k).mean() - expected) < 6 * math.sqrt(expected / COUNT)


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_geometric(dtype: str) -> None:
    x = fj.empty(COUNT, dtype=getattr(fj, dtype)).geometric_(0.25).numpy()
    assert x.min() == 1
    check_moments(x, 4, 12)
    with pytest.raises(RuntimeError, match=r"\(0, 1\)"):
        fj.empty(1).geometric_(1.0)


def test_exponential_and_log_normal() -> None:
    check_moments(fj.empty(COUNT).exponential_(2).numpy(), 0.5, 0.25)
    check_moments(np.log(fj.empty(COUNT, dtype=fj.float64).log_normal_(0.5, 1.5).numpy()), 0.5, 2.25)


def test_cauchy() -> None:
    x = fj.empty(COUNT, dtype=fj.float64).cauchy_(1, 2).numpy()
    assert abs(np.median(x) - 1) < 0.05
    assert abs(np.quantile(x, 0.75) - 3) < 0.1


@pytest.mark.parametrize(
    "draw",
    [
        lambda: fj.normal(fj.full((COUNT,), 2.0), 3.0), lambda: fj.normal(2.0, fj.full((COUNT,), 3.0)), lambda: fj.normal(fj.full((COUNT,), 2.0), fj.full((1,), 3.0)),
        lambda: fj.normal(2, 3, (COUNT,)), lambda: fj.normal(mean=2.0, std=3.0, size=(COUNT,)),
    ],
)  # fmt: skip
def test_normal(draw: Callable[[], fj.Tensor]) -> None:
    check_moments(draw().numpy(), 2, 9)


def test_random() -> None:
    x = fj.empty(COUNT, dtype=fj.int64).random_(10).numpy()
    assert set(x.tolist()) == set(range(10))
    assert fj.empty(1000, dtype=fj.uint8).random_().max() > 200
    assert fj.empty(1000).random_().max() > 2**23
    assert fj.empty(100, dtype=fj.bool).random_().sum() > 20
    assert fj.empty(100, dtype=fj.int64).random_(5, 7).unique().tolist() == [5, 6]
    assert fj.randint_like(fj.empty(100), 3, 5).unique().tolist() == [3, 4]


def test_bernoulli() -> None:
    p = fj.tensor([0.1, 0.9]).expand(COUNT // 2, 2)
    assert np.allclose(fj.empty(COUNT // 2, 2).bernoulli_(p).mean(0).numpy(), [0.1, 0.9], atol=0.01)
    assert abs(fj.empty(COUNT).bernoulli_().mean().item() - 0.5) < 0.01


@pytest.mark.parametrize(
    "draw",
    [
        lambda g: fj.poisson(fj.ones(5), g),
        lambda g: fj.empty(5).geometric_(0.3, generator=g),
        lambda g: fj.normal(fj.zeros(5), 1.0, generator=g),
    ],
)
def test_generator_argument(draw: Callable[[fj.Generator], fj.Tensor]) -> None:
    one, other = fj.Generator().manual_seed(3), fj.Generator().manual_seed(3)
    state = fj.get_rng_state()
    assert draw(one).tolist() == draw(other).tolist()
    assert (fj.get_rng_state() == state).all()


def test_fork_rng() -> None:
    before = fj.get_rng_state()
    with fj.random.fork_rng():
        fj.rand(10)
        fj.manual_seed(3)
    assert (fj.get_rng_state() == before).all()
    with fj.random.fork_rng(enabled=False):
        fj.rand(10)
    assert not (fj.get_rng_state() == before).all()
