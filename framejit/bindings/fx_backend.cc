// A Python callable as a backend.
#include "eager/dispatch.h"
#include "eager/error.h"
#include "framejit/bindings/fx.h"
#include "framejit/bindings/fx_graph.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/results.h"
#include "framejit/bindings/tensor_object.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "graph/print.h"

namespace framejit::bindings {
namespace {

using eager::Value;

class PythonExecutable final : public graph::Executable {
 public:
  PythonExecutable(py::object callable, std::string text, size_t input_count, size_t result_count)
      : callable_(callable.release().ptr()),
        text_(std::move(text)),
        input_count_(input_count),
        result_count_(result_count) {}
  ~PythonExecutable() override {
    if (!Py_IsInitialized()) return;
    WithGil gil;
    Py_DECREF(callable_);
  }

  void run(const Value* inputs, Value* results) const override {
    WithGil gil;
    try {
      call(inputs, results);
    } catch (py::error_already_set& error) {
      error.restore();
      throw_pending_python_error();
    } catch (const PythonError&) {
      throw_pending_python_error();
    }
  }
  bool runs_user_code() const override { return true; }
  std::string describe() const override { return text_; }

 private:
  void call(const Value* inputs, Value* results) const {
    py::tuple args(input_count_);
    for (size_t i = 0; i < input_count_; ++i)
      args[i] = py::reinterpret_steal<py::object>(to_python(inputs[i]));
    py::object returned = py::reinterpret_borrow<py::object>(callable_)(*args);
    bool is_sequence = py::isinstance<py::tuple>(returned) || py::isinstance<py::list>(returned);
    py::tuple made = is_sequence ? py::tuple(returned) : py::make_tuple(returned);
    if (made.size() != result_count_)
      eager::fail(eager::ErrorType::runtime, "backend: the compiled callable returned ", made.size(),
                  " results, the graph has ", result_count_);
    for (size_t i = 0; i < result_count_; ++i) results[i] = value_of(made[i]);
  }

  PyObject* callable_;
  std::string text_;
  size_t input_count_, result_count_;
};

/// Zeros as the inputs were when traced: the sizes are the hints of their symbols.
py::list example_inputs(const graph::Graph& graph) {
  eager::ShapeEnvScope scope(graph.shapes.get());
  eager::GradModeScope no_grad(false);
  py::list examples;
  for (const graph::Node* input : graph.inputs) {
    const graph::ValueMeta& meta = input->meta[0];
    if (meta.is_scalar) {
      examples.append(meta.tensor.dtype == eager::DType::int64 ? py::object(py::int_(0)) : py::float_(0.0));
      continue;
    }
    eager::TensorMeta plain = meta.tensor;
    for (int i = 0; i < plain.sizes.size(); ++i) {
      plain.sizes[i] = plain.sizes.sym(i).hint();
      plain.strides[i] = plain.strides.sym(i).hint();
    }
    eager::Tensor zeros = eager::ops::empty_strided(plain.sizes, plain.strides, plain.dtype, plain.device);
    eager::ops::fill_(zeros, 0);
    zeros->requires_grad = meta.requires_grad;
    examples.append(py::reinterpret_steal<py::object>(wrap(zeros)));
  }
  return examples;
}

}  // namespace

std::shared_ptr<const graph::Executable> compile_with_callable(std::unique_ptr<graph::Graph> graph,
                                                               PyObject* callable) {
  std::string text = print(*graph);
  size_t inputs = graph->inputs.size(), results = graph->result->args.size();
  py::list examples = example_inputs(*graph);
  py::object module = py::module_::import("framejit.fx")
                          .attr("GraphModule")(py::none(), std::make_shared<FxGraph>(std::move(graph), true));
  py::object compiled = py::reinterpret_borrow<py::object>(callable)(module, examples);
  if (!PyCallable_Check(compiled.ptr()))
    throw py::type_error("backend: got an object of type " + std::string(Py_TYPE(compiled.ptr())->tp_name) +
                         ", expected a callable that runs the graph");
  return std::make_shared<PythonExecutable>(std::move(compiled), std::move(text), inputs, results);
}

}  // namespace framejit::bindings
