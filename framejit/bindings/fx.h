// Graphs as Python sees them: `framejit._C.fx`, on which framejit/fx/ stands.
//
//   fx.h           what the C++ side calls
//   fx_graph.h     a Python-visible graph and its nodes: identity, lifetime
//   fx_graph.cc    the pybind11 classes
//   fx_values.cc   arguments of nodes to Python and back
//   fx_call.cc     calls that are put into a graph by tracing them
//   fx_backend.cc  a Python callable as a backend
#pragma once

#include <Python.h>

#include <memory>
#include <vector>

#include "graph/executable.h"

namespace framejit::bindings {

/// Backend `callable(GraphModule, example_inputs) -> callable`. Calls it now (the GIL is held), with zeros
/// for inputs; the Executable calls what it returned. Throws what it raises.
std::shared_ptr<const graph::Executable> compile_with_callable(std::unique_ptr<graph::Graph> graph,
                                                               PyObject* callable);

/// Adds the submodule `fx`.
void init_fx(PyObject* module);

}  // namespace framejit::bindings
