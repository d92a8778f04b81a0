"""Samples of eager/ops/resampling.toml."""

from __future__ import annotations

from tests.op_samples.sample import FLOATS, S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}

# No place on the border between two pixels, where the derivative jumps.
image, grid = T(2, 3, 5, 4), T(2, 3, 4, 2, low=-1.3, high=1.3)
LOOSE = {"tolerance": 40}
SAMPLES.update(
    {
        "interpolate": [
            S(image, (7, 9), dtypes=FLOATS), S(image, (10, 3), mode="nearest-exact", dtypes=FLOATS), S(T(2, 3, 5), scale_factor=[1.7]), S(T(2, 3, 5, 4, 3), scale_factor=[2.0, 0.5, 1.7], mode="nearest"), S(image, (3, 8), mode="area", **LOOSE), S(T(2, 3, 5), (8,), mode="linear", **LOOSE),
            S(image, (7, 9), mode="bilinear", dtypes=FLOATS, **LOOSE), S(image, (3, 9), mode="bilinear", align_corners=True, **LOOSE), S(image, scale_factor=[1.7, 2.0], mode="bilinear", **LOOSE), S(image, scale_factor=[1.7, 2.3], mode="bilinear", recompute_scale_factor=True, **LOOSE),
            S(image, (7, 9), mode="bicubic", dtypes=FLOATS, **LOOSE), S(image, (3, 9), mode="bicubic", align_corners=True, **LOOSE), S(image, scale_factor=[0.6, 2.0], mode="bicubic", **LOOSE), S(T(2, 3, 4, 3, 5), (5, 4, 3), mode="trilinear", **LOOSE), S(T(2, 3, 4, 3, 5), (5, 1, 8), mode="trilinear", align_corners=True, **LOOSE),
            S(image, (2, 9), mode="bilinear", antialias=True, **LOOSE), S(T(1, 2, 11, 13), (4, 5), mode="bicubic", antialias=True, **LOOSE), S(T(1, 2, 11, 13), scale_factor=[0.3, 0.7], mode="bilinear", antialias=True, **LOOSE), S(T(1, 2, 11, 13), (3, 6), mode="bicubic", align_corners=True, antialias=True, **LOOSE), S(image, (3, 4), antialias=True),
            S(image, mode="bilinear"), S(image, (3, 4), [1.0, 2.0]), S(image, (3, 4, 5)), S(image, (3, 4), align_corners=True), S(image, (3, 4), mode="trilinear"), S(image, (3, 4), mode="cubic"), S(image, (5, 4), mode="bilinear"), S(image, (0, 4)),
        ],
        "grid_sampler": [
            S(image, grid, 0, 0, False, dtypes=FLOATS, double=False, **LOOSE), S(image, grid, 0, 0, True, double=False, **LOOSE), S(image, grid, 0, 1, False, double=False, **LOOSE), S(image, grid, 0, 2, False, double=False, **LOOSE), S(image, grid, 0, 2, True, double=False, **LOOSE),
            S(image, grid, 1, 0, False, double=False, **LOOSE), S(image, grid, 1, 1, True, double=False), S(image, grid, 2, 0, False, double=False, **LOOSE), S(image, grid, 2, 1, True, double=False, **LOOSE), S(image, grid, 2, 2, False, double=False, **LOOSE),
            S(T(2, 3, 4, 3, 5), T(2, 2, 3, 2, 3, low=-1.2, high=1.2), 0, 0, False, double=False, **LOOSE), S(T(2, 3, 4, 3, 5), T(2, 2, 3, 2, 3, low=-1.2, high=1.2), 1, 1, True, double=False),
            S(T(2, 3, 4, 3, 5), T(2, 2, 3, 2, 3), 2, 0, True), S(image, T(1, 3, 4, 2), 0, 0, True), S(image, T(2, 3, 4, 3), 0, 0, True), S(image, T(2, 3, 2), 0, 0, True),
        ],
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "resample": "interpolate", "resample_backward": "interpolate", "sample_images": "grid_sampler", "sample_images_gradients": "grid_sampler",
}  # fmt: skip
