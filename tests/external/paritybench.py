"""Modules of other people's repositories on framejit and PyTorch: the same weights and inputs, outputs compared.

    python -m tests.external.paritybench FOLDER [--sample 60] [--seed 0] [--half a]

FOLDER holds the `generated` files of jansel/pytorch-jit-paritybench, which are not part of this repository: each defines
modules from one GitHub project and a list TESTCASES of how to make and call them. A file is loaded twice in a process of its
own, once with `import torch` finding framejit. Printed: how many cases PyTorch runs, how many of these framejit runs, eagerly
and compiled, and every difference. Half "b" of the files is kept to judge with.
"""

from __future__ import annotations

import argparse

import concurrent.futures
import collections.abc
import importlib
import importlib.abc
import importlib.machinery
import json
import pathlib
import random
import signal
import subprocess
import sys
import types
import warnings
import zlib
from unittest.mock import MagicMock

# What the projects import besides PyTorch; only PyTorch is under test.
STUBBED = ("matplotlib", "pandas", "scipy", "sklearn", "tensorboard", "tensorflow", "torchaudio", "torchtext", "torchvision")
TOLERANCE = 1e-3
OUTCOMES = ("torch", "eager", "compiled")


class Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules whose attributes are mocks."""

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in STUBBED:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__path__, module.__all__, module.__name__, module.__version__ = [], [], spec.name, "3.0"
        module.__spec__, module.__loader__, module.__file__ = spec, self, spec.name
        return module

    def exec_module(self, module):
        pass


def helpers(library):
    """The module `_paritybench_helpers` that the files import."""

    class Attributes(dict):
        __getattr__ = dict.__getitem__

    class Anything(library.nn.ReLU):
        expansion = 1

    def layer(in_features=None, out_features=None, *args, **kwargs):
        sizes = (in_features, out_features)
        return library.nn.Linear(*sizes, **kwargs) if all(sizes) else Anything()

    module = types.ModuleType("_paritybench_helpers")
    module._mock_layer, module._mock_config, module._paritybench_base = layer, Attributes, object
    module.patch_functional, module._fails_compile = lambda: None, lambda: lambda function: function
    return module


def load(path, library_name):
    """The file's TESTCASES, with ``torch`` being the library of that name while the file runs."""
    library = importlib.import_module(library_name)
    if library_name != "torch":
        from tests.external.as_torch import Finder

        for name in [name for name in sys.modules if name.split(".")[0] == "torch"]:
            del sys.modules[name]
        sys.meta_path.insert(0, Finder())
    sys.modules["_paritybench_helpers"] = helpers(library)
    module = types.ModuleType(f"parity_{library_name}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    exec(compile(path.read_text(), str(path), "exec"), vars(module))
    return library, getattr(module, "TESTCASES", [])


def convert(value, source, target):
    """Tensors of one library as those of the other, inside of containers too."""
    if isinstance(value, source.Tensor):
        return target.from_numpy(value.detach().numpy().copy())
    if isinstance(value, dict):
        return {key: convert(item, source, target) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(convert(item, source, target) for item in value)
    return value


def same(a, b):
    import numpy as np

    if hasattr(a, "detach") and hasattr(b, "detach"):
        x, y = a.detach().numpy(), b.detach().numpy()
        return x.shape == y.shape and x.dtype == y.dtype and np.allclose(x, y, TOLERANCE, TOLERANCE, equal_nan=True)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return True


class Limit(Exception):
    """A case took too long."""


def _ring(*_):
    raise Limit


def run_file(path, max_cases):
    """One process: every case of the file, first all of PyTorch's."""
    warnings.filterwarnings("ignore")
    for name in ("Callable", "Iterable", "Mapping", "MutableMapping", "Sequence", "Sized"):
        setattr(collections, name, getattr(collections.abc, name))  # where they were in the files' time
    signal.signal(signal.SIGALRM, _ring)
    sys.meta_path.insert(0, Stubs())
    result = {"file": path.name, "notes": [], **dict.fromkeys(OUTCOMES, 0)}
    torch, cases = load(path, "torch")
    expected = {}
    for index, (cls, init, forward, _) in enumerate(cases[:max_cases]):
        try:
            signal.alarm(30)
            torch.manual_seed(0)
            args, kwargs = init()
            model = cls(*args, **kwargs).eval()
            inputs = forward()
            state, kept = copied(model.state_dict()), copied(inputs)
            first = model(*inputs[0], **inputs[1])
            again, other = copied(kept), cls(*init()[0], **init()[1]).eval()
            other.load_state_dict(state)
            stable = same(first, other(*again[0], **again[1]))  # no random numbers, nothing outside of the state
            expected[index] = (state, kept, first, stable)
            result["torch"] += 1
        except BaseException:
            continue
        finally:
            signal.alarm(0)
    try:
        framejit, cases = load(path, "framejit")
    except BaseException as error:
        result["notes"].append(f"import: {type(error).__name__}: {str(error)[:150]}")
        return result
    for index, (state, inputs, first, stable) in expected.items():
        cls, init, _, _ = cases[index]
        stage = "make"
        try:
            signal.alarm(60)
            args, kwargs = init()
            model = cls(*args, **kwargs).eval()
            model.load_state_dict(convert(dict(state), torch, framejit))
            for stage, call in (("eager", model), ("compiled", framejit.compile(model))):
                args, kwargs = convert(list(inputs[0]), torch, framejit), convert(inputs[1], torch, framejit)
                got = call(*args, **kwargs)
                result[stage] += 1
                if stable and not same(first, got):
                    result["notes"].append(f"{stage} {cls.__name__}: DIFFERENT")
                model.load_state_dict(convert(dict(state), torch, framejit))
        except BaseException as error:
            result["notes"].append(f"{stage} {cls.__name__}: {type(error).__name__}: {str(error)[:150]}")
        finally:
            signal.alarm(0)
    return result


def copied(value):
    """A copy: the module may write into its inputs and its state."""
    if isinstance(value, dict):
        return type(value)((key, copied(item)) for key, item in value.items())
    if type(value) in (list, tuple):
        return type(value)(map(copied, value))
    return value.detach().clone() if hasattr(value, "detach") else value


def spawn(path, max_cases):
    command = [sys.executable, "-m", "tests.external.paritybench", str(path.parent), "--one", path.name]
    try:
        done = subprocess.run(
            [*command, "--max-cases", str(max_cases)], capture_output=True, text=True, timeout=600
        )
    except subprocess.TimeoutExpired:
        return {"file": path.name, "notes": ["process: timeout"]}
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if lines:
        return json.loads(lines[-1].removeprefix("RESULT "))
    words = done.stderr.strip().splitlines()[-1:] or [""]
    kind = "crash" if done.returncode < 0 else "torch"
    return {"file": path.name, "notes": [f"{kind}: exit {done.returncode}: {words[0][:150]}"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--half", choices="ab", default="a")
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--max-cases", type=int, default=12)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print("RESULT", json.dumps(run_file(options.folder / options.one, options.max_cases)))
        return
    files = sorted(options.folder.glob("test_*.py"))
    files = [file for file in files if zlib.crc32(file.name.encode()) % 2 == (options.half == "b")]
    files = random.Random(options.seed).sample(files, min(options.sample, len(files)))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda file: spawn(file, options.max_cases), files))
    totals = [sum(result.get(outcome, 0) for result in results) for outcome in OUTCOMES]
    print(f"{len(files)} files: {totals[0]} cases run with PyTorch, {totals[1]} with framejit, {totals[2]} compiled")
    for result in results:
        for note in result["notes"]:
            print(f"{result['file']}: {note}")


if __name__ == "__main__":
    main()
