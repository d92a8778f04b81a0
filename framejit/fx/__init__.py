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

__all__ = ["Graph", "GraphModule", "Node", "OpOverload", "Result", "symbolic_trace"]


def symbolic_trace(root: Callable[..., Any], example_inputs: Sequence[Any]) -> GraphModule:
    """Traces ``root``, called once on stand-ins for ``example_inputs``, as one graph.

    Everything but ops runs while tracing: loops are unrolled, and a branch on a tensor's value raises.
    """
    return GraphModule(root, _fx.symbolic_trace(root, example_inputs))
