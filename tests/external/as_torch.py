"""A pytest plugin, ``-p tests.external.as_torch``: ``import torch`` and ``import torch.x.y`` find framejit and framejit.x.y.

For programs written against PyTorch. Only for a process of its own, in which PyTorch itself has not been imported.
"""

import importlib
import importlib.abc
import importlib.machinery
import sys


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name == "torch" or name.startswith("torch."):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return importlib.import_module("framejit" + spec.name[len("torch") :])

    def exec_module(self, module):
        """It ran when it was imported as framejit."""


def install():
    """From now on. Modules that are loaded keep what their packages bind to their names (a function, where both have one name)."""
    importlib.import_module("framejit")
    for name, module in list(sys.modules.items()):
        if name == "framejit" or name.startswith("framejit."):
            sys.modules["torch" + name[len("framejit") :]] = module
    sys.meta_path.insert(0, Finder())


def pytest_configure(config):
    assert "torch" not in sys.modules
    install()
