"""Distributions against PyTorch's: densities, moments, entropies, divergences; samples by their statistics."""

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch")

LOC = np.array([[0.3, -1.0, 2.0], [0.0, 1.5, -0.4]], np.float32)
SCALE = np.array([[0.5, 1.0, 2.0], [1.2, 0.7, 0.3]], np.float32)
PROBS = np.array([[0.2, 0.5, 0.9], [0.6, 0.1, 0.7]], np.float32)
FACTOR = np.array([[1.0, 0.0, 0.0], [0.3, 0.8, 0.0], [-0.2, 0.5, 1.5]], np.float32)

# name, parameters, values, attributes beyond mean and variance that are compared
CASES = [
    ("Normal", dict(loc=LOC, scale=SCALE), LOC + 0.4, ["cdf", "icdf", "mode"]),
    ("Normal", dict(loc=0.0, scale=1.5), LOC, ["cdf"]),
    ("Uniform", dict(low=LOC, high=LOC + SCALE), LOC + 0.2 * SCALE, ["cdf", "icdf"]),
    ("Exponential", dict(rate=SCALE), SCALE * 2, ["cdf", "icdf", "mode"]),
    ("Laplace", dict(loc=LOC, scale=SCALE), LOC - 0.7, ["cdf", "icdf", "mode"]),
    ("Gumbel", dict(loc=LOC, scale=SCALE), LOC - 0.7, ["cdf", "icdf", "mode"]),
    ("LogNormal", dict(loc=LOC * 0.3, scale=SCALE * 0.3), np.abs(LOC) + 0.5, ["cdf", "icdf", "mode"]),
    ("Bernoulli", dict(probs=PROBS), (PROBS > 0.4).astype(np.float32), ["mode", "logits"]),
    ("Bernoulli", dict(logits=LOC), (PROBS > 0.4).astype(np.float32), ["probs"]),
    ("Geometric", dict(probs=PROBS), np.array([[0, 1, 2], [4, 0, 1]], np.float32), []),
    ("Poisson", dict(rate=SCALE), np.array([[0, 1, 2], [4, 0, 1]], np.float32), ["mode"]),
    ("Categorical", dict(probs=PROBS), np.array([2, 0]), ["mode", "logits"]),
    ("Categorical", dict(logits=LOC), np.array([[2, 0], [1, 1]]), ["probs"]),
    ("OneHotCategorical", dict(logits=LOC), np.array([[0, 1, 0], [1, 0, 0]], np.float32), ["probs", "mode"]),
    ("Gamma", dict(concentration=SCALE * 2, rate=PROBS), SCALE * 3, ["cdf", "mode"]),
    ("Chi2", dict(df=SCALE * 3), SCALE, ["cdf", "df"]),
    ("Beta", dict(concentration1=SCALE * 2, concentration0=SCALE + 1), PROBS, ["mode"]),
    ("Dirichlet", dict(concentration=SCALE + 0.5), PROBS / PROBS.sum(-1, keepdims=True), ["mode"]),
    ("Dirichlet", dict(concentration=PROBS[0]), PROBS / PROBS.sum(-1, keepdims=True), []),
    ("StudentT", dict(df=SCALE * 2 + 5, loc=LOC, scale=SCALE), LOC + 1, ["mode"]),
    ("HalfNormal", dict(scale=SCALE), SCALE * 0.7, ["cdf", "icdf", "mode"]),
    ("NegativeBinomial", dict(total_count=5, probs=PROBS), np.array([[0, 1, 2], [4, 0, 1]], np.float32), ["mode"]),
    ("NegativeBinomial", dict(total_count=SCALE * 4, logits=LOC / 2), np.array([[0, 1, 2], [4, 0, 1]], np.float32), []),
    ("Weibull", dict(scale=SCALE, concentration=PROBS + 1), SCALE * 1.3, ["cdf", "icdf", "mode"]),
    (
        "MultivariateNormal",
        dict(loc=LOC, scale_tril=FACTOR),
        LOC + 0.3,
        ["covariance_matrix", "precision_matrix"],
    ),
    ("MultivariateNormal", dict(loc=LOC[0], covariance_matrix=FACTOR @ FACTOR.T), LOC, ["scale_tril"]),
    ("MultivariateNormal", dict(loc=LOC[0], precision_matrix=FACTOR @ FACTOR.T), LOC, ["scale_tril"]),
    ("Binomial", dict(total_count=5, probs=PROBS), np.array([[0, 1, 2], [4, 0, 5]], np.float32), ["mode", "logits"]),
    ("Binomial", dict(total_count=3, logits=LOC), np.array([[0, 1, 2], [3, 0, 1]], np.float32), ["probs"]),
    ("Multinomial", dict(total_count=4, probs=PROBS), np.array([[0, 1, 3], [4, 0, 0]], np.float32), ["logits"]),
    ("InverseGamma", dict(concentration=SCALE * 3 + 2, rate=PROBS), SCALE, ["mode", "cdf"]),
    ("Kumaraswamy", dict(concentration1=SCALE + 1, concentration0=SCALE + 2), PROBS, ["cdf", "icdf"]),
    ("Pareto", dict(scale=SCALE, alpha=PROBS + 4), SCALE + 1.5, ["cdf", "icdf", "mode"]),
    ("FisherSnedecor", dict(df1=SCALE * 4, df2=SCALE + 10), SCALE, ["mode"]),
    ("ContinuousBernoulli", dict(probs=PROBS), 1 - PROBS, ["cdf", "icdf"]),
    ("ContinuousBernoulli", dict(logits=LOC), PROBS, ["probs", "cdf"]),
    (
        "LowRankMultivariateNormal",
        dict(loc=LOC, cov_factor=FACTOR[:, :2], cov_diag=SCALE),
        LOC + 0.3,
        ["covariance_matrix", "precision_matrix", "scale_tril", "mode"],
    ),
    ("Wishart", dict(df=6.0, covariance_matrix=FACTOR @ FACTOR.T), FACTOR.T @ FACTOR, ["scale_tril", "mode"]),
    ("Wishart", dict(df=SCALE[0] + 5, scale_tril=FACTOR), FACTOR.T @ FACTOR, ["precision_matrix"]),
]


