"""One or a few samples for every row of the op table; see ``tests/eager/test_ops.py``.

``sample.py`` says what a sample is. Beside it is one module per table ``eager/ops/<table>.toml``, with up to three dicts by
row name, of which the whole is collected here:

    SAMPLES      compared with PyTorch: values, dtypes, shapes, strides, gradients
    UNSPECIFIED  values that are random or uninitialised: shape and dtype only
    INTERNAL     rows without a Python name: the public row whose samples run them
"""

from __future__ import annotations

import importlib
import pkgutil

from tests.op_samples.sample import ALL as ALL
from tests.op_samples.sample import FLOATS as FLOATS
from tests.op_samples.sample import FORMATS as FORMATS
from tests.op_samples.sample import Sample as Sample
from tests.op_samples.sample import T as T

SAMPLES: dict[str, list[Sample]] = {}
UNSPECIFIED: dict[str, list[Sample]] = {}
INTERNAL: dict[str, str] = {}

for _module in pkgutil.iter_modules(__path__):
    _table = importlib.import_module(f"tests.op_samples.{_module.name}")
    SAMPLES.update(getattr(_table, "SAMPLES", {}))
    UNSPECIFIED.update(getattr(_table, "UNSPECIFIED", {}))
    INTERNAL.update(getattr(_table, "INTERNAL", {}))
