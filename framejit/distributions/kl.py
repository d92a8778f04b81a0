"""Kullback-Leibler divergences, by pairs of types of distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import framejit as fj
from framejit import Tensor
from framejit.distributions.bernoulli import Bernoulli
from framejit.distributions.beta import Beta
from framejit.distributions.binomial import Binomial
from framejit.distributions.categorical import Categorical
from framejit.distributions.cauchy import Cauchy
from framejit.distributions.dirichlet import Dirichlet
from framejit.distributions.distribution import Distribution
from framejit.distributions.exponential import Exponential
from framejit.distributions.gamma import Gamma
from framejit.distributions.geometric import Geometric
from framejit.distributions.gumbel import Gumbel
from framejit.distributions.half_normal import HalfNormal
from framejit.distributions.independent import Independent
from framejit.distributions.laplace import Laplace
from framejit.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from framejit.distributions.multivariate_normal import MultivariateNormal
from framejit.distributions.normal import Normal
from framejit.distributions.one_hot_categorical import OneHotCategorical
from framejit.distributions.pareto import Pareto
from framejit.distributions.poisson import Poisson
from framejit.distributions.transformed_distribution import TransformedDistribution
from framejit.distributions.uniform import Uniform
from framejit.distributions.utils import sum_rightmost
from framejit.nn import functional as F

_EULER = 0.57721566490153286
_F = TypeVar("_F", bound=Callable[..., Any])
_formulas: dict[tuple[type, type], Callable[[Any, Any], Tensor]] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[_F], _F]:
    """Decorates the function that computes the divergence of ``type_p`` from ``type_q``."""
    for kind in (type_p, type_q):
        if not (isinstance(kind, type) and issubclass(kind, Distribution)):
            raise TypeError(f"Expected type_p and type_q to be Distribution subclasses but got {kind}")

    def decorate(function: _F) -> _F:
        _formulas[type_p, type_q] = function
        return function

    return decorate


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The expectation under ``p`` of ``log p - log q``.

    Raises:
        NotImplementedError: there is no formula for these types.
    """
    for kind_p in type(p).__mro__:
        for kind_q in type(q).__mro__:
            formula = _formulas.get((kind_p, kind_q))
            if formula is not None:
                return formula(p, q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    one = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
    zero = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
    one = fj.where(q.probs == 0, math.inf, one).masked_fill(p.probs == 0, 0.0)
    zero = fj.where(q.probs == 1, math.inf, zero).masked_fill(p.probs == 1, 0.0)
    return one + zero


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms = fj.where(q.probs == 0, math.inf, terms).masked_fill(p.probs == 0, 0.0)
    return terms.sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _categorical(p._categorical, q._categorical)


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), math.inf)


@register_kl(Exponential, Exponential)
def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


@register_kl(Poisson, Poisson)
def _poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Gamma, Gamma)
def _gamma(p: Gamma, q: Gamma) -> Tensor:
    a, b = p.concentration, q.concentration
    rates = b * (p.rate / q.rate).log() + a * (q.rate / p.rate - 1)
    return rates + b.lgamma() - a.lgamma() + (a - b) * a.digamma()


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    normalizers = total.lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    return normalizers + ((a - b) * (a.digamma() - total.digamma().unsqueeze(-1))).sum(-1)


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Tensor:
    return _dirichlet(p._dirichlet, q._dirichlet)


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    apart = (p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)
    return apart.log() - (4 * p.scale * q.scale).log()


@register_kl(Binomial, Binomial)
def _binomial(p: Binomial, q: Binomial) -> Tensor:
    if bool((p.total_count < q.total_count).any()):
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    result = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return result.masked_fill(p.total_count > q.total_count, math.inf)


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    ratio, distance = p.scale / q.scale, (q.loc - p.loc) / q.scale
    return -ratio.log() - distance + _EULER * (ratio - 1) - 1 + (distance + (1 + ratio).lgamma()).exp()


@register_kl(Pareto, Pareto)
def _pareto(p: Pareto, q: Pareto) -> Tensor:
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return result.masked_fill(p.scale < q.scale, math.inf)


@register_kl(Uniform, Normal)
def _uniform_from_normal(p: Uniform, q: Normal) -> Tensor:
    width, distance = p.high - p.low, (p.high + p.low) / 2 - q.loc
    spread = (width.square() / 12 + distance.square()) / q.scale.square()
    return (math.sqrt(2 * math.pi) * q.scale / width).log() + 0.5 * spread


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _low_rank(p: Any, q: Any) -> Tensor:
    whole = [MultivariateNormal(each.loc, scale_tril=each.scale_tril, validate_args=False) for each in (p, q)]
    return _multivariate_normal(*whole)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    """Of the bases, where the transforms are the same."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    further = len(p.event_shape) - len(p.base_dist.event_shape)
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), further)


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with different event shapes cannot be computed"
        )
    solved = fj.linalg.solve_triangular(q._factor, p._factor, upper=False)
    difference = fj.linalg.solve_triangular(q._factor, (q.loc - p.loc).unsqueeze(-1), upper=False)
    trace, distance = solved.pow(2).sum((-2, -1)), difference.pow(2).sum((-2, -1))
    return q._half_log_det() - p._half_log_det() + 0.5 * (trace + distance - p.event_shape[0])


@register_kl(Independent, Independent)
def _independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
