"""framejit.func against torch.func."""

import pytest

import framejit as fj
from framejit import func

torch = pytest.importorskip("torch")


def pair(*shape, dtype="float64", seed=0):
    """The same numbers as a tensor of both."""
    theirs = torch.randn(*shape, dtype=getattr(torch, dtype), generator=torch.Generator().manual_seed(seed))
    return fj.tensor(theirs.tolist(), dtype=getattr(fj, dtype)).reshape(shape), theirs


def same(mine, theirs):
    """Nested containers of tensors are equal."""
    if isinstance(theirs, (tuple, list)):
        assert type(mine) is type(theirs) and len(mine) == len(theirs)
        for a, b in zip(mine, theirs):
            same(a, b)
    elif isinstance(theirs, dict):
        assert list(mine) == list(theirs)
        for key in theirs:
            same(mine[key], theirs[key])
    elif isinstance(theirs, torch.Tensor):
        assert tuple(mine.shape) == tuple(theirs.shape)
        assert mine.requires_grad == theirs.requires_grad
        other = theirs.detach().resolve_conj()
        assert torch.allclose(torch.tensor(mine.detach().tolist(), dtype=other.dtype), other)
    else:
        assert mine == theirs


def both(program, *arguments):
    """Runs a program with each library's module and tensors."""
    pairs = [pair(*a) if isinstance(a, tuple) else (a, a) for a in arguments]
    same(program(fj, func, *[p[0] for p in pairs]), program(torch, torch.func, *[p[1] for p in pairs]))


def test_grad():
    both(lambda lib, f, x: f.grad(lambda x: (x.sin() * x).sum())(x), (3,))
    both(lambda lib, f, x, y: f.grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(x, y), (3,), (3,))
    both(lambda lib, f, x, y: f.grad(lambda x, y: (x * y).sum(), argnums=-1)(x, y), (3,), (3,))
    both(lambda lib, f, x: f.grad_and_value(lambda x: ((x * x).sum(), x + 1), has_aux=True)(x), (3,))
    both(lambda lib, f, x, y: f.grad(lambda d, n: (d["a"] * d["b"][0] * n).sum())({"a": x, "b": [y]}, 3), (3,), (3,))
    both(lambda lib, f, x, y: f.grad(lambda x, y: y.sum())(x, y), (3,), (3,))  # no dependence: zeros


def test_nested():
    x = (4,)
    both(lambda lib, f, x: f.grad(lambda x: f.grad(lambda x: x.sin().sum())(x).sum())(x), x)
    both(lambda lib, f, x: f.grad(lambda x: (f.grad(lambda y: (x * y * y).sum())(x) * x).sum())(x), x)
    both(lambda lib, f, x: f.jacrev(f.jacrev(f.jacrev(lambda x: (x**4).sum())))(x), (2,))
    both(lambda lib, f, x: f.jacfwd(f.jacfwd(lambda x: x.exp() * x.sum()))(x), (2,))
    both(lambda lib, f, x: f.hessian(lambda x: (x**3).sum() * x[0])(x), (3,))
    both(lambda lib, f, x, y: f.hessian(lambda x, y: (x * y).sum() ** 2, argnums=(0, 1))(x, y), (2,), (2,))
    both(lambda lib, f, x: f.jvp(f.grad(lambda x: x.sin().sum()), (x,), (x * 2,)), x)


def test_results_carry_what_history_they_must():
    x = fj.randn(3)
    assert not func.grad(lambda x: (x * x).sum())(x).requires_grad
    w = fj.randn(3, requires_grad=True)
    gradient = func.grad(lambda x: (x * x * w).sum())(x)
    gradient.sum().backward()
    assert fj.allclose(w.grad, 2 * x)
    leaf = fj.randn(3, requires_grad=True)
    func.grad(lambda x: (x**3).sum())(leaf).sum().backward()
    assert fj.allclose(leaf.grad, 6 * leaf)
    with fj.no_grad():
        assert not func.grad(lambda x: (x**3).sum())(leaf).requires_grad

    def inside(x):
        with fj.no_grad():
            constant = x * 2
        return (constant * x).sum()

    assert fj.allclose(func.grad(inside)(x), 2 * x)


def test_vjp():
    def program(lib, f, x, v):
        output, vjp_fn = f.vjp(lambda x: (x.sin(), [x.sum() * 2]), x)
        return output, vjp_fn((v, [x.sum()])), vjp_fn((v * 2, [x.sum()]))

    both(program, (3,), (3,))
    both(lambda lib, f, x, y: f.vjp(lambda x, y: x * y, x, y)[1](x + y), (3,), (3,))
    output, vjp_fn, aux = func.vjp(lambda x: (x * 2, "aux"), fj.ones(2), has_aux=True)
    assert aux == "aux" and vjp_fn(fj.ones(2))[0].tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="Expected pytree structure of cotangents to be the same"):
        vjp_fn((fj.ones(2),))
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        vjp_fn(fj.ones(3))


