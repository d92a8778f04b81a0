"""Transforms, constraints and the registry of transforms by constraint, against PyTorch's."""

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch")

VECTORS = np.array([[0.3, -1.0, 2.0], [0.0, 1.5, -0.4]])
MATRICES = np.array([[[1.0, 0.2], [-0.3, 0.8]], [[-0.5, 0.0], [0.4, 0.1]]])

# how to make a transform in either library, arguments
TRANSFORMS = {
    "exp": (lambda t, lib: t.ExpTransform(), VECTORS),
    "sigmoid": (lambda t, lib: t.SigmoidTransform(), VECTORS),
    "softplus": (lambda t, lib: t.SoftplusTransform(), VECTORS),
    "tanh": (lambda t, lib: t.TanhTransform(), VECTORS),
    "power": (lambda t, lib: t.PowerTransform(lib.tensor(-1.5, dtype=lib.float64)), np.abs(VECTORS) + 0.5),
    "affine": (lambda t, lib: t.AffineTransform(1.0, lib.tensor(VECTORS[0] + 2), event_dim=1), VECTORS),
    "falling": (lambda t, lib: t.AffineTransform(1.0, -2.0), VECTORS),
    "stick breaking": (lambda t, lib: t.StickBreakingTransform(), VECTORS),
    "softmax": (lambda t, lib: t.SoftmaxTransform(), VECTORS),
    "correlations": (lambda t, lib: t.CorrCholeskyTransform(), VECTORS),
    "lower Cholesky": (lambda t, lib: t.LowerCholeskyTransform(), MATRICES),
    "positive definite": (lambda t, lib: t.PositiveDefiniteTransform(), MATRICES),
    "reshape": (lambda t, lib: t.ReshapeTransform((2, 2), (4,)), MATRICES),
    "independent": (lambda t, lib: t.IndependentTransform(t.ExpTransform(), 1), VECTORS),
    "distribution": (
        lambda t, lib: t.CumulativeDistributionTransform(lib.distributions.Normal(lib.tensor(0.5, dtype=lib.float64), 1.0)),
        VECTORS,
    ),
    "stack": (lambda t, lib: t.StackTransform([t.ExpTransform(), t.TanhTransform(), t.SigmoidTransform()], -1), VECTORS),
    "cat": (lambda t, lib: t.CatTransform([t.ExpTransform(), t.TanhTransform()], -1, [1, 2]), VECTORS),
    "composed": (
        lambda t, lib: t.ComposeTransform([t.AffineTransform(0.5, 2.0), t.StickBreakingTransform(), t.ExpTransform()]),
        VECTORS,
    ),
    "identity": (lambda t, lib: t.identity_transform, VECTORS),
}


def same(got, want, tolerance=1e-9):
    assert tuple(got.shape) == tuple(want.shape)
    np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms(name):
    make, values = TRANSFORMS[name]
    ours, theirs = (make(lib.distributions.transforms, lib) for lib in (fj, torch))
    x, z = fj.tensor(values), torch.tensor(values)
    y, w = ours(x), theirs(z)
    same(y, w)
    same(ours.inv(y), theirs.inv(w))
    assert repr(ours) == repr(theirs) or name == "identity"
    assert ours.bijective == theirs.bijective
    for region in ("domain", "codomain"):
        assert getattr(ours, region).event_dim == getattr(theirs, region).event_dim
    assert bool(ours.codomain.check(y).all())
    shape = tuple(values.shape)
    assert tuple(ours.forward_shape(shape)) == tuple(theirs.forward_shape(shape)) == tuple(y.shape)
    assert tuple(ours.inverse_shape(tuple(y.shape))) == shape
    if ours.bijective:
        same(ours.log_abs_det_jacobian(x, y), theirs.log_abs_det_jacobian(z, w))
        same(ours.inv.log_abs_det_jacobian(y, x), theirs.inv.log_abs_det_jacobian(w, z))
    if name in ("exp", "falling", "power", "distribution"):
        assert float(ours.sign) == float(theirs.sign) == float(ours.inv.sign)


def test_cache():
    transform = fj.distributions.TanhTransform(cache_size=1)
    x = fj.tensor([20.0])
    assert transform.inv(transform(x)) is x  # exactly, where tanh has saturated
    assert not fj.distributions.TanhTransform().inv(transform(x)).isfinite().all()
    cached = fj.distributions.TanhTransform().with_cache()
    assert cached.inv(cached(x)) is x


