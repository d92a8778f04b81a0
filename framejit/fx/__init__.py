"""Graphs that Python code can walk, edit, print and run, with PyTorch FX's names.

Tour: ``Graph`` and ``Node`` are C++ (``framejit._C.fx``, over graph/graph.h); ``graph_module`` holds ``GraphModule``,
what a backend is given; ``codegen`` writes a graph as Python source.

Where this differs from PyTorch's FX: placeholders are made with an example (every node knows its shape and dtype), a
node with several results is indexed (``max_1[0]`` is a :class:`Result`, not a ``getitem`` node), and a function that runs
several ops becomes several nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from framejit._C import fx as _fx
from framejit._C.fx import Graph, Node, OpOverload, Result
from framejit.fx.graph_module import GraphModule

__all__ = ["Graph", "GraphModule", "Node", "OpOverload", "Proxy", "Result", "symbolic_trace", "wrap"]


class Proxy:
    """What stands for a tensor while PyTorch traces. No object is one: here it is a :class:`framejit.Tensor`."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Proxy:
        raise NotImplementedError("framejit.fx has no Proxy: try symbolic_trace(function, example_inputs)")


def wrap(fn_or_name: Any) -> Any:
    """``fn_or_name`` itself: functions of ops need no marks to be traced."""
    return fn_or_name


def symbolic_trace(root: Callable[..., Any], example_inputs: Sequence[Any]) -> GraphModule:
    """Traces ``root``, called once on stand-ins for ``example_inputs``, as one graph.

    Everything but ops runs while tracing: loops are unrolled, and a branch on a tensor's value raises.
    """
    return GraphModule(root, _fx.symbolic_trace(root, example_inputs))