def test_jvp_and_linearize():
    both(lambda lib, f, x, t: f.jvp(lambda x: x.sin() * x.sum(), (x,), (t,)), (3,), (3,))
    both(lambda lib, f, x, y: f.jvp(lambda x, y: (x * y, x.sum()), (x, y), (y, x)), (3,), (3,))
    both(lambda lib, f, x, y: f.jvp(lambda d: {"r": d["a"] * d["b"]}, ({"a": x, "b": y},), ({"a": y, "b": x},)), (3,), (3,))

    def program(lib, f, x, t):
        output, push = f.linearize(lambda x: x.exp() * x, x)
        return output, push(t), push(t * 2)

    both(program, (3,), (3,))
    x = fj.ones(2)
    with pytest.raises(RuntimeError, match="Expected primals to be a tuple"):
        func.jvp(fj.sin, x, (x,))
    with pytest.raises(RuntimeError, match="to have the same python structure"):
        func.jvp(fj.sin, (x,), (x, x))
    with pytest.raises(RuntimeError, match="strict=True"):
        func.jvp(lambda x: fj.ones(2), (x,), (x,), strict=True)


def test_complex():
    z, z_torch = pair(3, dtype="complex128")
    t, t_torch = pair(3, dtype="complex128", seed=1)
    same(func.jvp(lambda z: z * z.exp(), (z,), (t,)), torch.func.jvp(lambda z: z * z.exp(), (z_torch,), (t_torch,)))
    same(func.grad(lambda z: (z * z).abs().sum())(z), torch.func.grad(lambda z: (z * z).abs().sum())(z_torch))


def test_jacobians():
    for name in ("jacrev", "jacfwd"):
        both(lambda lib, f, x: getattr(f, name)(lambda x: x[:, None] * x)(x), (3,))
        both(lambda lib, f, x, y: getattr(f, name)(lambda x, y: {"p": x * y, "s": y.sum()}, argnums=(0, 1))(x, y), (2,), (2,))
        both(lambda lib, f, x: getattr(f, name)(lambda x: (x * 2, x.sum()), has_aux=True)(x), (2,))
        both(lambda lib, f, x: getattr(f, name)(lambda d: d["a"] * 2)({"a": x}), (2,))
    with pytest.raises(ValueError, match="`chunk_size` should be greater than 0"):
        func.jacrev(fj.sin, chunk_size=0)


def test_errors_of_grad():
    x = fj.ones(2)
    for f, error, text in (
        (lambda x: x, RuntimeError, "to return a scalar tensor, got tensor with 1 dims. Maybe you wanted to use the vjp"),
        (lambda x: 3, RuntimeError, r"Expected f\(\*args\) to return a Tensor, got <class 'int'>"),
    ):
        with pytest.raises(error, match=text):
            func.grad(f)(x)
    with pytest.raises(RuntimeError, match="only 1 positional inputs"):
        func.grad(fj.sum, argnums=1)(x)
    with pytest.raises(RuntimeError, match="argnums elements must be unique"):
        func.grad(lambda x, y: x.sum(), argnums=(0, 0))(x, x)
    with pytest.raises(ValueError, match="must be Tensor, got <class 'float'>"):
        func.grad(lambda x: x)(1.0)
    with pytest.raises(RuntimeError, match="should be a tuple: "):
        func.grad(lambda x: x.sum(), has_aux=True)(x)


# --- vmap ---------------------------------------------------------------------------------------------------------------


def test_vmap():
    both(lambda lib, f, x, y: f.vmap(lib.dot)(x, y), (4, 3), (4, 3))
    both(lambda lib, f, x, y: f.vmap(lib.mv, in_dims=(None, 1), out_dims=1)(x, y), (2, 3), (3, 5))
    both(lambda lib, f, x, y: f.vmap(lambda d, k: (d["a"] + d["b"] * k, d["a"].sum()), in_dims=({"a": 0, "b": None}, None))({"a": x, "b": y}, 2), (4, 3), (3,))
    both(lambda lib, f, x: f.vmap(f.vmap(lambda x: x * x))(x), (2, 3))
    both(lambda lib, f, x: f.vmap(lambda x: x[None], out_dims=-1)(x), (2, 3))
    both(lambda lib, f, x, w: f.vmap(f.grad(lambda w, x: (w * x).sum() ** 2), in_dims=(None, 0))(w, x), (4, 3), (3,))
    both(lambda lib, f, x: lib.vmap(lambda x, scale: x * scale)(x, scale=lib.ones(1, dtype=lib.float64)), (4, 3))
    both(lambda lib, f, x: f.vmap(lambda x: x.sum())(x[:0]), (4, 3))
    both(lambda lib, f, x: f.vmap(lambda x: x + 1, chunk_size=2)(x), (5, 2))


def test_vmap_is_differentiable():
    x = fj.randn(3, 2, requires_grad=True)
    func.vmap(lambda x: (x * x).sum())(x).sum().backward()
    assert fj.allclose(x.grad, 2 * x)


