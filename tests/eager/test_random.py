"""Random rows: streams that depend on the seed alone, ranges, and moments within what chance allows."""

from __future__ import annotations

import numpy as np
import pytest

import framejit as fj

COUNT = 200_000


def test_a_seed_repeats_its_stream() -> None:
    fj.manual_seed(7)
    first = [fj.rand(5).tolist(), fj.randn(3).tolist(), fj.randperm(9).tolist(), fj.randint(0, 100, (4,)).tolist()]
    fj.manual_seed(7)
    assert first == [fj.rand(5).tolist(), fj.randn(3).tolist(), fj.randperm(9).tolist(), fj.randint(0, 100, (4,)).tolist()]
    assert fj.rand(5).tolist() != first[0]


def test_state_can_be_kept_and_restored() -> None:
    state = fj.get_rng_state()
    first = fj.rand(10).tolist()
    fj.set_rng_state(state)
    assert fj.rand(10).tolist() == first


def test_generators_are_independent() -> None:
    one, other = fj.Generator().manual_seed(3), fj.Generator().manual_seed(3)
    assert fj.rand(6, generator=one).tolist() == fj.rand(6, generator=other).tolist()
    fj.manual_seed(1)
    before = fj.rand(2).tolist()
    fj.manual_seed(1)
    fj.rand(100, generator=one)
    assert fj.rand(2).tolist() == before


def test_numbers_do_not_depend_on_the_layout() -> None:
    fj.manual_seed(5)
    contiguous = fj.empty(6, 4).uniform_().tolist()
    fj.manual_seed(5)
    assert fj.empty(4, 6).t().uniform_().tolist() == contiguous


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_uniform(dtype: str) -> None:
    x = fj.empty(COUNT, dtype=getattr(fj, dtype)).uniform_(-2, 4).numpy()
    assert x.min() >= -2
    assert x.max() < 4
    assert abs(x.mean() - 1) < 0.02
    assert abs(x.var() - 3) < 0.05
    counts, _ = np.histogram(x, bins=16, range=(-2, 4))
    assert abs(counts - COUNT / 16).max() < 6 * np.sqrt(COUNT / 16)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_normal(dtype: str) -> None:
    x = fj.empty(COUNT, dtype=getattr(fj, dtype)).normal_(1, 2).numpy()
    z = (x.astype("float64") - 1) / 2
    assert abs(z.mean()) < 0.015
    assert abs(z.std() - 1) < 0.01
    assert abs((z**3).mean()) < 0.05
    assert abs((z**4).mean() - 3) < 0.15
    assert np.isfinite(x).all()
    assert abs(np.corrcoef(z[:-1], z[1:])[0, 1]) < 0.015


def test_bernoulli_and_dropout() -> None:
    assert abs(fj.empty(COUNT).bernoulli_(0.3).mean().item() - 0.3) < 0.01
    probabilities = fj.tensor([0.0, 1.0, 0.5]).expand(1000, 3)
    drawn = fj.bernoulli(probabilities).numpy()
    assert drawn[:, 0].max() == 0
    assert drawn[:, 1].min() == 1
    x = fj.ones(COUNT, requires_grad=True)
    y = fj.nn.functional.dropout(x, 0.25)
    assert set(np.unique(y.detach().numpy())) == {np.float32(0), np.float32(1 / 0.75)}
    assert abs(y.mean().item() - 1) < 0.02
    y.sum().backward()
    assert (x.grad == y.detach()).all()
    assert fj.nn.functional.dropout(x, 0.25, training=False) is x


def test_integers() -> None:
    x = fj.randint(-3, 4, (COUNT,)).numpy()
    assert sorted(np.unique(x)) == list(range(-3, 4))
    assert abs(np.bincount(x + 3) - COUNT / 7).max() < 6 * np.sqrt(COUNT / 7)
    assert sorted(fj.randperm(1000).tolist()) == list(range(1000))
    assert fj.randperm(0).tolist() == []


def test_multinomial() -> None:
    weights = fj.tensor([1.0, 0.0, 3.0])
    x = fj.multinomial(weights, 20_000, replacement=True).numpy()
    assert (x != 1).all()
    assert abs((x == 2).mean() - 0.75) < 0.02
    assert sorted(fj.multinomial(fj.ones(5), 5).tolist()) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: fj.empty(2).uniform_(2, 1), RuntimeError, "found from=2 > to=1"),
        (lambda: fj.empty(2).normal_(0, -1), RuntimeError, "std >= 0.0, but found std -1"),
        (lambda: fj.randint(3, 3, (2,)), RuntimeError, "from=3 >= to=3"),
        (lambda: fj.empty(2).bernoulli_(1.5), RuntimeError, "p to be in [0, 1], but got p=1.5"),
        (lambda: fj.multinomial(fj.tensor([1.0, -1.0]), 1), RuntimeError, "element < 0"),
        (lambda: fj.multinomial(fj.ones(2), 3), RuntimeError, "without replacement"),
        (lambda: fj.rand_like(fj.tensor([1, 2])), NotImplementedError, "not implemented for 'int64'"),
    ],
)
def test_errors(call, error: type, text: str) -> None:
    with pytest.raises(error) as info:
        call()
    assert text in str(info.value)