def convert(library, value):
    return library.tensor(value) if isinstance(value, np.ndarray) else value


def both(name, parameters):
    return [
        getattr(library.distributions, name)(**{k: convert(library, v) for k, v in parameters.items()})
        for library in (fj, torch)
    ]


def same(got, want, tolerance=1e-4):
    np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    "name, parameters, values, attributes", CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)]
)
def test_as_in_torch(name, parameters, values, attributes):
    ours, theirs = both(name, parameters)
    assert repr(ours).replace("framejit", "torch") == repr(theirs)
    assert tuple(ours.batch_shape) == tuple(theirs.batch_shape) and tuple(ours.event_shape) == tuple(
        theirs.event_shape
    )
    same(ours.log_prob(fj.tensor(values)), theirs.log_prob(torch.tensor(values)))
    same(ours.mean, theirs.mean)
    same(ours.stddev, theirs.stddev)
    if name not in ("Poisson", "NegativeBinomial", "FisherSnedecor"):  # PyTorch has no formula
        same(ours.entropy(), theirs.entropy())
    for attribute in attributes:
        if attribute == "icdf":
            same(ours.icdf(fj.tensor(PROBS)), theirs.icdf(torch.tensor(PROBS)))
        elif attribute == "cdf":
            same(ours.cdf(fj.tensor(values)), theirs.cdf(torch.tensor(values)))
        else:
            same(getattr(ours, attribute), getattr(theirs, attribute))
    if ours.has_enumerate_support:
        same(ours.enumerate_support(), theirs.enumerate_support())
    wide, their_wide = ours.expand((4, *ours.batch_shape)), theirs.expand((4, *theirs.batch_shape))
    value = their_wide.sample().numpy()
    same(wide.log_prob(fj.from_numpy(value)), their_wide.log_prob(torch.from_numpy(value)))


@pytest.mark.parametrize(
    "name, parameters, values, attributes", CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)]
)
def test_samples(name, parameters, values, attributes):
    fj.manual_seed(0)
    ours, theirs = both(name, parameters)
    drawn = ours.sample((20000,))
    assert tuple(drawn.shape) == tuple(theirs.sample((20000,)).shape) and not drawn.requires_grad
    if name == "Categorical":
        counts = np.stack([(drawn.numpy() == k).mean(0) for k in range(3)], -1)
        np.testing.assert_allclose(counts, theirs.probs.numpy(), atol=0.02)
        return
    stddev = theirs.stddev.numpy()
    assert (np.abs(drawn.numpy().mean(0) - theirs.mean.numpy()) < 0.04 * stddev + 1e-3).all()
    np.testing.assert_allclose(drawn.numpy().std(0), stddev, rtol=0.1)


