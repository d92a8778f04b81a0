"""assert_close agrees with PyTorch's, to the letter of its messages; make_tensor keeps its promises."""

import pytest

import framejit as fj
import framejit.testing

NAN = float("nan")


def pairs(t):
    """Arguments of assert_close, made with library ``t``."""
    return [
        ([t.tensor([1.0, 2, 3]), t.tensor([1.0, 2, 4])], {}),
        ([t.tensor([[1.0, 2], [3, 4]]), t.tensor([[1.0, 2.5], [3, 8]])], {}),
        ([t.tensor(1.0), t.tensor(2.0)], {}),
        ([t.tensor([1, 2]), t.tensor([1, 3])], {}),
        ([t.tensor([True, False]), t.tensor([True, True])], {}),
        ([t.tensor([1.0, 2]), t.tensor([1.0, 2], dtype=t.float64)], {}),
        ([t.tensor([1.0, 2], dtype=t.float64), t.tensor([1.0, 2])], {"check_dtype": False}),
        ([t.tensor([1.0, 2]), t.tensor([[1.0, 2]])], {}),
        ([t.ones(2, 3), t.ones(3, 2).t()], {"check_stride": True}),
        ([t.tensor([1.0]), t.tensor([1.0 + 1e-6])], {}),
        ([t.tensor([NAN]), t.tensor([NAN])], {}),
        ([t.tensor([NAN]), t.tensor([NAN])], {"equal_nan": True}),
        ([1.0, 1.5], {}),
        ([1, 2], {}),
        ([1.0, 0.0], {}),
        ([[1.0, t.ones(2)], [1.0, t.zeros(2)]], {}),
        ([{"a": [1.0]}, {"a": [2.0]}], {}),
        ([{"a": 1.0}, {"b": 1.0}], {}),
        ([[1], [1, 2]], {}),
        (["a", t.ones(2)], {}),
        ([None, None], {}),
        ([t.ones(2), t.zeros(2)], {"rtol": 0.1}),
        ([t.ones(2, 2), t.zeros(2, 2)], {"rtol": 0, "atol": 0.5, "msg": "my words"}),
        ([t.ones(2, 2), t.zeros(2, 2)], {"rtol": 0, "atol": 0.5, "msg": lambda text: "mine: " + text}),
    ]


def outcome(assert_close, arguments, options):
    try:
        assert_close(*arguments, **options)
    except Exception as error:
        return f"{type(error).__name__}: {error}".replace("framejit", "torch")
    return "close"


@pytest.mark.parametrize("index", range(len(pairs(fj))))
def test_assert_close_says_what_pytorch_says(index):
    torch = pytest.importorskip("torch")
    ours = outcome(fj.testing.assert_close, *pairs(fj)[index])
    assert ours == outcome(torch.testing.assert_close, *pairs(torch)[index])


def test_assert_allclose_takes_numbers_and_lists():
    fj.testing.assert_allclose(fj.ones(2), [1, 1])
    with pytest.raises(AssertionError, match="not close"):
        fj.testing.assert_allclose(fj.ones(2), [1, 2])


@pytest.mark.parametrize("dtype", [fj.bool, fj.uint8, fj.int64, fj.float16, fj.float64, fj.complex64], ids=str)
def test_make_tensor(dtype):
    x = fj.testing.make_tensor(20, 30, dtype=dtype, exclude_zero=True, noncontiguous=True)
    assert x.shape == (20, 30) and x.dtype == dtype and not x.is_contiguous() and (x != 0).all()
    if dtype not in (fj.bool, fj.uint8, fj.complex64):
        assert -9 <= x.min() and x.max() <= 9
        narrow = fj.testing.make_tensor((100,), dtype=dtype, low=2, high=4)
        assert narrow.min() >= 2 and narrow.max() <= 4


def test_test_cases_compare_tensors():
    from framejit.testing._internal.common_utils import TestCase

    case = TestCase()
    case.assertEqual([fj.ones(2), {"x": fj.tensor(float("nan"))}], [fj.ones(2) + 1e-8, {"x": fj.tensor(float("nan"))}])
    case.assertEqual(3, 3)
    case.assertNotEqual(fj.ones(2), fj.zeros(2))
    with pytest.raises(AssertionError):
        case.assertEqual(fj.ones(2), fj.ones(2) + 0.1)
    case.assertEqual(fj.ones(2), fj.ones(2) + 0.1, atol=0.2, rtol=0)
