#include "symbolic/backends.h"

#include "graph/aot/compile.h"
#include "guards/collector.h"

namespace framejit::symbolic {
namespace {

class NamedBackend final : public GraphCompiler {
 public:
  explicit NamedBackend(std::string name) : name_(std::move(name)) {}
  std::shared_ptr<const graph::Executable> compile(std::unique_ptr<graph::Graph> graph) override {
    return graph::aot::compile_graph(std::move(graph), name_);
  }

 private:
  std::string name_;
};

CallableCompiler callable_compiler = nullptr;

class CallableBackend final : public GraphCompiler {
 public:
  explicit CallableBackend(PyObject* callable) : callable_(Py_NewRef(callable)) {}
  bool takes_custom_gradients() const override { return false; }
  ~CallableBackend() override { Py_DECREF(callable_); }  // dies with the compiled function, under the GIL
  std::shared_ptr<const graph::Executable> compile(std::unique_ptr<graph::Graph> graph) override {
    const guards::CollectorResumed resumed;
    return callable_compiler(std::move(graph), callable_);
  }

 private:
  PyObject* callable_;
};

}  // namespace

void set_callable_compiler(CallableCompiler compiler) { callable_compiler = compiler; }

std::shared_ptr<GraphCompiler> make_graph_compiler(PyObject* backend) {
  const char* name = "inductor";
  if (backend && PyUnicode_Check(backend)) name = PyUnicode_AsUTF8(backend);
  if (!name) return nullptr;
  if (!backend || PyUnicode_Check(backend)) return std::make_shared<NamedBackend>(name);
  if (PyCallable_Check(backend)) return std::make_shared<CallableBackend>(backend);
  PyErr_Format(PyExc_TypeError, "compile: got a backend of type %s, expected a name or a callable",
               Py_TYPE(backend)->tp_name);
  return nullptr;
}

}  // namespace framejit::symbolic
