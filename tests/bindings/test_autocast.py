"""Autocast: which ops run in which dtype, gradients, nesting, the cache, compiled code; PyTorch is the oracle."""

import pytest

import framejit as fj

CASES = {
    "mm": "lib.mm(x, w)",
    "matmul": "x @ w",
    "linear": "lib.nn.functional.linear(x, w)",
    "addmm": "lib.addmm(x, x, w)",
    "bmm": "lib.bmm(x[None], w[None])",
    "baddbmm": "lib.baddbmm(x[None], x[None], w[None])",
    "einsum": "lib.einsum('ij,jk->ik', x, w)",
    "conv1d": "lib.nn.functional.conv1d(x[None], w[:, :, None])",
    "conv2d": "lib.nn.functional.conv2d(x[None, :, :, None], w[:, :, None, None])",
    "attention": "lib.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None])",
    "mse_loss": "lib.nn.functional.mse_loss(half, half)",
    "cross_entropy": "lib.nn.functional.cross_entropy(half, lib.arange(4))",
    "nll_loss": "lib.nn.functional.nll_loss(half, lib.arange(4))",
    "prod": "half.prod()",
    "trace": "half.trace()",
    "cdist": "lib.cdist(half, half)",
    "add": "x + w",
    "mixed": "half + x",
    "softmax": "lib.softmax(half, -1)",
    "layer_norm": "lib.nn.functional.layer_norm(half, (4,))",
    "sum": "half.sum()",
    "double": "x.double() @ w.double()",
}


def inputs(lib):
    x = (lib.arange(16, dtype=lib.float32).reshape(4, 4) - 5) / 8
    return {"lib": lib, "x": x, "w": x.cos(), "half": x.to(lib.bfloat16)}


@pytest.mark.parametrize("code", CASES.values(), ids=CASES)
def test_dtypes_are_those_of_torch(code):
    torch = pytest.importorskip("torch")
    with torch.autocast("cpu"):
        want = eval(code, inputs(torch))
    with fj.autocast("cpu"):
        got = eval(code, inputs(fj))
    assert str(got.dtype).split(".")[1] == str(want.dtype).split(".")[1]
    assert got.float().reshape(-1).tolist() == pytest.approx(
        want.float().reshape(-1).tolist(), rel=0.02, abs=0.02
    )


def test_regions_nest():
    x = fj.ones(2, 2)
    with fj.autocast("cpu", dtype=fj.float16) as outer:
        assert fj.is_autocast_enabled("cpu") and fj.get_autocast_dtype("cpu") is fj.float16
        assert (x @ x).dtype is outer.fast_dtype is fj.float16
        with fj.autocast("cpu", enabled=False):
            assert (x @ x).dtype is fj.float32
        with fj.autocast("cpu"):
            assert (x @ x).dtype is fj.bfloat16
        assert (x @ x).dtype is fj.float16
    assert (x @ x).dtype is fj.float32 and not fj.is_autocast_enabled("cpu")
    with pytest.raises(KeyError), fj.autocast("cpu"):
        raise KeyError
    assert not fj.is_autocast_enabled("cpu")


def test_gradients_have_the_dtype_of_the_parameter():
    w = fj.ones(3, 3, requires_grad=True)
    with fj.autocast("cpu"):
        loss = (fj.ones(2, 3) @ w).sum() + (fj.ones(2, 3) @ w).sum()
    loss.backward()
    assert w.grad.dtype is fj.float32 and w.grad.tolist() == [[4.0] * 3] * 3


def test_a_parameter_is_cast_once_and_anew_after_a_write():
    w = fj.ones(2, 2, requires_grad=True)

    def cast_of(product):
        return next(n for n, _ in product.grad_fn.next_functions if n is not None)

    with fj.autocast("cpu"):
        first, second = w @ w, w @ w
        assert cast_of(first) is cast_of(second)
        with fj.no_grad():
            w.mul_(2)
        assert (w @ w)[0, 0].item() == 8
    with fj.autocast("cpu", cache_enabled=False):
        first, second = w @ w, w @ w
        assert cast_of(first) is not cast_of(second)


def test_decorator_and_thread_defaults():
    @fj.autocast("cpu")
    def product(x):
        return x @ x

    assert product(fj.ones(2, 2)).dtype is fj.bfloat16
    with pytest.warns(UserWarning, match="CUDA is not available"), fj.autocast("cuda"):
        assert (fj.ones(2, 2) @ fj.ones(2, 2)).dtype is fj.float32
    with pytest.warns(UserWarning, match="not supported"), fj.autocast("cpu", dtype=fj.float32):
        assert not fj.is_autocast_enabled("cpu")
    with pytest.raises(RuntimeError, match="unsupported autocast device_type 'pear'"):
        fj.autocast("pear")


def test_custom_functions():
    seen = []

    class Product(fj.autograd.Function):
        @staticmethod
        @fj.amp.custom_fwd(device_type="cpu")
        def forward(ctx, x):
            return x @ x

        @staticmethod
        @fj.amp.custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            seen.append(fj.is_autocast_enabled("cpu"))
            return grad.float()

    class Cast(fj.autograd.Function):
        @staticmethod
        @fj.amp.custom_fwd(device_type="cpu", cast_inputs=fj.float32)
        def forward(ctx, x):
            return x @ x

    with fj.autocast("cpu"):
        y = Product.apply(fj.ones(2, 2, requires_grad=True))
        assert Cast.apply(fj.ones(2, 2, dtype=fj.bfloat16)).dtype is fj.float32
    y.sum().backward()
    assert y.dtype is fj.bfloat16 and seen == [True]


def test_compiled():
    @fj.compile(fullgraph=True)
    def f(x):
        with fj.autocast("cpu"):
            y = x @ x
        return y, x @ x

    @fj.compile
    def g(x):
        return x @ x

    x = fj.ones(2, 2, requires_grad=True)
    for _ in range(2):
        low, full = f(x)
        assert low.dtype is fj.bfloat16 and full.dtype is fj.float32 and not fj.is_autocast_enabled("cpu")
        with fj.autocast("cpu"):
            assert g(x).dtype is fj.bfloat16
        assert g(x).dtype is fj.float32
    (low.float() + full).sum().backward()
    assert x.grad.tolist() == [[8.0] * 2] * 2
