"""Functions of functions: derivatives and maps over a dimension, which can be nested.

Tour: ``reverse`` (grad, vjp, jacrev), ``forward`` (jvp, linearize, jacfwd, hessian), ``mapping`` (vmap), ``modules`` (modules
as functions of their parameters), ``levels`` (what all derivatives share), ``identity`` (what PyTorch has and nothing is to
do for).

There is one way to differentiate, backward. Products from the right (jvp) differentiate the product from the left a second
time, which is linear in its vector. ``vmap`` calls its function once per sample.
"""

from framejit.func.forward import hessian, jacfwd, jvp, linearize
from framejit.func.identity import debug_unwrap, functionalize
from framejit.func.mapping import vmap
from framejit.func.modules import replace_all_batch_norm_modules_, stack_module_state
from framejit.func.reverse import grad, grad_and_value, jacrev, vjp
from framejit.nn.utils.stateless import functional_call

__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]
