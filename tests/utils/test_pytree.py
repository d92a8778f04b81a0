"""utils._pytree against PyTorch's."""

from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest

from framejit.utils import _pytree as ours

Point = namedtuple("Point", "x y")
TREES = [
    3,
    None,
    [],
    (),
    [1, (2, 3), {"b": 4, "a": [5]}],
    Point(1, [2, Point(3, 4)]),
    OrderedDict(b=1, a=2),
    defaultdict(list, a=[1]),
    deque([1, 2], maxlen=3),
]


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_round_trip(tree):
    theirs = pytest.importorskip("torch").utils._pytree
    leaves, spec = ours.tree_flatten(tree)
    assert leaves == theirs.tree_flatten(tree)[0] == ours.tree_leaves(tree)
    again = ours.tree_unflatten(leaves, spec)
    assert again == tree and type(again) is type(tree)
    assert spec == ours.tree_structure(tree) and spec.num_leaves == len(leaves)
    double = ours.tree_map(lambda leaf: [leaf], tree)
    assert double == theirs.tree_map(lambda leaf: [leaf], tree)


def test_structures_differ():
    assert ours.tree_structure([1, 2]) != ours.tree_structure((1, 2))
    assert ours.tree_structure({"a": 1}) != ours.tree_structure({"b": 1})
    with pytest.raises(ValueError, match="`leaves` has length 1 but the spec refers to a pytree that holds 2 items"):
        ours.tree_unflatten([1], ours.tree_structure([1, 2]))


def test_maps_over_several_trees_and_leaves_of_a_type():
    assert ours.tree_map(lambda a, b: a + b, [1, {"x": 2}], [10, {"x": 20}]) == [11, {"x": 22}]
    assert ours.tree_map_only(int, lambda n: -n, [1, "a"]) == [-1, "a"]
    assert ours.tree_leaves([(1, 2), [3]], is_leaf=lambda x: isinstance(x, tuple)) == [(1, 2), 3]
    assert ours.tree_all(bool, [1, 2]) and ours.tree_any(bool, [0, 2]) and not ours.tree_any(bool, [0])


def test_own_containers():
    class Box:
        def __init__(self, content):
            self.content = content

    ours.register_pytree_node(Box, lambda box: ([box.content], None), lambda children, _: Box(*children))
    assert ours.tree_map(lambda n: n + 1, Box([1])).content == [2]
    with pytest.raises(ValueError, match="already registered"):
        ours.register_pytree_node(Box, None, None)


def test_broadcasting():
    spec = ours.tree_structure([1, (2, 3)])
    assert ours.broadcast_to_and_flatten(0, spec) == [0, 0, 0]
    assert ours.broadcast_to_and_flatten([0, 1], spec) == [0, 1, 1]
    assert ours.broadcast_to_and_flatten([0, (1, 2)], spec) == [0, 1, 2]
    assert ours.broadcast_to_and_flatten((0, 1), spec) is None
