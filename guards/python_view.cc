// Guard programs from Python, for tests and measurements. The frame they look at is a function and a list of
// locals.
#include "guards/python_view.h"

#include <pybind11/stl.h>

#include "guards/guard.h"
#include "guards/tensor_access.h"

namespace py = pybind11;

namespace framejit::guards {
namespace {

struct Frame {
  Frame(const py::function& f, py::list l) : function(f), locals(std::move(l)) {
    for (py::handle item : locals) slots.push_back(item.ptr());
    auto* raw = reinterpret_cast<PyFunctionObject*>(function.ptr());
    values = {slots.data(), nullptr, 0, function.ptr(), raw->func_globals, raw->func_builtins};
  }
  py::function function;
  py::list locals;
  std::vector<PyObject*> slots;
  FrameValues values;
};

class ProgramView {
 public:
  explicit ProgramView(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  int run(const py::function& function, const py::list& locals) const {
    Frame frame(function, locals);
    std::vector<PyObject*> slots(program_->slot_count() + 1);
    return program_->run(frame.values, slots.data());
  }
  // Only the program: `repeat` runs over slots that are already there.
  int run_often(const py::function& function, const py::list& locals, int repeat) const {
    Frame frame(function, locals);
    std::vector<PyObject*> slots(program_->slot_count() + 1);
    int failed = Program::kHit;
    for (int i = 0; i < repeat; ++i) failed = program_->run(frame.values, slots.data());
    return failed;
  }
  py::dict explain(int guard, const py::function& function, const py::list& locals) const {
    Mismatch m = program_->explain(guard, Frame(function, locals).values);
    py::dict result;
    result["message"] = m.message;
    result["source"] = m.source;
    result["dims"] = m.dims;
    result["is_number"] = m.is_number;
    return result;
  }
  std::string print() const { return program_->print(); }
  bool is_dead() const { return program_->is_dead(); }
  uint32_t slot_count() const { return program_->slot_count(); }

 private:
  std::shared_ptr<const Program> program_;
};

// Sources are handed out as opaque objects; they live as long as the builder and what it made.
struct SourceView {
  const Source* source;
};

SourceView view(const Source* source) { return {source}; }

TensorPattern pattern_of(const py::object& tensor) {
  const eager::TensorImpl* impl = tensor_access().peek(tensor.ptr());
  if (!impl) throw py::type_error("GuardBuilder.tensor: expected a Tensor");
  return {impl->meta, impl->requires_grad};
}

void bind_sources(py::class_<ProgramBuilder>& builder) {
  builder
      .def("local",
           [](ProgramBuilder& b, int i, const std::string& n) { return view(b.sources().local(i, n)); })
      .def("cell",
           [](ProgramBuilder& b, int i, const std::string& n) { return view(b.sources().cell(i, n)); })
      .def("free",
           [](ProgramBuilder& b, int i, const std::string& n) { return view(b.sources().free(i, n)); })
      .def("function", [](ProgramBuilder& b, const std::string& n) { return view(b.sources().function(n)); })
      .def("global_", [](ProgramBuilder& b, const py::str& n) { return view(b.sources().global(n.ptr())); })
      .def("builtin", [](ProgramBuilder& b, const py::str& n) { return view(b.sources().builtin(n.ptr())); })
      .def("globals", [](ProgramBuilder& b) { return view(b.sources().globals()); })
      .def("fixed", [](ProgramBuilder& b, const py::object& o,
                       const std::string& n) { return view(b.sources().constant(o.ptr(), n)); })
      .def("attribute", [](ProgramBuilder& b, SourceView s,
                           const py::str& n) { return view(b.sources().attribute(s.source, n.ptr())); })
      .def("member", [](ProgramBuilder& b, SourceView s,
                        const py::object& d) { return view(b.sources().member(s.source, d.ptr())); })
      .def("code", [](ProgramBuilder& b, SourceView s) { return view(b.sources().function_code(s.source)); })
      .def("defaults",
           [](ProgramBuilder& b, SourceView s) { return view(b.sources().function_defaults(s.source)); })
      .def("class_attribute",
           [](ProgramBuilder& b, SourceView s, const py::str& n) {
             return view(b.sources().class_attribute(s.source, n.ptr()));
           })
      .def("type_attribute",
           [](ProgramBuilder& b, SourceView s, const py::str& n) {
             return view(b.sources().type_attribute(s.source, n.ptr()));
           })
      .def("type_of", [](ProgramBuilder& b, SourceView s) { return view(b.sources().type_of(s.source)); })
      .def("cell_contents",
           [](ProgramBuilder& b, SourceView s) { return view(b.sources().cell_contents(s.source)); })
      .def("item",
           [](ProgramBuilder& b, SourceView s, int64_t i) { return view(b.sources().item(s.source, i)); })
      .def("key", [](ProgramBuilder& b, SourceView s, const py::object& k) {
        return view(b.sources().key(s.source, k.ptr()));
      });
}

void bind_guards(py::class_<ProgramBuilder>& builder) {
  builder
      .def("type", [](ProgramBuilder& b, SourceView s,
                      const py::type& t) { b.type(s.source, reinterpret_cast<PyTypeObject*>(t.ptr())); })
      .def("identity",
           [](ProgramBuilder& b, SourceView s, const py::object& o) { b.identity(s.source, o.ptr()); })
      .def("constant",
           [](ProgramBuilder& b, SourceView s, const py::object& o) { b.constant(s.source, o.ptr()); })
      .def("absent", [](ProgramBuilder& b, SourceView s) { b.absent(s.source); })
      .def("length", [](ProgramBuilder& b, SourceView s, int64_t n) { b.length(s.source, n); })
      .def("keys",
           [](ProgramBuilder& b, SourceView s, py::object container) { b.keys(s.source, container.ptr()); })
      .def(
          "int64", [](ProgramBuilder& b, SourceView s, int symbol) { b.int64(s.source, symbol); },
          py::arg("source"), py::arg("symbol") = -1)
      .def("tensor",
           [](ProgramBuilder& b, SourceView s, const py::object& t) { b.tensor(s.source, pattern_of(t)); })
      .def("same", [](ProgramBuilder& b, SourceView x, SourceView y) { b.same(x.source, y.source); })
      .def("distinct",
           [](ProgramBuilder& b, const std::vector<SourceView>& all) {
             std::vector<const Source*> sources;
             for (SourceView s : all) sources.push_back(s.source);
             b.distinct(sources);
           })
      .def("global_state", [](ProgramBuilder& b) { b.global_state(); })
      .def("finish", [](ProgramBuilder& b) { return ProgramView(b.finish()); });
}

}  // namespace

void init_python_view(py::module_& module) {
  py::class_<SourceView>(module, "GuardSource")
      .def("__str__", [](SourceView s) { return s.source ? s.source->text : "<no source>"; })
      .def("__eq__", [](SourceView a, SourceView b) { return a.source == b.source; })
      .def("__bool__", [](SourceView s) { return s.source != nullptr; });
  py::class_<ProgramView>(module, "GuardProgram")
      .def("run", &ProgramView::run)
      .def("run_often", &ProgramView::run_often)
      .def("explain", &ProgramView::explain)
      .def("is_dead", &ProgramView::is_dead)
      .def_property_readonly("slot_count", &ProgramView::slot_count)
      .def("__str__", &ProgramView::print);
  py::class_<ProgramBuilder> builder(module, "GuardBuilder");
  builder.def(py::init<>());
  bind_sources(builder);
  bind_guards(builder);
}

}  // namespace framejit::guards
