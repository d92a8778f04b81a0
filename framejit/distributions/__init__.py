"""Probability distributions, in PyTorch's names, signatures and meanings.

Tour: ``distribution`` (the base class), ``constraints`` (which values are valid), one distribution a file, ``transforms``
and ``transformed_distribution``, ``kl`` (divergences). ``rsample`` is differentiable with respect to the parameters.
Distributions that are sampled by way of gamma variates (Gamma, Beta, Dirichlet, StudentT) are not there.
"""

from framejit.distributions import constraints, transforms
from framejit.distributions.bernoulli import Bernoulli
from framejit.distributions.categorical import Categorical
from framejit.distributions.distribution import Distribution
from framejit.distributions.exponential import Exponential
from framejit.distributions.geometric import Geometric
from framejit.distributions.gumbel import Gumbel
from framejit.distributions.independent import Independent
from framejit.distributions.kl import kl_divergence, register_kl
from framejit.distributions.laplace import Laplace
from framejit.distributions.log_normal import LogNormal
from framejit.distributions.multivariate_normal import MultivariateNormal
from framejit.distributions.normal import Normal
from framejit.distributions.one_hot_categorical import OneHotCategorical, OneHotCategoricalStraightThrough
from framejit.distributions.poisson import Poisson
from framejit.distributions.transformed_distribution import TransformedDistribution
from framejit.distributions.transforms import (
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    SigmoidTransform,
    TanhTransform,
    Transform,
)
from framejit.distributions.uniform import Uniform

__all__ = [
    "AffineTransform",
    "Bernoulli",
    "Categorical",
    "ComposeTransform",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "Geometric",
    "Gumbel",
    "Independent",
    "Laplace",
    "LogNormal",
    "MultivariateNormal",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Poisson",
    "SigmoidTransform",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "constraints",
    "kl_divergence",
    "register_kl",
    "transforms",
]
