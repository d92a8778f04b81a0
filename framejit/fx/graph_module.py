"""``GraphModule``: a graph as a callable module."""

from __future__ import annotations

from typing import Any

from framejit._C.fx import Graph
from framejit.fx import codegen
from framejit.nn import Module


class GraphModule(Module):
    """Runs a graph, op by op, through the dispatcher (so autograd works as for the function it came from).

    Args:
        root: what the graph was traced from; kept for its name only.
        graph: edit it, then call :meth:`recompile`.
    """

    def __init__(self, root: Any, graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        self.__dict__["graph"] = graph
        self.__dict__["_class_name"] = class_name

    graph: Graph

    def forward(self, *args: Any) -> Any:
        return self.graph.run(*args)

    @property
    def code(self) -> str:
        """Python source of the graph."""
        return codegen.python_code(self.graph)

    def recompile(self) -> str:
        """Checks an edited graph and infers shapes and dtypes again; returns the new :attr:`code`."""
        self.graph.lint()
        self.graph.infer_meta()
        return self.code

    def print_readable(self, print_output: bool = True) -> str:
        """The source with each node's dtype and shape and the user's lines."""
        text = f"class {self._class_name}(framejit.nn.Module):\n"
        source = codegen.python_code(self.graph, annotate=True)
        text += "".join(f"    {line}\n" if line else "\n" for line in source.splitlines())
        if print_output:
            print(text)
        return text

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        return GraphModule(None, self.graph.clone(), self._class_name)

    def __repr__(self) -> str:
        return f"{self._class_name}()"
