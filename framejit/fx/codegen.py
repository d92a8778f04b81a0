"""A graph as Python source: what ``GraphModule.code`` shows."""

from __future__ import annotations

from typing import Any

from framejit._C.fx import Graph, Node, OpOverload


def target_text(target: Any) -> str:
    """A dotted name under which the target can be found."""
    if isinstance(target, OpOverload):
        return f"framejit.ops.{target.name}"
    module = getattr(target, "__module__", "")
    qualified = getattr(target, "__qualname__", repr(target))
    if module in ("_operator", "operator"):
        return f"operator.{target.__name__}"
    return qualified if module == "builtins" else f"{module}.{qualified}"


def argument_text(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(argument_text, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(argument_text, value))}]"
    if (isinstance(value, float) and value in (float("inf"), float("-inf"))) or value != value:
        return f"float('{value}')"
    return repr(value)


def _annotation(node: Node) -> str:
    metas = node.meta.get("tensor_meta")
    if metas is None:
        return ""
    entries = metas if isinstance(metas, tuple) else (metas,)
    texts = [
        f"{entry.dtype}[{', '.join(map(str, entry.shape))}]".replace("framejit.", "")
        for entry in entries
        if entry
    ]
    return f': "{", ".join(texts)}"' if texts else ""


def _statement(node: Node, annotate: bool) -> str:
    if node.op == "output":
        return f"return {argument_text(node.args[0])}"
    name = node.name + (_annotation(node) if annotate else "")
    if node.op == "get_attr":
        return f"{name} = self.{node.target}"
    arguments = [argument_text(arg) for arg in node.args]
    arguments += [f"{key}={argument_text(value)}" for key, value in node.kwargs.items()]
    return f"{name} = {target_text(node.target)}({', '.join(arguments)})"


def python_code(graph: Graph, annotate: bool = False) -> str:
    """The graph as the source of a ``forward`` method."""
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    names = [node.name + (_annotation(node) if annotate else "") for node in inputs]
    lines = [f"def forward({', '.join(['self', *names])}):"]
    location = None
    for node in graph.nodes:
        if node.op == "placeholder":
            continue
        if annotate and node.stack_trace and node.stack_trace != location:
            location = node.stack_trace
            lines += ["", f"    # {location}"]
        lines.append("    " + _statement(node, annotate))
    return "\n".join(lines) + "\n"
