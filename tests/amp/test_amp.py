"""Autocast and gradient scaling."""

import pytest

import framejit as fj
from framejit import nn


def test_autocast_dtypes():
    linear, x = nn.Linear(3, 2), fj.randn(4, 3)
    assert linear(x).dtype == fj.float32
    with fj.autocast("cpu"):
        assert fj.is_autocast_enabled("cpu") and fj.get_autocast_dtype("cpu") == fj.bfloat16
        assert linear(x).dtype == fj.bfloat16
        with fj.autocast("cpu", enabled=False):
            assert linear(x).dtype == fj.float32
        with fj.autocast("cpu", dtype=fj.float16):
            assert linear(x).dtype == fj.float16
        assert linear(x).dtype == fj.bfloat16
    assert not fj.is_autocast_enabled("cpu")

    @fj.autocast("cpu")
    def decorated(x):
        return linear(x)

    assert decorated(x).dtype == fj.bfloat16 and linear(x).dtype == fj.float32


def test_gradients_are_of_the_parameters_dtype():
    linear = nn.Linear(3, 2)
    with fj.autocast("cpu"):
        loss = linear(fj.ones(4, 3)).float().sum()
    loss.backward()
    assert linear.weight.grad.dtype == fj.float32
    assert linear.weight.grad.tolist() == [[4.0] * 3] * 2


def test_compiled_under_autocast():
    linear = nn.Linear(3, 2)
    compiled = fj.compile(linear)
    x = fj.randn(4, 3)
    assert compiled(x).dtype == fj.float32
    with fj.autocast("cpu"):
        assert compiled(x).dtype == fj.bfloat16
    assert compiled(x).dtype == fj.float32


def test_autocast_arguments():
    with pytest.raises(RuntimeError, match="unsupported autocast device_type 'tpu'"):
        fj.autocast("tpu")
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`"):
        fj.autocast(3)
    with pytest.warns(UserWarning, match="is not supported. Disabling autocast"), fj.autocast("cpu", dtype=fj.float64):
        assert not fj.is_autocast_enabled("cpu")


def make(scale):
    parameter = nn.Parameter(fj.ones(2))
    optimizer = fj.optim.SGD([parameter], lr=0.5)
    return parameter, optimizer, fj.amp.GradScaler(init_scale=scale, growth_interval=2)


def test_scaler_steps_with_unscaled_gradients():
    parameter, optimizer, scaler = make(1024.0)
    for _ in range(2):
        optimizer.zero_grad()
        scaler.scale((parameter * 2).sum()).backward()
        assert parameter.grad.tolist() == [2048.0, 2048.0]
        scaler.step(optimizer)
        scaler.update()
    assert parameter.tolist() == [-1.0, -1.0]
    assert scaler.get_scale() == 2048.0, "grown after two steps without an infinity"


def test_scaler_skips_infinite_steps():
    parameter, optimizer, scaler = make(8.0)
    parameter.grad = fj.tensor([1.0, float("inf")])
    scaler.step(optimizer)
    scaler.update()
    assert parameter.tolist() == [1.0, 1.0] and scaler.get_scale() == 4.0
    other = fj.amp.GradScaler()
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == 4.0


def test_scaler_order():
    parameter, optimizer, scaler = make(8.0)
    parameter.grad = fj.ones(2) * 8
    scaler.unscale_(optimizer)
    assert parameter.grad.tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="unscale_\\(\\) has already been called"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    assert parameter.tolist() == [0.5, 0.5]
    with pytest.raises(RuntimeError, match="step\\(\\) has already been called"):
        scaler.step(optimizer)
    scaler.update()
    with pytest.raises(AssertionError, match="No inf checks"):
        scaler.update()


def test_disabled_scaler():
    scaler = fj.amp.GradScaler(enabled=False)
    x = fj.ones(1)
    assert scaler.scale(x) is x and scaler.get_scale() == 1.0 and scaler.state_dict() == {}
