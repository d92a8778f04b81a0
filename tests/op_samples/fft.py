"""Samples of eager/ops/fft.toml: lengths that are powers of two, composite, prime, with large prime factors; odd and even."""

from __future__ import annotations

from tests.op_samples.sample import FLOATS, S, Sample, T

COMPLEX = ("complex64", "complex128")


def s(*args: object, dtypes: tuple[str, ...] = FLOATS, tolerance: float = 100, **options: object) -> Sample:
    return S(*args, dtypes=dtypes, strides=False, tolerance=tolerance, **options)


def _one_dim(dtypes: tuple[str, ...]) -> list[Sample]:
    lengths = [s(T(2, n), dtypes=dtypes, grad=False) for n in (1, 2, 7, 8, 12, 30, 64, 74, 97, 121, 210)]
    norms = [s(T(3, 6), norm=norm, dtypes=dtypes[-1:]) for norm in ("forward", "backward", "ortho")]
    dims = [s(T(4, 3, 2), dim=dim, dtypes=dtypes[-1:]) for dim in (0, 1)]
    sizes = [s(T(2, 5), n, dtypes=dtypes[-1:]) for n in (3, 4, 8)]
    return lengths + norms + dims + sizes + [s(T(2, 3), 0, grad=False), s(T(2, 3), norm="other", grad=False), s(T(4, layout="sliced"), dtypes=dtypes[-1:])]


def _several_dims(dtypes: tuple[str, ...], dim_is_optional: bool) -> list[Sample]:
    rows = [s(T(3, 4, 6), dtypes=dtypes), s(T(3, 4, 6), (4, 5), dtypes=dtypes[-1:]), s(T(3, 4, 6), dim=(0, 2), dtypes=dtypes[-1:]), s(T(3, 4, 5), (2, 6), (0, 1), "ortho", dtypes=dtypes[-1:])]
    return rows + ([s(T(3, 4), (2,), dtypes=dtypes[-1:])] if dim_is_optional else []) + [s(T(3, 4), (2, 2), (0, 0), grad=False)]


SAMPLES: dict[str, list[Sample]] = {}
for _name, _dtypes in {"fft": FLOATS + COMPLEX, "ifft": FLOATS + COMPLEX, "rfft": FLOATS, "irfft": COMPLEX, "hfft": COMPLEX, "ihfft": FLOATS}.items():
    SAMPLES[f"fft_{_name}"] = _one_dim(_dtypes)
    SAMPLES[f"fft_{_name}n"] = _several_dims(_dtypes, dim_is_optional=True)
    SAMPLES[f"fft_{_name}2"] = _several_dims(_dtypes, dim_is_optional=False)
SAMPLES["fft_fft"].append(s(T(5, dtype="int64"), grad=False))
SAMPLES["fft_rfft"] += [s(T(5, dtype="int64"), grad=False), s(T(4, dtype="complex64"), grad=False)]

_signal, _window = T(2, 40), T(8, low=0.1, high=1)
SAMPLES.update(
    {
        "fft_fftfreq": [S(5), S(6, 0.5), S(4, dtype="float64")],
        "fft_rfftfreq": [S(5), S(6, 0.5), S(4, dtype="float64")],
        "fft_fftshift": [s(T(5)), s(T(4, 3)), s(T(4, 3), 1), s(T(4, 3), (0, 1))],
        "fft_ifftshift": [s(T(5)), s(T(4, 3)), s(T(4, 3), 1)],
        "stft": [s(_signal, 8, window=_window, return_complex=True), s(_signal, 8, 3, 6, return_complex=True, normalized=True), s(T(40), 8, center=False, return_complex=False), s(_signal, 8, pad_mode="constant", onesided=False, return_complex=True), s(_signal, 8, grad=False)],
        "istft": [s(T(2, 5, 9, dtype="complex128"), 8, window=_window, dtypes=("float64",)), s(T(5, 9, dtype="complex64"), 8, normalized=True, length=14, dtypes=("float32",), grad=False), s(T(2, 8, 9, dtype="complex64"), 8, onesided=False, dtypes=("float32",), grad=False), s(T(5, 9), 8, grad=False)],
    }
)  # fmt: skip

INTERNAL = {"_fft_c2c": "fft_fft", "_fft_r2c": "fft_rfft", "_fft_c2r": "fft_irfft"}
