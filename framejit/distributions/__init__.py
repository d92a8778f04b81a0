"""Probability distributions, in PyTorch's names, signatures and meanings.

Tour: ``distribution`` (the base class), ``constraints`` (which values are valid), one distribution a file, ``transforms``
and ``transformed_distribution``, ``constraint_registry`` (transforms by constraint), ``kl`` (divergences). ``rsample`` is
differentiable with respect to the parameters. Gamma, Beta, Dirichlet and StudentT are sampled by way of ``_gamma_variates``.
"""

from framejit.distributions import constraints, transforms
from framejit.distributions.bernoulli import Bernoulli
from framejit.distributions.beta import Beta
from framejit.distributions.binomial import Binomial
from framejit.distributions.categorical import Categorical
from framejit.distributions.cauchy import Cauchy, HalfCauchy
from framejit.distributions.constraint_registry import biject_to, transform_to
from framejit.distributions.continuous_bernoulli import ContinuousBernoulli
from framejit.distributions.dirichlet import Dirichlet
from framejit.distributions.distribution import Distribution
from framejit.distributions.exponential import Exponential
from framejit.distributions.fishersnedecor import FisherSnedecor
from framejit.distributions.gamma import Chi2, Gamma
from framejit.distributions.geometric import Geometric
from framejit.distributions.gumbel import Gumbel
from framejit.distributions.half_normal import HalfNormal
from framejit.distributions.independent import Independent
from framejit.distributions.inverse_gamma import InverseGamma
from framejit.distributions.kl import kl_divergence, register_kl
from framejit.distributions.kumaraswamy import Kumaraswamy
from framejit.distributions.laplace import Laplace
from framejit.distributions.lkj_cholesky import LKJCholesky
from framejit.distributions.log_normal import LogNormal
from framejit.distributions.logistic_normal import LogisticNormal
from framejit.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from framejit.distributions.mixture_same_family import MixtureSameFamily
from framejit.distributions.multinomial import Multinomial
from framejit.distributions.multivariate_normal import MultivariateNormal
from framejit.distributions.negative_binomial import NegativeBinomial
from framejit.distributions.normal import Normal
from framejit.distributions.one_hot_categorical import OneHotCategorical, OneHotCategoricalStraightThrough
from framejit.distributions.pareto import Pareto
from framejit.distributions.poisson import Poisson
from framejit.distributions.relaxed_bernoulli import RelaxedBernoulli
from framejit.distributions.relaxed_categorical import RelaxedOneHotCategorical
from framejit.distributions.studentT import StudentT
from framejit.distributions.transformed_distribution import TransformedDistribution
from framejit.distributions.transforms import (
    AbsTransform,
    AffineTransform,
    CatTransform,
    ComposeTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StackTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
    identity_transform,
)
from framejit.distributions.uniform import Uniform
from framejit.distributions.von_mises import VonMises
from framejit.distributions.weibull import Weibull
from framejit.distributions.wishart import Wishart

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "CatTransform",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "ContinuousBernoulli",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "FisherSnedecor",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LowRankMultivariateNormal",
    "LowerCholeskyTransform",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "biject_to",
    "constraints",
    "identity_transform",
    "kl_divergence",
    "register_kl",
    "transform_to",
    "transforms",
]