REGIONS = {
    "real": (lambda c: c.real, VECTORS),
    "boolean": (lambda c: c.boolean, VECTORS),
    "positive": (lambda c: c.positive, VECTORS),
    "nonnegative": (lambda c: c.nonnegative, VECTORS),
    "interval": (lambda c: c.interval(-1, 1), VECTORS),
    "half open": (lambda c: c.half_open_interval(-1.0, 1.5), VECTORS),
    "integers": (lambda c: c.integer_interval(0, 2), VECTORS),
    "positive integers": (lambda c: c.positive_integer, VECTORS),
    "below": (lambda c: c.less_than(1.5), VECTORS),
    "at least": (lambda c: c.greater_than_eq(1.5), VECTORS),
    "simplex": (lambda c: c.simplex, np.array([[0.5, 0.25, 0.25], [0.5, 0.5, 0.5]])),
    "multinomial": (lambda c: c.multinomial(3), np.array([[1.0, 2.0, 0.0], [1.0, 2.0, 3.0]])),
    "lower triangular": (lambda c: c.lower_triangular, np.tril(MATRICES) * [[[1.0]], [[0.0]]] + MATRICES * [[[0.0]], [[1.0]]]),
    "lower Cholesky": (lambda c: c.lower_cholesky, np.tril(MATRICES)),
    "correlations": (lambda c: c.corr_cholesky, np.array([[[1.0, 0.0], [0.6, 0.8]], [[1.0, 0.0], [0.6, 0.7]]])),
    "square": (lambda c: c.square, MATRICES),
    "symmetric": (lambda c: c.symmetric, np.stack([MATRICES[0] + MATRICES[0].T, MATRICES[1]])),
    "positive definite": (lambda c: c.positive_definite, MATRICES @ MATRICES.swapaxes(-1, -2) - [[[0.0]], [[1.0]]]),
    "positive semidefinite": (lambda c: c.positive_semidefinite, np.array([[[0.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]]])),
    "independent": (lambda c: c.independent(c.positive, 1), np.abs(VECTORS) * [[1], [-1]]),
    "stack": (lambda c: c.stack([c.positive, c.real, c.less_than(1.0)], -1), VECTORS),
    "cat": (lambda c: c.cat([c.positive, c.interval(-2.0, 0.0)], -1, [1, 2]), VECTORS),
}


@pytest.mark.parametrize("name", REGIONS)
def test_constraints(name):
    make, values = REGIONS[name]
    ours, theirs = (make(lib.distributions.constraints) for lib in (fj, torch))
    np.testing.assert_array_equal(ours.check(fj.tensor(values)).numpy(), theirs.check(torch.tensor(values)).numpy())
    assert (repr(ours) == repr(theirs) or name in ("stack", "cat", "multinomial")) and ours.event_dim == theirs.event_dim
    assert ours.is_discrete == theirs.is_discrete


def test_dependent_constraints():
    constraints = fj.distributions.constraints

    class Bounded:
        def __init__(self, low):
            self.low = low

        @constraints.dependent_property(is_discrete=False, event_dim=0)
        def support(self):
            return constraints.greater_than(self.low)

    assert constraints.is_dependent(Bounded.support) and Bounded.support.event_dim == 0
    assert not constraints.is_dependent(Bounded(2.0).support)
    assert Bounded(2.0).support.check(fj.tensor([1.0, 3.0])).tolist() == [False, True]


@pytest.mark.parametrize("registry", ["biject_to", "transform_to"])
@pytest.mark.parametrize(
    "name",
    ["real", "positive", "interval", "half open", "below", "at least", "simplex", "correlations", "independent", "stack", "cat",
     "lower Cholesky", "positive definite"],
)  # fmt: skip
def test_registry(name, registry):
    results = []
    for lib in (fj, torch):
        constraint = REGIONS[name][0](lib.distributions.constraints)
        if registry == "biject_to" and name in ("lower Cholesky", "positive definite"):
            with pytest.raises(NotImplementedError, match="Cannot transform .* constraints"):
                lib.distributions.biject_to(constraint)
            continue
        transform = getattr(lib.distributions, registry)(constraint)
        y = transform(lib.tensor(MATRICES if constraint.event_dim == 2 and name != "correlations" else VECTORS))
        assert bool(constraint.check(y).all())
        results.append(y)
    if results:
        same(*results)
    with pytest.raises(TypeError, match="Expected constraint to be either a Constraint subclass or instance"):
        fj.distributions.biject_to.register(3, lambda constraint: None)
