"""scikit-learn's estimators and metrics and SciPy's functions on framejit tensors, against the same on NumPy arrays.

Both look for SCIPY_ARRAY_API before they are imported: without it, this file runs itself in a process that has it.
"""

import os
import subprocess
import sys

import numpy as np
import pytest

import framejit as fj
from tests.processes import environment

pytest.importorskip("sklearn")
SWITCHED_ON = os.environ.get("SCIPY_ARRAY_API") == "1"


@pytest.mark.skipif(SWITCHED_ON, reason="this is the process")
def test_in_a_process_of_its_own():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(command, env=environment(SCIPY_ARRAY_API="1"), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]


pytestmark = [pytest.mark.filterwarnings("ignore")]
needs_switch = pytest.mark.skipif(not SWITCHED_ON, reason="runs in a process with SCIPY_ARRAY_API=1")


def digits():
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    return images[:600], labels[:600]


def estimators():
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier, RidgeCV
    from sklearn.mixture import GaussianMixture
    from sklearn.naive_bayes import GaussianNB
    from sklearn.preprocessing import Binarizer, MaxAbsScaler, MinMaxScaler, Normalizer, PolynomialFeatures, StandardScaler

    return {
        "pca": (PCA(10, svd_solver="full"), "transform"),
        "pca_covariance": (PCA(10, svd_solver="covariance_eigh"), "transform"),
        "pca_randomized": (PCA(5, svd_solver="randomized", random_state=0, power_iteration_normalizer="QR"), "transform"),
        "discriminant": (LinearDiscriminantAnalysis(), "predict"),
        "ridge": (Ridge(solver="svd"), "predict"),
        "ridge_cv": (RidgeCV(), "predict"),
        "ridge_classifier": (RidgeClassifier(solver="svd"), "predict"),
        "logistic": (LogisticRegression(max_iter=30), "predict_proba"),
        "naive_bayes": (GaussianNB(), "predict_proba"),
        "mixture": (GaussianMixture(3, init_params="random", random_state=0, max_iter=10), "predict_proba"),
        "standard": (StandardScaler(), "transform"),
        "min_max": (MinMaxScaler(), "transform"),
        "max_abs": (MaxAbsScaler(), "transform"),
        "normalizer": (Normalizer(), "transform"),
        "binarizer": (Binarizer(threshold=3.0), "transform"),
        "polynomial": (PolynomialFeatures(2), "transform"),
    }


@needs_switch
@pytest.mark.parametrize("name", sorted(estimators()))
def test_estimators(name):
    from sklearn import clone, config_context

    x, y = digits()
    x = x[:, :10].copy() if name == "polynomial" else x
    estimator, method = estimators()[name]
    expected = getattr(clone(estimator).fit(x, y), method)(x)
    with config_context(array_api_dispatch=True):
        tensors = fj.from_numpy(x), fj.from_numpy(y)
        got = getattr(clone(estimator).fit(*tensors), method)(tensors[0])
    assert isinstance(got, fj.Tensor)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-6, atol=1e-8)


@needs_switch
@pytest.mark.parametrize(
    "name",
    "accuracy_score balanced_accuracy_score confusion_matrix f1_score hamming_loss jaccard_score max_error "
    "mean_absolute_error mean_squared_error precision_score r2_score recall_score zero_one_loss".split(),
)
def test_metrics(name):
    from sklearn import config_context, metrics

    _, y = digits()
    guess = (y + 1) % 10
    guess[::3] = y[::3]
    options = {"average": "macro"} if name in ("f1_score", "jaccard_score", "precision_score", "recall_score") else {}
    expected = getattr(metrics, name)(y, guess, **options)
    with config_context(array_api_dispatch=True):
        got = getattr(metrics, name)(fj.from_numpy(y), fj.from_numpy(guess), **options)
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-6)  # means of integers are float32, as with PyTorch


