"""Numbers by position, as programs from before PyTorch 1.5 have them: the results are those of PyTorch, with its warning."""

import pytest

import framejit as fj

torch = pytest.importorskip("torch")


def tensor(t, *sizes):
    return t.arange(float(torch.Size(sizes).numel())).reshape(sizes) + 1


CALLS = {
    "add": lambda t: t.add(tensor(t, 3), 2, tensor(t, 3)),
    "add_": lambda t: tensor(t, 3).add_(-0.5, tensor(t, 3)),
    "sub": lambda t: tensor(t, 3).sub(2, tensor(t, 3)),
    "addcmul_": lambda t: tensor(t, 3).addcmul_(0.25, tensor(t, 3), tensor(t, 3)),
    "addcdiv": lambda t: t.addcdiv(tensor(t, 3), 0.25, tensor(t, 3), tensor(t, 3)),
    "addmm": lambda t: t.addmm(2, tensor(t, 2, 2), 3, tensor(t, 2, 3), tensor(t, 3, 2)),
    "addmm of beta": lambda t: t.addmm(2, tensor(t, 2, 2), tensor(t, 2, 3), tensor(t, 3, 2)),
    "addmm_": lambda t: tensor(t, 2, 2).addmm_(2, 3, tensor(t, 2, 3), tensor(t, 3, 2)),
    "addmm_ by keyword": lambda t: tensor(t, 2, 2).addmm_(2, mat1=tensor(t, 2, 3), mat2=tensor(t, 3, 2)),
    "addmv": lambda t: tensor(t, 2).addmv(2, 3, tensor(t, 2, 3), tensor(t, 3)),
    "addr": lambda t: tensor(t, 2, 3).addr(2, tensor(t, 2), tensor(t, 3)),
    "addbmm": lambda t: t.addbmm(2, tensor(t, 2, 2), 3, tensor(t, 4, 2, 3), tensor(t, 4, 3, 2)),
    "baddbmm_": lambda t: tensor(t, 4, 2, 2).baddbmm_(2, 3, tensor(t, 4, 2, 3), tensor(t, 4, 3, 2)),
    "out=": lambda t: t.add(tensor(t, 3), 2, tensor(t, 3), out=t.empty(0)),
}


@pytest.mark.filterwarnings("ignore:This overload of:UserWarning:torch")
@pytest.mark.parametrize("name", CALLS)
def test_old_order(name: str) -> None:
    with pytest.warns(UserWarning, match=f"overload of {name.split()[0].replace('out=', 'add')} is deprecated"):
        got = CALLS[name](fj)
    assert got.tolist() == CALLS[name](torch).tolist()


def test_old_order_in_a_trace() -> None:
    @fj.compile(fullgraph=True)
    def step(mean, grad):
        return mean * 0.9, mean.mul(0.9).add_(1 - 0.9, grad)

    with pytest.warns(UserWarning, match="add_ is deprecated"):
        _, got = step(fj.ones(3), fj.full((3,), 2.0))
    assert got.tolist() == pytest.approx([1.1] * 3)


def test_an_order_that_never_was() -> None:
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3"):
        fj.add(fj.ones(1), fj.ones(1), 2)
