"""The old names of :mod:`framejit.amp` for GPUs. Without a GPU both do nothing, as in PyTorch."""

from __future__ import annotations

from functools import partial
from typing import Any

from framejit import amp

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


custom_fwd = partial(amp.custom_fwd, device_type="cuda")
custom_bwd = partial(amp.custom_bwd, device_type="cuda")


class autocast(amp.autocast):
    """``framejit.amp.autocast("cuda", ...)``, off because there is no GPU."""

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        super().__init__("cuda", dtype, False, cache_enabled)

    def _fresh(self) -> autocast:
        return autocast(False, self.fast_dtype, self._cache_enabled)


class GradScaler(amp.GradScaler):
    """``framejit.amp.GradScaler("cuda", ...)``, off because there is no GPU."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, False)
