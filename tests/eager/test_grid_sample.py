"""grid_sample beyond what the samples of its row check: second derivatives, and places far outside or nowhere."""

from __future__ import annotations

import itertools
import math

import pytest

import framejit as fj

MODES = [("bilinear", 2), ("nearest", 2), ("bicubic", 2), ("bilinear", 3), ("nearest", 3)]
PADDINGS = ["zeros", "border", "reflection"]
CASES = list(itertools.product(MODES, PADDINGS, [False, True]))


@pytest.mark.parametrize(("mode", "padding", "align_corners"), CASES)
def test_second_derivatives(mode: tuple[str, int], padding: str, align_corners: bool) -> None:
    kind, dims = mode
    fj.manual_seed(3)
    images = fj.rand(2, 2, *[3, 4, 2][:dims], dtype=fj.float64).requires_grad_()
    grid = (fj.rand(2, *[2, 1, 3][:dims], dims, dtype=fj.float64) * 2.4 - 1.2).requires_grad_()

    def sample(images: fj.Tensor, grid: fj.Tensor) -> fj.Tensor:
        return fj.nn.functional.grid_sample(images, grid, kind, padding, align_corners)

    assert fj.autograd.gradcheck(sample, (images, grid))
    assert fj.autograd.gradgradcheck(sample, (images, grid))


@pytest.mark.parametrize(("mode", "padding", "align_corners"), CASES)
def test_places_far_outside(mode: tuple[str, int], padding: str, align_corners: bool) -> None:
    torch = pytest.importorskip("torch")
    kind, dims = mode
    far = torch.tensor([-1e3, -5.0, -1.0, math.nan, 1e30, -math.inf, 1.0, 2.5, 1e3])
    for size in ([1, 1, 1], [2, 5, 3]):
        images = torch.arange(1.0, 1 + math.prod(size[:dims])).reshape(1, 1, *size[:dims])
        grid = torch.stack([far, *[far.flip(0)] * (dims - 1)], -1).reshape(1, *[1] * (dims - 1), 9, dims)
        expected = torch.nn.functional.grid_sample(images, grid, kind, padding, align_corners).flatten()
        got = fj.nn.functional.grid_sample(fj.from_dlpack(images), fj.from_dlpack(grid), kind, padding, align_corners).flatten()
        for i in (0, 1, 2, 6, 7, 8):  # where no number is, or one of 1e30 was reflected, anything may be
            assert math.isclose(got[i].item(), expected[i].item(), rel_tol=1e-4, abs_tol=1e-4), (size, far[i])


def test_infinities_outside_do_not_count() -> None:
    images = fj.full((1, 1, 2, 2), math.inf)
    assert fj.nn.functional.grid_sample(images, fj.full((1, 1, 1, 2), 9.0), align_corners=False).item() == 0


def test_modes_are_checked() -> None:
    with pytest.raises(RuntimeError, match="expected interpolation_mode 0, 1 or 2, got 3"):
        fj.grid_sampler(fj.ones(1, 1, 2, 2), fj.ones(1, 1, 1, 2), 3, 0, False)
    with pytest.raises(RuntimeError, match="expected padding_mode 0, 1 or 2, got -1"):
        fj.grid_sampler(fj.ones(1, 1, 2, 2), fj.ones(1, 1, 1, 2), 0, -1, False)