@needs_switch
@pytest.mark.parametrize(
    "name",
    "chi2_kernel cosine_similarity euclidean_distances laplacian_kernel linear_kernel manhattan_distances "
    "paired_cosine_distances polynomial_kernel rbf_kernel sigmoid_kernel".split(),
)
def test_pairwise(name):
    from sklearn import config_context
    from sklearn.metrics import pairwise

    x, _ = digits()
    expected = getattr(pairwise, name)(x[:30], x[30:60])
    with config_context(array_api_dispatch=True):
        got = getattr(pairwise, name)(fj.from_numpy(x[:30]), fj.from_numpy(x[30:60]))
    assert isinstance(got, fj.Tensor)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-7, atol=1e-12)


@needs_switch
def test_cross_validation():
    from sklearn import config_context
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.model_selection import cross_val_predict

    x, y = digits()
    expected = cross_val_predict(LinearDiscriminantAnalysis(), x, y)
    with config_context(array_api_dispatch=True):
        got = cross_val_predict(LinearDiscriminantAnalysis(), fj.from_numpy(x), fj.from_numpy(y))
    assert got.tolist() == expected.tolist()


def scipy_calls(convert):
    """Name -> a call of SciPy on arrays that ``convert`` makes."""
    import scipy.cluster.hierarchy
    import scipy.cluster.vq
    import scipy.differentiate
    import scipy.fft
    import scipy.integrate
    import scipy.signal
    import scipy.special
    import scipy.stats

    rng = np.random.default_rng(0)
    a, b, p = rng.standard_normal((40, 6)), rng.standard_normal((40, 6)) + 0.2, rng.random((20, 4))
    a, b, p, start = convert(a), convert(b), convert(p), convert(a[:3].copy())
    calls = {
        "ttest_ind": lambda: scipy.stats.ttest_ind(a, b).pvalue,
        "pearsonr": lambda: scipy.stats.pearsonr(a, b, axis=0).pvalue,
        "mannwhitneyu": lambda: scipy.stats.mannwhitneyu(a, b, method="asymptotic").pvalue,
        "softmax": lambda: scipy.special.softmax(a, axis=1),
        "logsumexp": lambda: scipy.special.logsumexp(a, axis=1),
        "betainc": lambda: scipy.special.betainc(p, p, p),
        "xlogy": lambda: scipy.special.xlogy(p, p),
        "fft": lambda: scipy.fft.fft(a, axis=0),
        "rfft": lambda: scipy.fft.rfft(a),
        "trapezoid": lambda: scipy.integrate.trapezoid(a, axis=0),
        "tanhsinh": lambda: scipy.integrate.tanhsinh(lambda x: x**2, p * 0, p).integral,
        "derivative": lambda: scipy.differentiate.derivative(lambda x: x**3, p).df,
        "hilbert": lambda: scipy.signal.hilbert(a, axis=0),
        "fftconvolve": lambda: scipy.signal.fftconvolve(a, p),
        "kmeans2": lambda: scipy.cluster.vq.kmeans2(a, start, minit="matrix")[0],
        "linkage": lambda: scipy.cluster.hierarchy.linkage(a),
    }
    for name in "zscore skew kurtosis moment sem rankdata".split():
        calls[name] = lambda function=getattr(scipy.stats, name): function(a)
    for name in "gmean hmean variation entropy".split():
        calls[name] = lambda function=getattr(scipy.stats, name): function(p)
    for name in "expit erf ndtr i0 gammaln logit".split():
        calls[name] = lambda function=getattr(scipy.special, name): function(p)
    return calls


@needs_switch
@pytest.mark.parametrize("name", sorted(scipy_calls(lambda array: array)))
def test_scipy(name):
    got = scipy_calls(fj.from_numpy)[name]()
    assert isinstance(got, fj.Tensor)
    np.testing.assert_allclose(got.numpy(), scipy_calls(lambda array: array)[name](), rtol=1e-9, atol=1e-11)
