// The op table as Python data, for tests, docs and tools.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "eager/op.h"
#include "framejit/bindings/module.h"

namespace framejit::bindings {
namespace {

namespace py = pybind11;
using eager::Op;
using eager::OpKind;

const char* kind_name(OpKind kind) {
  switch (kind) {
    case OpKind::pointwise:
      return "pointwise";
    case OpKind::reduction:
      return "reduction";
    case OpKind::view:
      return "view";
    case OpKind::matmul:
      return "matmul";
    case OpKind::creation:
      return "creation";
    case OpKind::random:
      return "random";
    case OpKind::structural:
      return "structural";
    case OpKind::composite:
      return "composite";
    case OpKind::data_dependent:
      return "data_dependent";
    case OpKind::inplace:
      return "inplace";
    case OpKind::out:
      return "out";
  }
  return "?";
}

std::vector<std::string> argument_names(const Op& op, uint64_t mask) {
  std::vector<std::string> names;
  for (size_t i = 0; i < op.schema.args.size(); ++i)
    if (mask >> i & 1) names.push_back(op.schema.args[i].name);
  return names;
}

std::vector<std::string> tile_dtypes(const Op& op) {
  std::vector<std::string> names;
  for (int i = 0; i < eager::kDTypeCount; ++i)
    if (op.tiles[size_t(i)]) names.push_back(eager::dtype_name(eager::DType(i)));
  return names;
}

py::dict row(const Op& op) {
  py::dict row;
  row["name"] = op.schema.name;
  row["full_name"] = op.full_name;
  row["schema"] = op.schema.str();
  row["kind"] = kind_name(op.kind);
  row["doc"] = op.doc;
  row["differentiable"] = argument_names(op, op.differentiable);
  row["aliases"] = op.aliases;
  row["functional"] = op.functional ? py::object(py::str(op.functional->full_name)) : py::none();
  row["is_function"] = op.is_function;
  row["is_method"] = op.is_method;
  row["module"] = op.python_module;
  row["wraps_numbers"] = op.wraps_numbers;
  row["tile_dtypes"] = tile_dtypes(op);
  return row;
}

}  // namespace

void init_op_table(PyObject* module) {
  py::reinterpret_borrow<py::module_>(module).def(
      "op_table",
      [] {
        py::list rows;
        for (const Op& op : eager::all_ops()) rows.append(row(op));
        return rows;
      },
      "All rows of the op table, derived ones included, as dicts.");
}

}  // namespace framejit::bindings
