"""autograd.Function in compiled code: forward and backward in the graph, values and gradients as without the compiler."""

import pytest

import framejit as fj
from framejit import _C
from tests.symbolic.support import break_ids

Function = fj.autograd.Function


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x  # not what autograd would find


class Exp(Function):
    """Saves its own result."""

    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_variables  # the old name
        return grad * result


class Reverse(Function):
    """Gives its input back."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad.neg() * ctx.scale, None


class Two(Function):
    @staticmethod
    def forward(ctx, x, y, mask):
        ctx.save_for_backward(x, y)
        ctx.mark_non_differentiable(signs := (x > 0))
        return x * y, x + y * mask, signs

    @staticmethod
    def backward(ctx, product, total, signs):
        x, y = ctx.saved_tensors
        needs_x, needs_y, _ = ctx.needs_input_grad
        return (product * y + total if needs_x else None), (product * x if needs_y else None), None


class Separate(Function):
    """With a context of its own, and in-place work in backward."""

    @staticmethod
    def forward(x, power):
        return x**power

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output)
        ctx.power = inputs[1]

    @staticmethod
    def backward(ctx, grad):
        x, _ = ctx.saved_tensors
        made = grad.clone()
        made.mul_(x)
        made[0] *= 2
        return made * ctx.power, None


class Nested(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * Exp.apply(x)


def square(x, y):
    return Square.apply(x) * 2 + y


def chained(x, y):
    return Square.apply(Exp.apply(Square.apply(x)) + y).sum()


def reversed_gradient(x, y):
    return Reverse.apply(x, 0.5) * y + Reverse.apply(x, 2)


def two(x, y):
    product, total, signs = Two.apply(x, y, 2.0)
    return product.sum() + (total * total).sum() + signs.sum()


def two_of_which_one_is_used(x, y):
    return Two.apply(x, y, 1.0)[1] * 2


def with_setup_context(x, y):
    return Separate.apply(x, 3) + y


def nested(x, y):
    return Nested.apply(x) + y


def two_calls(x, y):
    return Square.apply(x) + Square.apply(y)


def inside_no_grad(x, y):
    with fj.no_grad():
        z = Square.apply(x)
    return z * y


FUNCTIONS = [
    square,
    chained,
    reversed_gradient,
    two,
    two_of_which_one_is_used,
    with_setup_context,
    nested,
    two_calls,
    inside_no_grad,
]


def gradients(fn, x, y, wanted=(True, True)):
    inputs = [t.clone().requires_grad_(needed) for t, needed in zip((x, y), wanted, strict=True)]
    result = fn(*inputs)
    if result.requires_grad:
        result.backward(fj.ones_like(result))
    return [result.tolist(), result.requires_grad, *(None if t.grad is None else t.grad.tolist() for t in inputs)]


@pytest.mark.parametrize("backend", ["inductor", "aot_eager", "eager"])
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_values_and_gradients(fn, backend):
    compiled = fj.compile(fn, fullgraph=True, backend=backend)
    for i in range(2):
        x, y = fj.randn(3, 4), fj.randn(3, 4)
        for wanted in [(True, True), (True, False), (False, True), (False, False)]:
            plain = gradients(fn, x, y, wanted)
            assert gradients(compiled, x, y, wanted) == plain, (i, wanted)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_sizes_that_vary(fn):
    compiled = fj.compile(fn, fullgraph=True)
    for rows in (3, 5, 7, 2):
        x, y = fj.randn(rows, 4), fj.randn(rows, 4)
        assert gradients(compiled, x, y) == gradients(fn, x, y), rows
    assert compiled.stats()["traces"] <= 4


@pytest.mark.parametrize("fn", [square, chained, two, nested], ids=lambda fn: fn.__name__)
def test_second_derivatives(fn):
    def second(function):
        x, y = (t.clone().requires_grad_() for t in (first, other))
        (gradient,) = fj.autograd.grad(function(x, y).sum(), x, create_graph=True)
        found = fj.autograd.grad((gradient * gradient).sum(), [x, y], allow_unused=True)
        return [None if t is None else t.tolist() for t in found]

    first, other = fj.rand(4), fj.rand(4)
    plain, compiled = second(fn), second(fj.compile(fn, fullgraph=True))
    for a, b in zip(plain, compiled, strict=True):
        assert a == b or b == pytest.approx(a, rel=1e-5)


def test_backward_inside_the_compiled_function():
    def step(x):
        Square.apply(x * 2).sum().backward()
        return x.grad

    x = fj.randn(4)
    plain = step(x.clone().requires_grad_())
    assert fj.compile(step)(x.clone().requires_grad_()).tolist() == plain.tolist()


def test_backward_under_a_module_and_an_optimizer():
    def train(compiled):
        fj.manual_seed(0)
        model = fj.nn.Sequential(fj.nn.Linear(4, 8), Activation(), fj.nn.Linear(8, 1))
        optimizer = fj.optim.SGD(model.parameters(), lr=0.1)
        call = fj.compile(model, fullgraph=True) if compiled else model
        losses = []
        for _ in range(3):
            loss = call(fj.ones(5, 4)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    class Activation(fj.nn.Module):
        def forward(self, x):
            return Square.apply(x)

    assert train(True) == pytest.approx(train(False), rel=1e-6)


class Prints(Square):
    @staticmethod
    def backward(ctx, grad):
        print(end="")
        return grad


class Counts(Square):
    calls: list = []

    @staticmethod
    def backward(ctx, grad):
        Counts.calls.append(1)
        return grad


class WritesIntoSaved(Square):
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x.view(-1).mul_(2)


class WritesIntoInput(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx, grad):
        return grad


class TooMany(Square):
    @staticmethod
    def backward(ctx, grad):
        return grad, grad


@pytest.mark.parametrize("function", [Prints, Counts, WritesIntoSaved, WritesIntoInput, TooMany])
def test_what_cannot_be_in_a_graph_breaks_and_works(function):
    def fn(x, y):
        return function.apply(x * 2) + y

    x, y = fj.ones(3), fj.ones(3)

    def tried(call):
        Counts.calls.clear()
        try:
            return gradients(call, x, y), len(Counts.calls)
        except RuntimeError as error:
            return str(error)

    plain = tried(fn)
    events = []
    previous = _C.compiler.set_listener(events.append)
    try:
        assert tried(fj.compile(fn)) == plain
    finally:
        _C.compiler.set_listener(previous)
    assert "custom_gradient" in break_ids([event for event in events if event["kind"] == "trace"])


def test_a_backend_in_python_gets_no_such_graph():
    seen = []

    def backend(graph, inputs):
        seen.append(graph)
        return graph

    x, y = fj.randn(4), fj.randn(4)
    assert gradients(fj.compile(square, backend=backend), x, y) == gradients(square, x, y)
    assert seen


def test_a_gradient_kept_outside_of_backward_is_no_crash():
    kept = []

    class Keeps(Square):
        @staticmethod
        def backward(ctx, grad):
            ctx.box.append(grad * 2)
            return grad

    def fn(x, y):
        Keeps.forward = staticmethod(lambda ctx, x: setattr(ctx, "box", kept) or x * 2)
        return Keeps.apply(x) + y

    x, y = fj.randn(4), fj.randn(4)
    plain = gradients(fn, x, y)
    assert gradients(fj.compile(fn), x, y) == plain
    assert len(kept) == 2
