"""The compiler as Python sees it.

Tour: ``api`` (compile, explain, disable, stats, reset), ``report`` (Break, ExplainReport: text, HTML, JSON, SARIF),
``errors``, ``logs`` (FRAMEJIT_LOGS), ``module`` (a compiled nn.Module), ``skip`` (files left to the interpreter),
``compatibility`` (names of PyTorch's compiler).
The work is done by ``framejit._C.compiler``.
"""

from framejit.compiler.api import (
    OPTIONS,
    Stats,
    compile,
    disable,
    explain,
    is_compiling,
    list_backends,
    reset,
    set_logs,
    start_logging,
    stats,
)
from framejit.compiler.compatibility import (
    allow_in_graph,
    assume_constant_result,
    cudagraph_mark_step_begin,
    is_dynamo_compiling,
    is_exporting,
)
from framejit.compiler.errors import (
    BackendCompilerError,
    GraphBreakError,
    NotCompiledError,
    RecompileLimitWarning,
)
from framejit.compiler.report import Break, ExplainReport, TraceInfo
from framejit.compiler.skip import skip_standard_library

skip_standard_library()

__all__ = [
    "OPTIONS",
    "BackendCompilerError",
    "Break",
    "ExplainReport",
    "GraphBreakError",
    "NotCompiledError",
    "RecompileLimitWarning",
    "Stats",
    "TraceInfo",
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "explain",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "reset",
    "set_logs",
    "start_logging",
    "stats",
]