def test_gradients_through_samples():
    loc = fj.tensor([1.0, 2.0], requires_grad=True)
    scale = fj.tensor([0.5, 1.0], requires_grad=True)
    fj.distributions.Normal(loc, scale).rsample((3,)).sum().backward()
    assert loc.grad.tolist() == [3.0, 3.0] and scale.grad is not None
    assert not fj.distributions.Normal(loc, scale).sample().requires_grad
    logits = fj.zeros(4, requires_grad=True)
    sample = fj.distributions.OneHotCategoricalStraightThrough(logits=logits).rsample()
    (sample * fj.arange(4.0)).sum().backward()
    assert logits.grad is not None


PAIRS = [
    case
    for case in CASES
    if case[0]
    in "Gamma Beta Dirichlet HalfNormal Normal Uniform Exponential Laplace Bernoulli Categorical OneHotCategorical Poisson MultivariateNormal Binomial Gumbel Pareto Geometric LogNormal LowRankMultivariateNormal".split()
]


@pytest.mark.parametrize("case", PAIRS, ids=[f"{c[0]}-{i}" for i, c in enumerate(PAIRS)])
def test_divergence(case):
    name, parameters = case[:2]
    other = {
        k: v
        if k == "total_count"
        else v * 1.5
        if k in ("scale", "high", "rate", "scale_tril", "covariance_matrix", "precision_matrix")
        else v * 0.8
        for k, v in parameters.items()
    }
    (p, their_p), (q, their_q) = both(name, parameters), both(name, other)
    same(fj.distributions.kl_divergence(p, q), torch.distributions.kl_divergence(their_p, their_q))


def test_independent_and_transformed():
    results = []
    for library in (fj, torch):
        d = library.distributions
        loc, scale = library.tensor(LOC), library.tensor(SCALE)
        independent = d.Independent(d.Normal(loc, scale), 1)
        squashed = d.TransformedDistribution(
            independent,
            [d.TanhTransform(), d.AffineTransform(1.0, library.tensor([2.0, 0.5, 3.0]), event_dim=1)],
        )
        plain = d.TransformedDistribution(d.Normal(loc, scale), d.transforms.SigmoidTransform())
        value = library.tensor(np.array([[1.3, 0.9, 2.0], [0.2, 1.1, 0.4]], np.float32))
        results.append([
            independent.log_prob(loc + 0.1), independent.entropy(), squashed.log_prob(value), plain.log_prob(library.tensor(PROBS)),
            d.kl_divergence(independent, d.Independent(d.Normal(loc * 0.5, scale), 1)),
            independent.expand((4, 2)).log_prob(loc),
        ])  # fmt: skip
        assert tuple(independent.event_shape) == tuple(squashed.event_shape) == (3,)
        assert tuple(squashed.rsample((5,)).shape) == (5, 2, 3)
    for one, other in zip(*results):
        same(one, other)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda d, t: d.Normal(t(0.0), t(-1.0)), "Expected parameter scale"),
        (lambda d, t: d.Bernoulli(probs=t(1.5)), "Expected parameter probs"),
        (
            lambda d, t: d.Bernoulli(probs=t(0.5), logits=t(0.5)),
            "Either `probs` or `logits` must be specified, but not both",
        ),
        (lambda d, t: d.Uniform(t(1.0), t(0.0)), "not defined when low|Expected parameter low"),
        (lambda d, t: d.Categorical(probs=t([0.5, 0.5])).log_prob(t(2.0)), "to be within the support"),
        (lambda d, t: d.Independent(d.Normal(t(0.0), t(1.0)), 1), "Expected reinterpreted_batch_ndims"),
    ],
)
def test_errors(make, message):
    for library in (fj, torch):
        with pytest.raises(ValueError, match=message):
            make(library.distributions, library.tensor)
    with pytest.raises(NotImplementedError, match="No KL"):
        fj.distributions.kl_divergence(
            fj.distributions.Normal(0.0, 1.0), fj.distributions.Bernoulli(fj.tensor(0.5))
        )


