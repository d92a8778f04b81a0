// From the `backend=` of framejit.compile to the object that makes traced graphs executable (contract).
#pragma once

#include <Python.h>

#include <memory>

#include "symbolic/trace.h"

namespace framejit::symbolic {

/// `backend`: "inductor", "aot_eager", "eager", or a callable (GraphModule, example_inputs) -> callable;
/// borrowed, null means "inductor". Null with an exception set for anything else.
std::shared_ptr<GraphCompiler> make_graph_compiler(PyObject* backend);

/// How a graph is handed to a Python callable: framejit/bindings knows, as it makes the GraphModule. Throws.
using CallableCompiler = std::shared_ptr<const graph::Executable> (*)(std::unique_ptr<graph::Graph> graph,
                                                                      PyObject* callable);
void set_callable_compiler(CallableCompiler compiler);

}  // namespace framejit::symbolic
