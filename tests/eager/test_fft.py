"""Fourier transforms beyond the samples: accuracy at every length, complex derivatives, large sizes, Parseval."""

from __future__ import annotations

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch", reason="PyTorch is the oracle")


def complex_array(*shape: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def test_every_length_up_to_200():
    for n in range(1, 201):
        x = complex_array(n, seed=n)
        got = fj.fft.fft(fj.from_numpy(x)).numpy()
        np.testing.assert_allclose(got, np.fft.fft(x), atol=1e-12)
        np.testing.assert_allclose(fj.fft.ifft(fj.from_numpy(got)).numpy(), x, atol=1e-13)
        half = fj.fft.rfft(fj.from_numpy(x.real.copy()))
        np.testing.assert_allclose(half.numpy(), np.fft.rfft(x.real), atol=1e-12)
        np.testing.assert_allclose(fj.fft.irfft(half, n).numpy(), x.real, atol=1e-13)


@pytest.mark.parametrize("n", [2, 5, 16, 30, 77, 101, 128, 131, 143, 254, 256, 512, 1024, 1331, 2048])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_batches(n, dtype):
    """As many lines as vectors have lanes and fewer, in rows and in columns."""
    tolerance = 2e-6 if dtype == "complex64" else 1e-14
    for lines in (16, 21):
        x = complex_array(lines, n)
        rows = fj.from_numpy(x.astype(dtype))
        columns = fj.from_numpy(np.ascontiguousarray(x.T).astype(dtype))
        expected, half = np.fft.fft(x), np.fft.rfft(x.real)
        for got, wanted in [
            (fj.fft.fft(rows), expected),
            (fj.fft.fft(columns, dim=0).T, expected),
            (fj.fft.ifft(rows, norm="forward").conj(), np.fft.fft(x.conj())),
            (fj.fft.rfft(fj.real(rows).contiguous()), half),
            (fj.fft.rfft(fj.real(columns).contiguous(), dim=0).T, half),
            (fj.fft.irfft(fj.from_numpy(half.astype(dtype)), n), x.real),
            (fj.fft.irfft(fj.from_numpy(half.T.astype(dtype)), n, dim=0).T, x.real),
        ]:
            error = np.abs(got.resolve_conj().numpy() - wanted).max() / np.abs(wanted).max()
            assert error < tolerance


@pytest.mark.parametrize("n", [1 << 14, 3**9, 10007, 2 * 7919, 46410])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_error_of_long_transforms_is_small(n, dtype):
    x = complex_array(n)
    got = fj.fft.fft(fj.from_numpy(x.astype(dtype))).numpy()
    expected = np.fft.fft(x)
    error = np.abs(got - expected).max() / np.abs(expected).max()
    assert error < (1e-6 if dtype == "complex64" else 1e-14)


def test_lines_do_not_touch_each_other():
    x = np.ones((3, 8))
    x[1, 2] = np.nan
    result = fj.fft.rfft(fj.from_numpy(x)).numpy()
    assert np.isfinite(result[[0, 2]]).all()
    assert np.isnan(result[1]).all()


TRANSFORMS = {
    "fft": lambda lib, x: lib.fft.fft(x, 5),
    "ifft": lambda lib, x: lib.fft.ifft(x, norm="ortho"),
    "irfft": lambda lib, x: lib.fft.irfft(x),
    "irfft of odd length": lambda lib, x: lib.fft.irfft(x, 5, dim=0),
    "hfft": lambda lib, x: lib.fft.hfft(x),
    "fftn": lambda lib, x: lib.fft.fftn(x, (3, 6)),
    "irfftn": lambda lib, x: lib.fft.irfftn(x, dim=(1, 0)),
    "hfft2": lambda lib, x: lib.fft.hfft2(x, norm="forward"),
    "rfft of the real part": lambda lib, x: lib.fft.rfft(lib.real(x), 7),
    "ihfftn": lambda lib, x: lib.fft.ihfftn(lib.real(x)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_complex_derivative(name):
    found = []
    for library in (fj, torch):
        leaf = library.from_numpy(complex_array(4, 4)).requires_grad_()
        result = TRANSFORMS[name](library, leaf)
        weights = library.from_numpy(np.arange(1.0, 1 + result.numel()).reshape(tuple(result.shape)))
        (first,) = library.autograd.grad((result.abs() ** 3 * weights).sum(), [leaf], create_graph=True)
        (second,) = library.autograd.grad((first.abs() ** 2).sum(), [leaf])
        found.append((result, first, second))
    for got, expected in zip(*found):
        np.testing.assert_allclose(got.detach().numpy(), np.asarray(expected.detach().tolist()), rtol=1e-9, atol=1e-9)


def test_under_compile():
    @fj.compile
    def function(x):
        return fj.fft.irfft(fj.fft.rfft(x) * 2, x.shape[-1])

    for n in (8, 12, 20):
        x = fj.rand(3, n)
        np.testing.assert_allclose(function(x).numpy(), 2 * x.numpy(), atol=1e-5)


def test_istft_inverts_stft():
    signal, window = fj.randn(2, 64, dtype=fj.float64), fj.hann_window(16, dtype=fj.float64)
    parts = fj.stft(signal, 16, 4, window=window, return_complex=True)
    assert parts.dtype is fj.complex128
    np.testing.assert_allclose(fj.istft(parts, 16, 4, window=window, length=64).numpy(), signal.numpy(), atol=1e-12)


def test_errors():
    with pytest.raises(RuntimeError, match="rfft expects a real input tensor, but got complex64"):
        fj.fft.rfft(fj.zeros(3, dtype=fj.complex64))
    with pytest.raises(RuntimeError, match='Invalid normalization mode: "none"'):
        fj.fft.fft(fj.zeros(3), norm="none")
    with pytest.raises(RuntimeError, match="FFT dims must be unique"):
        fj.fft.fftn(fj.zeros(3, 3), dim=(0, 0))