def test_cauchy():
    for name, parameters, values in (
        ("Cauchy", dict(loc=LOC, scale=SCALE), LOC + 0.5),
        ("HalfCauchy", dict(scale=SCALE), SCALE * 2),
    ):
        ours, theirs = both(name, parameters)
        assert repr(ours).replace("framejit", "torch") == repr(theirs)
        for method, argument in (("log_prob", values), ("cdf", values), ("icdf", PROBS)):
            same(getattr(ours, method)(fj.tensor(argument)), getattr(theirs, method)(torch.tensor(argument)))
        same(ours.entropy(), theirs.entropy())
        same(ours.mean, theirs.mean)
        same(ours.variance, theirs.variance)
        fj.manual_seed(0)
        medians = np.median(ours.sample((20001,)).numpy(), 0)
        same(fj.tensor(medians), theirs.icdf(torch.full((2, 3), 0.5)), 0.05)
    (p, their_p), (q, their_q) = both("Cauchy", dict(loc=LOC, scale=SCALE)), both("Cauchy", dict(loc=LOC + 1, scale=PROBS))
    same(fj.distributions.kl_divergence(p, q), torch.distributions.kl_divergence(their_p, their_q))


def test_von_mises():
    ours, theirs = both("VonMises", dict(loc=LOC, concentration=SCALE * 3))
    assert repr(ours).replace("framejit", "torch") == repr(theirs)
    same(ours.log_prob(fj.tensor(LOC + 0.4)), theirs.log_prob(torch.tensor(LOC + 0.4)))
    same(ours.variance, theirs.variance)
    fj.manual_seed(0)
    drawn = ours.sample((20000,)).numpy()
    assert drawn.shape == (20000, 2, 3) and np.abs(drawn).max() <= np.pi + 1e-6
    resultant = np.exp(1j * (drawn - LOC)).mean(0)
    np.testing.assert_allclose(1 - resultant.real, ours.variance.numpy(), atol=0.02)
    np.testing.assert_allclose(resultant.imag, 0, atol=0.02)


@pytest.mark.parametrize("event", [False, True], ids=["numbers", "vectors"])
def test_mixtures(event):
    results = []
    for library in (fj, torch):
        d = library.distributions
        components = d.Normal(library.tensor(LOC), library.tensor(SCALE))
        if event:
            components = d.Independent(d.Normal(library.tensor(LOC)[..., None] + library.zeros(2), 1.0), 1)
        mixture = d.MixtureSameFamily(d.Categorical(logits=library.tensor(LOC)), components)
        value = library.tensor([0.3, -0.4]) if not event else library.tensor([[0.3, 0.1], [-0.4, 0.2]])
        wide = mixture.expand((4, 2))
        results.append([mixture.log_prob(value), mixture.mean, mixture.variance, wide.log_prob(value)])
        results[-1] += [] if event else [mixture.cdf(value)]
        library.manual_seed(0)
        drawn = mixture.sample((20000,))
        assert drawn.shape == (20000, 2, 2)[: 3 if event else 2] and wide.sample((3,)).shape[:3] == (3, 4, 2)
        np.testing.assert_allclose(drawn.numpy().mean(0), mixture.mean.numpy(), atol=0.05)
        np.testing.assert_allclose(drawn.numpy().var(0), mixture.variance.numpy(), rtol=0.06)
    for ours, theirs in zip(*results):
        same(ours, theirs)


def test_gradients_of_gamma_values():
    """At the same quantile: the derivative of SciPy's inverse distribution function."""
    special = pytest.importorskip("scipy.special")
    fj.manual_seed(0)
    concentration = fj.tensor([0.05, 0.3, 1.0, 4.0, 60.0, 900.0], dtype=fj.float64).expand(40, 6).clone().requires_grad_()
    values = fj.distributions.Gamma(concentration, 1.0).rsample()
    values.sum().backward()
    a, x = concentration.detach().numpy(), values.detach().numpy()
    lower = special.gammainc(a, x) < 0.5
    step = 1e-4 * a
    below, above = special.gammainc(a, x), special.gammaincc(a, x)
    numeric = np.where(
        lower,
        special.gammaincinv(a + step, below) - special.gammaincinv(a - step, below),
        special.gammainccinv(a + step, above) - special.gammainccinv(a - step, above),
    ) / (2 * step)
    moderate = x > 1e-12  # smaller values: the quantile itself has few digits
    np.testing.assert_allclose(concentration.grad.numpy()[moderate], numeric[moderate], rtol=1e-4)
    beta = fj.tensor(2.0, requires_grad=True)
    fj.distributions.Beta(beta, 3.0).rsample((4,)).sum().backward()
    assert beta.grad > 0


