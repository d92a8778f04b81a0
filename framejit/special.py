"""Special functions: ``torch.special``. Rows of the op table (``eager/ops/special.toml``), and functions of ``fj``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from framejit import _C

if TYPE_CHECKING:
    from framejit._C.special import *
globals().update({name: function for name, function in vars(_C.special).items() if not name.startswith("__")})

digamma = psi = _C.ops.digamma
erf = _C.ops.erf
erfc = _C.ops.erfc
erfinv = _C.ops.erfinv
exp2 = _C.ops.exp2
expit = _C.ops.sigmoid
expm1 = _C.ops.expm1
gammainc = _C.ops.igamma
gammaincc = _C.ops.igammac
gammaln = _C.ops.lgamma
i0 = _C.ops.i0
log1p = _C.ops.log1p
log_softmax = _C.ops.log_softmax
logit = _C.ops.logit
logsumexp = _C.ops.logsumexp
multigammaln = _C.ops.mvlgamma
polygamma = _C.ops.polygamma
round = _C.ops.round
sinc = _C.ops.sinc
softmax = _C.ops.softmax
xlogy = _C.ops.xlogy
