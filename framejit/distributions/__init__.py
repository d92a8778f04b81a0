"""Probability distributions, in PyTorch's names, signatures and meanings.

Tour: ``distribution`` (the base class), ``constraints`` (which values are valid), one distribution a file, ``transforms``
and ``transformed_distribution``, ``kl`` (divergences). ``rsample`` is differentiable with respect to the parameters.
Gamma, Beta, Dirichlet and StudentT are sampled by way of ``_gamma_variates``.
"""

from framejit.distributions import constraints, transforms
from framejit.distributions.bernoulli import Bernoulli
from framejit.distributions.beta import Beta
from framejit.distributions.categorical import Categorical
from framejit.distributions.cauchy import Cauchy, HalfCauchy
from framejit.distributions.dirichlet import Dirichlet
from framejit.distributions.distribution import Distribution
from framejit.distributions.exponential import Exponential
from framejit.distributions.gamma import Chi2, Gamma
from framejit.distributions.geometric import Geometric
from framejit.distributions.gumbel import Gumbel
from framejit.distributions.half_normal import HalfNormal
from framejit.distributions.independent import Independent
from framejit.distributions.kl import kl_divergence, register_kl
from framejit.distributions.laplace import Laplace
from framejit.distributions.log_normal import LogNormal
from framejit.distributions.mixture_same_family import MixtureSameFamily
from framejit.distributions.multivariate_normal import MultivariateNormal
from framejit.distributions.negative_binomial import NegativeBinomial
from framejit.distributions.normal import Normal
from framejit.distributions.one_hot_categorical import OneHotCategorical, OneHotCategoricalStraightThrough
from framejit.distributions.poisson import Poisson
from framejit.distributions.studentT import StudentT
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
from framejit.distributions.von_mises import VonMises
from framejit.distributions.weibull import Weibull

__all__ = [
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "Laplace",
    "LogNormal",
    "MixtureSameFamily",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Poisson",
    "SigmoidTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "constraints",
    "kl_divergence",
    "register_kl",
    "transforms",
]
