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


def pytest_configure(config):
    assert "torch" not in sys.modules
    sys.meta_path.insert(0, Finder())
