"""Ops and kernels in Python.

An op made here is called through ``framejit.ops.<namespace>.<name>``, is recorded by autograd and is one node in the
graph of a compiled function, which calls its Python kernel when it runs. What is needed for that: ``register_autograd``
for gradients, ``register_fake`` for the shapes of results (without it, the trace ends before the op).

Tour: ``custom_ops`` (a function as an op), ``registry`` (libraries), ``functions`` (register one thing about one op),
``operators`` (``framejit.ops``), ``schema`` (schemas from annotations), ``autograd`` (backward nodes), ``opcheck`` (tests
of an op). The layers of such an op are called by ``framejit/bindings/python_op.cc``.
"""

from framejit.library.custom_ops import CustomOpDef, custom_op
from framejit.library.functions import (
    define,
    get_ctx,
    impl,
    impl_abstract,
    register_autocast,
    register_autograd,
    register_fake,
    register_kernel,
    register_vmap,
)
from framejit.library.opcheck import OpCheckError, opcheck
from framejit.library.operators import OpOverload, OpOverloadPacket
from framejit.library.registry import Library, fallthrough_kernel
from framejit.library.schema import infer_schema

__all__ = [
    "CustomOpDef",
    "Library",
    "OpCheckError",
    "OpOverload",
    "OpOverloadPacket",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "get_ctx",
    "impl",
    "impl_abstract",
    "infer_schema",
    "opcheck",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_vmap",
]
