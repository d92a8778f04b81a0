"""``OptimizedModule``: what compiling an ``nn.Module`` returns."""

from __future__ import annotations

from typing import Any

from framejit import nn
from framejit._C import compiler as _compiler


class OptimizedModule(nn.Module):
    """A module whose call is compiled; attributes, parameters and state are those of the original."""

    def __init__(self, module: nn.Module, settings: dict[str, Any]) -> None:
        super().__init__()
        self._orig_mod = module
        self.__dict__["_compiled_call"] = _compiler.CompiledFunction(type(module).__call__, **settings)
        self.__dict__["_settings"] = settings

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._compiled_call(self._orig_mod, *args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._orig_mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_orig_mod" or "_orig_mod" not in self.__dict__.get("_modules", ()):
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._orig_mod, name)

    def train(self, mode: bool = True) -> OptimizedModule:
        self._orig_mod.train(mode)
        return self

    def __reduce__(self) -> tuple:
        return OptimizedModule, (self._orig_mod, self._settings)

    def __repr__(self) -> str:
        return f"OptimizedModule(\n  (_orig_mod): {repr(self._orig_mod).replace(chr(10), chr(10) + '  ')}\n)"