def test_vmap_randomness():
    x = fj.zeros(3, 2)
    with pytest.raises(RuntimeError, match="called random operation while in randomness error mode"):
        func.vmap(lambda x: x + fj.rand(2))(x)
    same_numbers = func.vmap(lambda x: x + fj.rand(2), randomness="same")(x)
    assert fj.equal(same_numbers[0], same_numbers[1]) and fj.equal(same_numbers[0], same_numbers[2])
    different = func.vmap(lambda x: x + fj.rand(2), randomness="different")(x)
    assert not fj.equal(different[0], different[1])
    with pytest.raises(RuntimeError, match="Only allowed values for randomness are"):
        func.vmap(fj.sin, randomness="some")


@pytest.mark.parametrize(
    ("in_dims", "out_dims", "shapes", "text"),
    [
        (0, 0, [], "got no inputs"),
        ((0,), 0, [(2,), (2,)], "in_dims is not compatible with the structure of `inputs`"),
        ("0", 0, [(2,)], "expected `in_dims` to be int or a"),
        (1, 0, [(2,)], "expected in_dim to satisfy -1 <= in_dim < 1"),
        (0, 0, [(2,), (3,)], "Expected all tensors to have the same size in the mapped dimension, got sizes"),
        ((0, 0), 0, [(2,), None], "We cannot vmap over non-Tensor arguments"),
        (0, (0, 0), [(2,)], "out_dims is not compatible with the structure of `outputs`"),
    ],
)
def test_vmap_errors(in_dims, out_dims, shapes, text):
    for lib in (fj, torch):
        arguments = [3 if shape is None else lib.ones(shape) for shape in shapes]
        with pytest.raises(ValueError, match=text):
            lib.func.vmap(lambda *args: args[0] * 2, in_dims=in_dims, out_dims=out_dims)(*arguments)


def test_vmap_of_what_is_no_tensor():
    with pytest.raises(ValueError, match="must only return Tensors, got type <class 'int'>"):
        func.vmap(lambda x: 3)(fj.ones(2))
    assert func.vmap(lambda x: (x, 3), out_dims=(0, None))(fj.ones(2))[1] == 3
    with pytest.raises(ValueError, match="chunk_size should be None or greater than 0"):
        func.vmap(fj.sin, chunk_size=0)


# --- modules ------------------------------------------------------------------------------------------------------------


def test_an_ensemble():
    models = [fj.nn.Linear(3, 2) for _ in range(4)]
    parameters, buffers = func.stack_module_state(models)
    assert parameters["weight"].shape == (4, 2, 3) and parameters["weight"].requires_grad and buffers == {}
    x = fj.randn(5, 3)
    base = fj.nn.Linear(3, 2)
    found = func.vmap(lambda p, x: func.functional_call(base, p, (x,)), in_dims=(0, None))(parameters, x)
    assert fj.allclose(found, fj.stack([model(x) for model in models]))
    with pytest.raises(RuntimeError, match="Expected at least one model, got 0"):
        func.stack_module_state([])
    with pytest.raises(RuntimeError, match="same training/eval mode"):
        func.stack_module_state([models[0], fj.nn.Linear(3, 2).eval()])
    with pytest.raises(RuntimeError, match="of the same class"):
        func.stack_module_state([models[0], fj.nn.ReLU()])


def test_per_sample_gradients_of_a_module():
    model = fj.nn.Sequential(fj.nn.Linear(3, 4), fj.nn.Tanh(), fj.nn.Linear(4, 1))
    x, y = fj.randn(5, 3), fj.randn(5, 1)
    parameters = {name: p.detach() for name, p in model.named_parameters()}

    def loss(p, x, y):
        return ((func.functional_call(model, p, (x,)) - y) ** 2).sum()

    found = func.vmap(func.grad(loss), in_dims=(None, 0, 0))(parameters, x, y)
    for i in range(5):
        model.zero_grad()
        ((model(x[i]) - y[i]) ** 2).sum().backward()
        for name, p in model.named_parameters():
            assert fj.allclose(found[name][i], p.grad, atol=1e-6)


def test_batch_norms_without_running_statistics():
    model = fj.nn.Sequential(fj.nn.BatchNorm1d(3))
    assert func.replace_all_batch_norm_modules_(model) is model
    x = fj.randn(4, 3)
    assert fj.allclose(model.eval()(x), fj.nn.functional.batch_norm(x, None, None, training=True), atol=1e-5)


def test_inside_compiled_functions():
    compiled = fj.compile(lambda x: func.grad(lambda x: (x * x).sum())(x) * 2 + func.vmap(fj.sin)(x))
    x = fj.randn(3)
    assert fj.allclose(compiled(x), 4 * x + x.sin())
    inner = fj.compile(lambda x: (x * x).sum())
    assert fj.allclose(func.grad(inner)(x), 2 * x)


def test_functions_that_have_nothing_to_do():
    def writes(x):
        y = x.clone()
        y.add_(1)
        return y

    both(lambda lib, f, x: f.functionalize(writes)(x), (3,))
    with pytest.raises(RuntimeError, match="received invalid argument for remove=everything"):
        func.functionalize(writes, remove="everything")
    x = fj.ones(1)
    assert func.debug_unwrap(x) is x
