"""Tensors (scenarios 14 to 20)."""

import pytest

import framejit as fj
from tests.scenarios.support import assert_same, check, check_calls, run


def test_print_before_and_after_an_in_place_op():
    def fn(x):
        print(x)
        x += 1
        print(x)
        return x

    def case():
        return fn, (fj.zeros(3),)

    check(case)


def test_item_is_never_baked_in():
    def fn(x):
        return x * x.item()

    check_calls(lambda: fn, (fj.tensor(2.0),), (fj.tensor(3.0),), (fj.tensor(2.0),))


def test_branch_on_a_tensor():
    def fn(x):
        if x.sum() > 0:
            return x * 2
        return x - 1

    check_calls(lambda: fn, (fj.ones(3),), (-fj.ones(3),), (fj.ones(3),))
    report = fj.explain(fn)(fj.ones(3))
    assert len(report.breaks) == 1
    entry = report.breaks[0]
    assert entry.line == fn.__code__.co_firstlineno + 1
    assert "if x.sum() > 0" in entry.source
    assert entry.reason and entry.remedy
    with pytest.raises(fj.compiler.GraphBreakError, match="x.sum"):
        fj.compile(fn, fullgraph=True)(fj.ones(3))


def test_equal_results_have_distinct_storage():
    def fn(x):
        return x * 2, x * 2

    compiled = fj.compile(fn)
    for _ in range(2):
        a, b = compiled(fj.ones(3))
        a.add_(1)
        assert_same(b, fj.ones(3) * 2)


def test_aliasing_arguments():
    def fn(x, y):
        x.add_(1)
        return x + y

    def calls():
        same = fj.ones(3)
        return (same, same), (fj.ones(3), fj.ones(3)), (same, same)

    plain = [fn(*args) for args in calls()]
    compiled = fj.compile(fn)
    for args, want in zip(calls(), plain):
        assert_same(compiled(*args), want)


def test_returning_an_input_gives_the_same_object():
    def fn(x, y):
        return x, [y, x], x + 1

    compiled = fj.compile(fn)
    x, y = fj.ones(2), fj.zeros(2)
    for _ in range(2):
        a, (b, c), _ = compiled(x, y)
        assert a is x and b is y and c is x


def test_in_place_on_an_input_and_on_a_view_of_it():
    def fn(x):
        x.mul_(2)
        x[0] = 7
        view = x.view(4)
        view[1:3].add_(10)
        x.t().zero_() if x.shape[0] == 1 else None
        return view, x.sum()

    def case():
        x = fj.arange(4.0).reshape(2, 2)
        return fn, (x,), x

    check(case)


def test_no_grad_then_with_gradients():
    def fn(x, w):
        return (x * w).sum()

    compiled = fj.compile(fn)
    w = fj.ones(3, requires_grad=True)
    with fj.no_grad():
        assert not compiled(fj.ones(3), w).requires_grad
    loss = compiled(fj.ones(3), w)
    assert loss.requires_grad
    loss.backward()
    assert_same(w.grad, fj.ones(3))


def test_detach_requires_grad_inside():
    def fn(x):
        y = (x * 2).detach().requires_grad_()
        return y, y * 3

    compiled = fj.compile(fn)
    for _ in range(2):
        y, z = compiled(fj.ones(3))
        assert y.requires_grad and y.is_leaf and z.requires_grad
        z.sum().backward()
        assert_same(y.grad, fj.full((3,), 3.0))


def test_seeding_inside():
    def fn(x):
        fj.manual_seed(7)
        return x + fj.rand(3)

    check(lambda: (fn, (fj.ones(3),)))


def test_dropout_masks_as_eager_under_one_seed():
    def fn(x):
        a = fj.nn.functional.dropout(x, 0.5)
        b = fj.nn.functional.dropout(x, 0.25)
        return a, b, fj.rand(4)

    compiled = fj.compile(fn)
    fj.manual_seed(3)
    want = [fn(fj.ones(64)) for _ in range(3)]
    fj.manual_seed(3)
    for expected in want:
        assert_same(compiled(fj.ones(64)), expected)


@pytest.mark.parametrize(
    "fn",
    [
        lambda: fj.tensor([1, 2], dtype=fj.int32) * 2.0,
        lambda: fj.tensor([2**31 - 1], dtype=fj.int32).mul(2).to(fj.int64),
        lambda: fj.tensor([-(2**31)], dtype=fj.int32) // -1,
        lambda: fj.tensor([-(2**63)], dtype=fj.int64) // -1,
        lambda: fj.tensor([float("nan"), 1.0]).clamp(0.0, 2.0),
        lambda: fj.maximum(fj.tensor([float("nan"), 1.0]), fj.tensor([0.0, float("nan")])),
        lambda: fj.tensor([1.0, float("nan"), 3.0]).argmax(),
        lambda: fj.empty(0).sum(),
        lambda: fj.empty((0, 3)).sum(0),
        lambda: fj.tensor(2.0).cumsum(0),
        lambda: fj.empty(0)[0],
        lambda: fj.ones(2, 3).t() * 2,
        lambda: fj.tensor([1.5, 2.5], dtype=fj.bfloat16) * fj.tensor(3.14159, dtype=fj.float64),
        lambda: fj.tensor([1, 2], dtype=fj.int8) * fj.tensor(2.5, dtype=fj.float64),
        lambda: fj.tensor([128], dtype=fj.uint8) + fj.tensor([128], dtype=fj.uint8),
        lambda: fj.ones(2, 0).amax(1),
        lambda: fj.arange(6).reshape(2, 3).t().contiguous(),
        lambda: fj.tensor([7, -7]) // fj.tensor([2, 2]),
        lambda: fj.tensor([7, -7]) % fj.tensor([-2, 2]),
        lambda: fj.tensor([1, 0]) // fj.tensor([0, 1]),
    ],
)
def test_numbers_as_eager(fn):
    check(lambda: (fn, ()))


def test_minus_zero_does_not_reuse_zero():
    def fn(x, zero):
        return fj.atan2(x * 0 + zero, -fj.ones(1)), zero

    check_calls(lambda: fn, (fj.ones(1), 0.0), (fj.ones(1), -0.0), (fj.ones(1), 0.0))


def test_indexing_an_empty_tensor_raises():
    def fn(x):
        return x[0]

    assert isinstance(run(lambda: fj.compile(fn)(fj.empty(0))).error, IndexError)


def test_transposed_inputs_keep_strides():
    def fn(x, y):
        return x * 2 + y, (x + 1).sum(0), fj.relu(x)

    check(lambda: (fn, (fj.arange(12.0).reshape(3, 4).t(), fj.ones(4, 3))))


def test_scalar_types_of_arguments():
    def fn(x, s):
        return x * s, x + s, s

    ints, floats = fj.tensor([1, 2, 3]), fj.tensor([1.0, 2.0])
    check_calls(lambda: fn, *((x, s) for x in (ints, floats) for s in (2, 2.5, True, 3, -1.5)))


def test_in_place_through_views_of_views():
    def fn(x, y):
        x.diagonal().diagonal().fill_(7.0)
        y.transpose(0, 1)[1:].diagonal().mul_(3.0)
        return x.sum(), y

    check(lambda: (fn, (fj.zeros(3, 3, 3), fj.arange(12.0).reshape(3, 4))))
