"""Modules of other people's repositories on framejit and PyTorch: the same weights and inputs, outputs compared.

    python -m tests.external.paritybench FOLDER [--half a] [--sample 60] [--modes eager,compiled] [--results FILE]

FOLDER holds the `generated` files of jansel/pytorch-jit-paritybench, which are not part of this repository: each defines
modules from one GitHub project and a list TESTCASES of how to make and call them. A file is loaded twice in a process of its
own, once with `import torch` finding framejit. Printed: how many cases PyTorch runs, how many of these framejit runs, eagerly
and compiled, and every difference. Half "b" of the files is kept to judge with.
"""

from __future__ import annotations

import argparse
import collections.abc
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import pathlib
import random
import resource
import signal
import sys
import threading
import types
import warnings
import zlib
from unittest.mock import MagicMock

# What the projects import besides PyTorch; only PyTorch is under test.
STUBBED = ("matplotlib", "pandas", "scipy", "sklearn", "tensorboard", "tensorflow", "torchaudio", "torchtext", "torchvision")
TOLERANCE = 1e-3
MEMORY = 6 << 30  # bytes that a file may take: some models are large


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
        from tests.external.as_torch import install

        for name in [name for name in sys.modules if name.split(".")[0] == "torch"]:
            del sys.modules[name]
        install()
    sys.modules["_paritybench_helpers"] = helpers(library)
    module = types.ModuleType(f"parity_{library_name}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    exec(compile(path.read_text(), str(path), "exec"), vars(module))
    return library, getattr(module, "TESTCASES", [])


def convert(value, target, own=None):
    """Tensors as those of ``target``, inside of containers too; what else there is, modules say, is taken from ``own``."""
    if hasattr(value, "detach"):
        return target.from_numpy(value.detach().numpy().copy())
    if isinstance(value, dict):
        return {key: convert(item, target, own and own[key]) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(convert(item, target, own and own[i]) for i, item in enumerate(value))
    return own


def same(a, b, tolerance=TOLERANCE):
    import numpy as np

    if hasattr(a, "detach") and hasattr(b, "detach"):
        x, y = a.detach().numpy(), b.detach().numpy()
        if x.shape != y.shape or x.dtype != y.dtype:
            return False
        # Sums of large numbers of both signs are as inexact as the numbers are large.
        largest = np.abs(x[np.isfinite(x)]).max(initial=1) if x.dtype.kind in "fc" else 1
        return np.allclose(x, y, tolerance, tolerance * max(1, 0.02 * largest), equal_nan=True)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key], tolerance) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y, tolerance) for x, y in zip(a, b))
    if isinstance(a, float):
        return isinstance(b, float) and np.isclose(a, b, tolerance, tolerance, equal_nan=True)
    return True


def described(error):
    return f"{type(error).__name__}: {str(error)[:150]}"


class Limit(Exception):
    """A case took too long."""


def _ring(*_):
    raise Limit


def run_file(path, modes, max_cases):
    """Every case of the file, first all of PyTorch's."""
    warnings.filterwarnings("ignore")
    for name in ("Callable", "Iterable", "Mapping", "MutableMapping", "Sequence", "Sized"):
        setattr(collections, name, getattr(collections.abc, name))  # where they were in the files' time
    signal.signal(signal.SIGALRM, _ring)
    sys.meta_path.insert(0, Stubs())
    result = {"file": path.name, "notes": [], **dict.fromkeys(("torch", *modes), 0)}
    expected = {}
    try:
        torch, cases = load(path, "torch")
    except BaseException as error:  # of no use for comparisons
        result["notes"].append(f"torch: {described(error)}")
        return result
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
            stable = same(first, other(*again[0], **again[1]), 1e-6)  # no random numbers, nothing outside of the state
            expected[index] = (state, kept, first, stable)
            result["torch"] += 1
        except BaseException:
            continue
        finally:
            signal.alarm(0)
    try:
        framejit, cases = load(path, "framejit")
    except BaseException as error:
        result["notes"].append(f"import: {described(error)}")
        return result
    for index, (state, inputs, first, stable) in expected.items():
        cls, init, forward, _ = cases[index]
        for mode in modes:
            try:
                signal.alarm(60)
                stage = f"{mode} (made)"
                args, kwargs = init()
                model = cls(*args, **kwargs).eval()
                model.load_state_dict(convert(dict(state), framejit))
                stage = mode
                call = model if mode == "eager" else framejit.compile(model, fullgraph=mode == "fullgraph")
                args, kwargs = convert(inputs, framejit, forward())
                got = call(*args, **kwargs)
                result[mode] += 1
                if stable and not same(first, got):
                    result["notes"].append(f"{stage} {cls.__name__}: DIFFERENT")
            except BaseException as error:
                result["notes"].append(f"{stage} {cls.__name__}: {described(error)}")
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


def fork(path, options):
    """`run_file` in a process of its own, which has the libraries imported already and may die."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reader)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        with os.fdopen(writer, "w") as pipe:
            pipe.write(json.dumps(run_file(path, options.modes.split(","), options.max_cases)))
        os._exit(0)
    os.close(writer)
    killer = threading.Timer(600, os.kill, (pid, signal.SIGKILL))
    killer.start()
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    killer.cancel()
    return json.loads(text) if text else {"file": path.name, "notes": [f"process: exit {status}"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--half", choices="ab", default="a")
    parser.add_argument("--sample", type=int, help="so many files, chosen at random; default: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--modes", default="eager,compiled", help="of eager, compiled and fullgraph")
    parser.add_argument("--max-cases", type=int, default=12)
    parser.add_argument("--results", type=pathlib.Path, help="JSON lines, one a file; files that are in it are not run again")
    options = parser.parse_args()
    files = sorted(options.folder.glob("test_*.py"))
    files = [file for file in files if zlib.crc32(file.name.encode()) % 2 == (options.half == "b")]
    if options.sample:
        files = random.Random(options.seed).sample(files, min(options.sample, len(files)))
    done = {}
    if options.results and options.results.exists():
        done = {result["file"]: result for result in map(json.loads, options.results.read_text().splitlines())}
    for name in ("torch", "framejit"):
        importlib.import_module(name).set_num_threads(1)
    for file in files:
        if file.name not in done:
            done[file.name] = fork(file, options)
            if options.results:
                with options.results.open("a") as results:
                    print(json.dumps(done[file.name]), file=results)
    results = [done[file.name] for file in files]
    totals = [f"{outcome} {sum(result.get(outcome, 0) for result in results)}" for outcome in ("torch", *options.modes.split(","))]
    print(f"{len(files)} files, cases that ran: {', '.join(totals)}")
    for result in results:
        for note in result["notes"]:
            print(f"{result['file']}: {note}")


if __name__ == "__main__":
    main()
