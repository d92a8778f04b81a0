#include "symbolic/backends.h"

#include "eager/error.h"
#include "graph/aot/compile.h"

namespace framejit::symbolic {
namespace {

class RunnableGraph final : public CompiledGraph {
 public:
  explicit RunnableGraph(std::shared_ptr<const inductor::Executable> executable)
      : executable_(std::move(executable)) {}
  void run(const eager::Value* inputs, eager::Value* results) const override {
    executable_->run(inputs, results);
  }

 private:
  std::shared_ptr<const inductor::Executable> executable_;
};

class NamedBackend final : public GraphCompiler {
 public:
  explicit NamedBackend(std::string name) : name_(std::move(name)) {}
  std::shared_ptr<const CompiledGraph> compile(std::unique_ptr<graph::Graph> graph) override {
    return std::make_shared<RunnableGraph>(graph::aot::compile_graph(std::move(graph), name_));
  }

 private:
  std::string name_;
};

}  // namespace

std::shared_ptr<GraphCompiler> make_graph_compiler(PyObject* backend) {
  const char* name = "inductor";
  if (backend && PyUnicode_Check(backend)) name = PyUnicode_AsUTF8(backend);
  if (!name) return nullptr;
  if (!backend || PyUnicode_Check(backend)) return std::make_shared<NamedBackend>(name);
  PyErr_Format(PyExc_TypeError, "compile: got a backend of type %s, expected a name or a callable",
               Py_TYPE(backend)->tp_name);
  return nullptr;
}

}  // namespace framejit::symbolic
