"""Nested containers as a list of leaves and a structure: lists, tuples, named tuples, dicts, deques and what is registered.

None is a leaf.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

PyTree = Any
Context = Any


@dataclass(frozen=True)
class NodeDef:
    """How a container type is taken apart and put together."""

    flatten: Callable[[Any], tuple[list[Any], Context]]
    unflatten: Callable[[Iterable[Any], Context], Any]


@dataclass(frozen=True)
class TreeSpec:
    """The structure of a tree. ``type`` None: a leaf."""

    type: Any
    context: Context
    children_specs: tuple[TreeSpec, ...]

    @property
    def num_leaves(self) -> int:
        """How many leaves a tree of this structure has."""
        return 1 if self.is_leaf() else sum(child.num_leaves for child in self.children_specs)

    def is_leaf(self) -> bool:
        """Whether the tree is one leaf."""
        return self.type is None

    def __str__(self) -> str:
        if self.is_leaf():
            return "*"
        inner = [str(child) for child in self.children_specs]
        if self.type in (dict, OrderedDict):
            return "{" + ", ".join(f"{key!r}: {child}" for key, child in zip(self.context, inner)) + "}"
        if self.type is list:
            return "[" + ", ".join(inner) + "]"
        return "(" + ", ".join(inner) + ("," if len(inner) == 1 else "") + ")"


_LEAF = TreeSpec(None, None, ())


def _is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


_NODES: dict[Any, NodeDef] = {
    list: NodeDef(lambda x: (list(x), None), lambda xs, _: list(xs)),
    tuple: NodeDef(lambda x: (list(x), None), lambda xs, _: tuple(xs)),
    dict: NodeDef(lambda x: (list(x.values()), list(x)), lambda xs, keys: dict(zip(keys, xs))),
    OrderedDict: NodeDef(lambda x: (list(x.values()), list(x)), lambda xs, keys: OrderedDict(zip(keys, xs))),
    defaultdict: NodeDef(
        lambda x: (list(x.values()), (x.default_factory, list(x))),
        lambda xs, context: defaultdict(context[0], zip(context[1], xs)),
    ),
    deque: NodeDef(lambda x: (list(x), x.maxlen), lambda xs, maxlen: deque(xs, maxlen=maxlen)),
}
_NAMEDTUPLE = NodeDef(lambda x: (list(x), type(x)), lambda xs, cls: cls(*xs))


def register_pytree_node(
    cls: type[Any],
    flatten_fn: Callable[[Any], tuple[list[Any], Context]],
    unflatten_fn: Callable[[Iterable[Any], Context], Any],
    **names: Any,
) -> None:
    """Makes a class a container. ``flatten_fn(object)`` gives its children and what else ``unflatten_fn`` needs."""
    if cls in _NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    _NODES[cls] = NodeDef(flatten_fn, unflatten_fn)


def _node_of(tree: Any) -> tuple[Any, NodeDef | None]:
    """The type to remember, and how to take it apart; None for a leaf."""
    if _is_namedtuple(tree):
        return "namedtuple", _NAMEDTUPLE
    return type(tree), _NODES.get(type(tree))


def tree_flatten(
    tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[Any], TreeSpec]:
    """The leaves in order, and the structure."""
    kind, node = _node_of(tree)
    if node is None or (is_leaf is not None and is_leaf(tree)):
        return [tree], _LEAF
    children, context = node.flatten(tree)
    leaves: list[Any] = []
    specs = []
    for child in children:
        found, spec = tree_flatten(child, is_leaf)
        leaves += found
        specs.append(spec)
    return leaves, TreeSpec(kind, context, tuple(specs))


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """The tree of that structure with these leaves."""
    given = list(leaves)
    if len(given) != treespec.num_leaves:
        raise ValueError(
            f"tree_unflatten(leaves, treespec): `leaves` has length {len(given)} but the spec refers to a pytree that holds "
            f"{treespec.num_leaves} items ({treespec})."
        )
    if treespec.is_leaf():
        return given[0]
    children, start = [], 0
    for spec in treespec.children_specs:
        children.append(tree_unflatten(given[start : start + spec.num_leaves], spec))
        start += spec.num_leaves
    node = _NAMEDTUPLE if treespec.type == "namedtuple" else _NODES[treespec.type]
    return node.unflatten(children, treespec.context)


def tree_leaves(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """The leaves in order."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> TreeSpec:
    """The structure."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> PyTree:
    """The tree with ``func(leaf, leaves at the same places of the others...)`` in place of each leaf."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [tree_flatten(rest, is_leaf)[0] for rest in rests]
    return tree_unflatten([func(*each) for each in zip(leaves, *others, strict=True)], spec)


def tree_map_only(kind: Any, func: Callable[[Any], Any], tree: PyTree) -> PyTree:
    """:func:`tree_map` for leaves of a type; others stay."""
    return tree_map(lambda leaf: func(leaf) if isinstance(leaf, kind) else leaf, tree)


def tree_all(predicate: Callable[[Any], bool], tree: PyTree) -> bool:
    """Whether ``predicate`` holds for all leaves."""
    return all(predicate(leaf) for leaf in tree_leaves(tree))


def tree_any(predicate: Callable[[Any], bool], tree: PyTree) -> bool:
    """Whether it holds for one."""
    return any(predicate(leaf) for leaf in tree_leaves(tree))


def broadcast_to_and_flatten(tree: PyTree, treespec: TreeSpec) -> list[Any] | None:
    """The leaves of ``tree``, where a leaf may stand for all leaves below its place in ``treespec``; None where the two do
    not fit."""
    kind, node = _node_of(tree)
    if treespec.is_leaf():
        return [tree] if node is None else None
    if node is None:
        return [tree] * treespec.num_leaves
    children, context = node.flatten(tree)
    if (kind, context, len(children)) != (treespec.type, treespec.context, len(treespec.children_specs)):
        return None
    leaves: list[Any] = []
    for child, spec in zip(children, treespec.children_specs, strict=True):
        found = broadcast_to_and_flatten(child, spec)
        if found is None:
            return None
        leaves += found
    return leaves