RELAXED = [
    ("RelaxedBernoulli", dict(temperature=0.7, probs=PROBS), 1 - PROBS),
    ("RelaxedBernoulli", dict(temperature=0.7, logits=LOC), PROBS),
    ("RelaxedOneHotCategorical", dict(temperature=0.7, logits=LOC), PROBS / PROBS.sum(-1, keepdims=True)),
    ("LogisticNormal", dict(loc=LOC, scale=SCALE), np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1]], np.float32)),
    ("LKJCholesky", dict(dim=3, concentration=PROBS * 2), np.linalg.cholesky(np.eye(3) * 0.5 + 0.5).astype(np.float32)),
    ("LKJCholesky", dict(dim=2), np.array([[1.0, 0.0], [0.6, 0.8]], np.float32)),
]


@pytest.mark.parametrize("name, parameters, values", RELAXED, ids=[f"{case[0]}-{i}" for i, case in enumerate(RELAXED)])
def test_distributions_without_moments(name, parameters, values):
    parameters = {k: np.float32(v) if k == "temperature" else v for k, v in parameters.items()}
    ours, theirs = [
        getattr(library.distributions, name)(
            **{k: library.tensor(v) if isinstance(v, (np.ndarray, np.float32)) else v for k, v in parameters.items()}
        )
        for library in (fj, torch)
    ]
    assert repr(ours).replace("framejit", "torch") == repr(theirs) and repr(ours.support) == repr(theirs.support)
    assert tuple(ours.batch_shape) == tuple(theirs.batch_shape)
    assert tuple(ours.event_shape) == tuple(theirs.event_shape)
    same(ours.log_prob(fj.tensor(values)), theirs.log_prob(torch.tensor(values)))
    wide, their_wide = (each.expand((4, *each.batch_shape)) for each in (ours, theirs))
    same(wide.log_prob(fj.tensor(values)), their_wide.log_prob(torch.tensor(values)))
    fj.manual_seed(0)
    torch.manual_seed(0)
    drawn, their_drawn = ours.sample((20000,)), theirs.sample((20000,))
    assert bool(ours.support.check(drawn).all()) and tuple(drawn.shape) == tuple(their_drawn.shape)
    np.testing.assert_allclose(drawn.mean(0).numpy(), their_drawn.mean(0).numpy(), atol=0.02)
    np.testing.assert_allclose(drawn.std(0).numpy(), their_drawn.std(0).numpy(), atol=0.02)
    if ours.has_rsample:
        logits = fj.tensor(LOC, requires_grad=True)
        made = type(ours)(logits, 1.0) if name == "LogisticNormal" else type(ours)(fj.tensor(0.5), logits=logits)
        made.rsample().square().sum().backward()
        assert logits.grad.isfinite().all() and (logits.grad != 0).any()


def test_mode_of_kumaraswamy():
    """PyTorch's formula gives no number."""
    made = fj.distributions.Kumaraswamy(fj.tensor([3.0, 0.5]), fj.tensor([2.0, 2.0]))
    x = fj.linspace(0.001, 0.999, 9999)
    assert abs(float(x[made.log_prob(x.unsqueeze(-1))[:, 0].argmax()]) - float(made.mode[0])) < 1e-3
    assert made.mode[1].isnan()


def test_transformed_distributions_change_shapes_and_directions():
    results = []
    for library in (fj, torch):
        d = library.distributions
        base = d.Normal(library.tensor(LOC), library.tensor(SCALE))
        on_simplex = d.TransformedDistribution(base, [d.AffineTransform(0.0, 2.0), d.StickBreakingTransform()])
        falling = d.TransformedDistribution(d.Normal(0.0, 1.0), [d.AffineTransform(1.0, library.tensor(-SCALE)), d.ExpTransform()])
        simplex = library.tensor(np.array([0.1, 0.2, 0.3, 0.4], np.float32))
        results.append([
            on_simplex.log_prob(simplex), on_simplex.expand((3, 2)).log_prob(simplex), falling.log_prob(library.tensor(SCALE)),
            falling.cdf(library.tensor(SCALE)), falling.icdf(library.tensor(PROBS)),
            d.kl_divergence(d.LogNormal(0.3, 1.5), d.LogNormal(0.0, 1.0)),
            d.kl_divergence(d.Uniform(0.3, 1.5), d.Normal(0.0, 1.2)),
        ])  # fmt: skip
        assert tuple(on_simplex.event_shape) == (4,) and tuple(on_simplex.batch_shape) == (2,)
        assert tuple(falling.batch_shape) == (2, 3)
        with pytest.raises(NotImplementedError):
            d.kl_divergence(falling, d.LogNormal(0.0, 1.0))
    for ours, theirs in zip(*results):
        same(ours, theirs)
