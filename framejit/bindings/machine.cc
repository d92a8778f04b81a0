// Threads, instruction set and build of the core library.
#include <pybind11/pybind11.h>

#include "eager/build_info.h"
#include "eager/cpu/isa.h"
#include "eager/cpu/thread_pool.h"
#include "framejit/bindings/module.h"

namespace framejit::bindings {
namespace {

namespace py = pybind11;

void set_num_threads(const py::object& count) {
  if (!PyLong_Check(count.ptr()) || PyBool_Check(count.ptr()))
    throw py::type_error(std::string("set_num_threads expects an int, but got ") +
                         Py_TYPE(count.ptr())->tp_name);
  int threads = count.cast<int>();
  if (threads < 1) throw std::runtime_error("set_num_threads expects a positive integer");
  eager::cpu::set_num_threads(threads);
}

py::dict build_info() {
  const eager::BuildInfo& info = eager::build_info();
  py::dict result;
  result["version"] = info.version;
  result["compiler"] = info.compiler;
  result["build_type"] = info.build_type;
  result["instruction_sets"] = info.isas;
  return result;
}

}  // namespace

void init_machine(PyObject* module) {
  auto target = py::reinterpret_borrow<py::module_>(module);
  target.def("get_num_threads", eager::cpu::num_threads, "Number of threads that kernels use.");
  target.def("set_num_threads", set_num_threads, py::arg("count"),
             "Sets the number of threads that kernels use.");
  target.def(
      "cpu_capability", [] { return eager::cpu::isa_name(eager::cpu::chosen_isa()); },
      "The instruction set of the kernels in use, such as v3.");
  target.def("build_info", build_info, "Version, compiler and instruction sets of the core library.");
}

}  // namespace framejit::bindings
