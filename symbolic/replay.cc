// Running a trace: prelude, graph, epilogue. No allocation besides the objects that the program itself makes.
#include <memory>

#include "eager/autocast.h"
#include "eager/dispatch.h"
#include "eager/random/generator.h"
#include "guards/guard.h"
#include "symbolic/bytecode/instruction.h"
#include "symbolic/py_ref.h"
#include "symbolic/symbolic.h"

namespace framejit::symbolic {
namespace {

/// The registers of one run. Slots are borrowed, the others owned.
class Registers {
 public:
  Registers(const Trace& trace, PyObject* const* slots) : trace_(trace), slots_(slots) {
    size_t count = trace.register_count - trace.slot_count;
    if (count > kInline) heap_ = std::make_unique<PyObject*[]>(count);
    owned_ = heap_ ? heap_.get() : inline_;
    std::fill_n(owned_, count, nullptr);
  }
  ~Registers() {
    for (size_t i = 0; i < trace_.register_count - trace_.slot_count; ++i) Py_XDECREF(owned_[i]);
  }
  PyObject* get(Reg reg) const {
    if (reg == kNoReg) return nullptr;
    return reg < trace_.slot_count ? slots_[reg] : owned_[reg - trace_.slot_count];
  }
  PyObject* operand(const Step& step, uint32_t i) const { return get(trace_.operands[step.first + i]); }
  void set(Reg reg, PyObject* owned) {
    if (reg == kNoReg)
      Py_XDECREF(owned);
    else
      owned_[reg - trace_.slot_count] = owned;
  }

 private:
  static constexpr size_t kInline = 32;
  const Trace& trace_;
  PyObject* const* slots_;
  PyObject** owned_;
  PyObject* inline_[kInline];
  std::unique_ptr<PyObject*[]> heap_;
};

class Run {
 public:
  Run(const Trace& trace, PyObject* const* slots) : trace_(trace), registers_(trace, slots) {}

  ReplayStatus prelude();
  ReplayStatus graph();
  bool epilogue();
  void store(PyObject** localsplus, int* stack_depth);
  Registers& registers() { return registers_; }

 private:
  /// The object a step makes, new reference; null with an exception set. Steps without a result give None.
  PyObject* make(const Step& step);
  PyObject* call(const Step& step, bool keywords);
  PyObject* make_function(const Step& step);
  PyObject* make_iterator(const Step& step);
  bool change(const Step& step);  ///< steps without a result
  PyObject* arg(const Step& step, uint32_t i) const { return registers_.operand(step, i); }
  PyObject* to_python(const eager::Value& value) const;
  bool to_value(PyObject* object, eager::Value* value) const;

  const Trace& trace_;
  Registers registers_;
};

template <class Set>
PyObject* sequence(PyObject* result, const Step& step, const Registers& registers, Set set) {
  for (uint32_t i = 0; result && i < step.count; ++i)
    set(result, Py_ssize_t(i), Py_NewRef(registers.operand(step, i)));
  return result;
}

PyObject* Run::make(const Step& step) {
  switch (step.op) {
    case StepOp::constant:
      return Py_NewRef(trace_.constants[size_t(step.aux)]);
    case StepOp::binary:
      return bytecode::binary_operator(step.aux & kOperatorMask).apply(arg(step, 0), arg(step, 1));
    case StepOp::negative:
      return PyNumber_Negative(arg(step, 0));
    case StepOp::compare:
      return PyObject_RichCompare(arg(step, 0), arg(step, 1), step.aux);
    case StepOp::to_int:
      return PyNumber_Long(arg(step, 0));
    case StepOp::to_float:
      return PyNumber_Float(arg(step, 0));
    case StepOp::make_tuple:
      return sequence(PyTuple_New(step.count), step, registers_, PyTuple_SetItem);
    case StepOp::make_list:
      return PyList_New(0);
    case StepOp::make_dict:
      return PyDict_New();
    case StepOp::make_set: {
      PyRef set = PyRef::steal(step.aux ? PyFrozenSet_New(nullptr) : PySet_New(nullptr));
      for (uint32_t i = 0; set && i < step.count; ++i)
        if (PySet_Add(set.get(), arg(step, i)) < 0) return nullptr;
      return set.release();
    }
    case StepOp::make_slice:
      return PySlice_New(arg(step, 0), arg(step, 1), arg(step, 2));
    case StepOp::make_cell:
      return PyCell_New(nullptr);
    case StepOp::make_function:
      return make_function(step);
    case StepOp::make_method:
      return PyMethod_New(arg(step, 0), arg(step, 1));
    case StepOp::make_instance: {
      PyRef nothing = PyRef::steal(PyTuple_New(0));
      return PyBaseObject_Type.tp_new(reinterpret_cast<PyTypeObject*>(arg(step, 0)), nothing.get(), nullptr);
    }
    case StepOp::call:
      return call(step, false);
    case StepOp::call_keywords:
      return call(step, true);
    case StepOp::make_iterator:
      return make_iterator(step);
    default:
      return change(step) ? Py_NewRef(Py_None) : nullptr;
  }
}

bool Run::change(const Step& step) {
  switch (step.op) {
    case StepOp::list_fill:
    case StepOp::list_assign: {
      PyRef items = PyRef::steal(PyList_New(step.count - 1));
      for (uint32_t i = 1; items && i < step.count; ++i)
        PyList_SET_ITEM(items.get(), i - 1, Py_NewRef(arg(step, i)));
      return items && PyList_SetSlice(arg(step, 0), 0, PY_SSIZE_T_MAX, items.get()) == 0;
    }
    case StepOp::dict_fill:
      for (uint32_t i = 1; i + 1 < step.count; i += 2)
        if (PyObject_SetItem(arg(step, 0), arg(step, i), arg(step, i + 1)) < 0) return false;
      return true;
    case StepOp::list_append:
      return PyList_Append(arg(step, 0), arg(step, 1)) == 0;
    case StepOp::dict_set:
      return PyObject_SetItem(arg(step, 0), arg(step, 1), arg(step, 2)) == 0;
    case StepOp::dict_delete:
      return PyObject_DelItem(arg(step, 0), arg(step, 1)) == 0;
    case StepOp::dict_clear:
      return PyDict_Clear(arg(step, 0)), true;
    case StepOp::attribute_set:
      return PyObject_GenericSetAttr(arg(step, 0), arg(step, 1), arg(step, 2)) == 0;
    case StepOp::attribute_delete:
      return PyObject_GenericSetAttr(arg(step, 0), arg(step, 1), nullptr) == 0;
    case StepOp::cell_set:
      return PyCell_Set(arg(step, 0), step.count > 1 ? arg(step, 1) : nullptr) == 0;
    case StepOp::advance:
      for (int32_t i = 0; i < step.aux; ++i) {
        PyRef item = PyRef::steal(PyIter_Next(arg(step, 0)));
        if (!item) return !PyErr_Occurred();
      }
      return true;
    case StepOp::grad_mode:
      eager::modes().grad_enabled = step.aux != 0;
      return true;
    case StepOp::autocast:
      eager::set_autocast_word(uint32_t(step.aux));
      return true;
    default:
      PyErr_SetString(PyExc_SystemError, "framejit: a step in the wrong place");
      return false;
  }
}

PyObject* Run::call(const Step& step, bool keywords) {
  std::vector<PyObject*> args;
  for (uint32_t i = 1; i < step.count; ++i) args.push_back(arg(step, i));
  PyObject* names = nullptr;
  if (keywords) {
    names = args.back();
    args.pop_back();
  }
  size_t positional = args.size() - (names ? size_t(PyTuple_GET_SIZE(names)) : 0);
  return PyObject_Vectorcall(arg(step, 0), args.data(), positional, names);
}

PyObject* Run::make_function(const Step& step) {
  PyRef function = PyRef::steal(PyFunction_New(arg(step, 0), arg(step, 1)));
  uint32_t next = 2;
  bool ok = bool(function);
  if (ok && step.aux & 1) ok = PyFunction_SetDefaults(function.get(), arg(step, next++)) == 0;
  if (ok && step.aux & 2) ok = PyFunction_SetKwDefaults(function.get(), arg(step, next++)) == 0;
  if (ok && step.aux & 4) {
    // A tuple of names and values, or a dict: what MAKE_FUNCTION was given.
    PyObject* annotations = arg(step, next++);
    Py_XSETREF(reinterpret_cast<PyFunctionObject*>(function.get())->func_annotations, Py_NewRef(annotations));
  }
  if (ok && step.aux & 8) ok = PyFunction_SetClosure(function.get(), arg(step, next++)) == 0;
  return ok ? function.release() : nullptr;
}

PyObject* Run::make_iterator(const Step& step) {
  PyRef iterator = PyRef::steal(PyObject_GetIter(arg(step, 0)));
  if (!iterator || step.aux == 0) return iterator.release();
  // Sequences are put to the place at once, others are read up to it.
  PyRef state = PyRef::steal(PyLong_FromLong(step.aux));
  PyRef set = PyRef::steal(PyObject_CallMethod(iterator.get(), "__setstate__", "O", state.get()));
  if (set) return iterator.release();
  PyErr_Clear();
  for (int32_t i = 0; i < step.aux; ++i) {
    PyRef item = PyRef::steal(PyIter_Next(iterator.get()));
    if (!item) break;
  }
  return PyErr_Occurred() ? nullptr : iterator.release();
}

ReplayStatus Run::prelude() {
  for (const Step& step : trace_.prelude) {
    bool applies = true;
    if (step.op == StepOp::check_truth) {
      applies = PyObject_IsTrue(arg(step, 0)) == step.aux;
    } else if (step.op == StepOp::check_int64) {
      int overflow = 0;
      PyLong_AsLongLongAndOverflow(arg(step, 0), &overflow);
      applies = !overflow;
    } else {
      PyObject* made = make(step);
      registers_.set(step.dst, made);
      applies = made != nullptr;
      if (made && step.op == StepOp::binary)
        applies = step.aux & kFloatResult ? PyFloat_CheckExact(made) : PyLong_CheckExact(made);
    }
    if (applies) continue;
    PyErr_Clear();
    return ReplayStatus::mismatch;
  }
  return ReplayStatus::done;
}

bool Run::to_value(PyObject* object, eager::Value* value) const {
  if (PyFloat_CheckExact(object)) {
    *value = PyFloat_AS_DOUBLE(object);
  } else if (PyLong_CheckExact(object)) {
    int overflow = 0;
    int64_t number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow || number <= eager::SymInt::kLowestPlain || number >= -eager::SymInt::kLowestPlain)
      return false;
    *value = number;
  } else {
    *value = trace_.front_end->unwrap(object);
  }
  return true;
}

PyObject* Run::to_python(const eager::Value& value) const {
  switch (value.tag()) {
    case eager::Value::Tag::tensor:
      return trace_.front_end->wrap(value.tensor(), nullptr);
    case eager::Value::Tag::sym_int:
      return PyLong_FromLongLong(value.integer());
    case eager::Value::Tag::real:
      return PyFloat_FromDouble(value.real());
    case eager::Value::Tag::boolean:
      return PyBool_FromLong(value.boolean());
    case eager::Value::Tag::complex:
      return PyComplex_FromDoubles(value.complex().real(), value.complex().imag());
    default:
      return Py_NewRef(Py_None);
  }
}

/// As the dispatcher does for single ops: new tensors made in inference mode are inference tensors, views of
/// others are not.
void mark_inference(const eager::Value* inputs, size_t input_count, eager::Value* results,
                    size_t result_count) {
  for (size_t r = 0; r < result_count; ++r) {
    if (!results[r].is_tensor()) continue;
    eager::TensorImpl& made = *results[r].impl();
    const bool is_new = std::none_of(inputs, inputs + input_count, [&](const eager::Value& input) {
      return input.is_tensor() && input.impl()->storage == made.storage;
    });
    if (is_new) made.is_inference = true;
  }
}

ReplayStatus Run::graph() {
  if (!trace_.graph) return ReplayStatus::done;
  constexpr size_t kInline = 8;
  size_t input_count = trace_.graph_inputs.size(), result_count = trace_.graph_results.size();
  eager::Value few[2 * kInline];
  std::vector<eager::Value> many;
  eager::Value *inputs = few, *results = few + kInline;
  if (input_count > kInline || result_count > kInline) {
    many.resize(input_count + result_count);
    inputs = many.data();
    results = inputs + input_count;
  }
  eager::RandomState random{};  // what a graph that fails has drawn, the interpreter draws again
  if (trace_.draws_random) random = eager::default_generator().state();
  for (size_t i = 0; i < input_count; ++i)
    if (!to_value(registers_.get(trace_.graph_inputs[i]), &inputs[i])) return ReplayStatus::mismatch;
  try {
    trace_.graph->run(inputs, results);
  } catch (const std::exception&) {
    if (trace_.graph->runs_user_code()) {
      trace_.front_end->set_error();
      return ReplayStatus::error;
    }
    PyErr_Clear();
    if (trace_.draws_random) eager::default_generator().set_state(random);
    return ReplayStatus::rerun;
  }
  if (eager::modes().inference) mark_inference(inputs, input_count, results, result_count);
  for (size_t i = 0; i < result_count; ++i) {
    PyObject* object = to_python(results[i]);
    if (!object) return ReplayStatus::error;
    registers_.set(trace_.graph_results[i], object);
  }
  return ReplayStatus::done;
}

bool Run::epilogue() {
  for (const Step& step : trace_.epilogue) {
    PyObject* made = make(step);
    if (!made) return false;
    registers_.set(step.dst, made);
  }
  return true;
}

void Run::store(PyObject** localsplus, int* stack_depth) {
  // New values first, since what is stored may be what another entry held. Old ones go last: that may run
  // code.
  std::vector<PyObject*> old;
  for (const Trace::Store& store : trace_.stores) {
    old.push_back(localsplus[store.index]);
    localsplus[store.index] = Py_XNewRef(registers_.get(store.reg));
  }
  PyObject** stack = localsplus + trace_.stack_base;
  std::vector<PyObject*> next;
  for (Reg reg : trace_.stack) next.push_back(Py_XNewRef(registers_.get(reg)));
  for (int i = 0; i < *stack_depth; ++i) old.push_back(stack[i]);
  std::copy(next.begin(), next.end(), stack);
  *stack_depth = int(next.size());
  for (PyObject* object : old) Py_XDECREF(object);
}

}  // namespace

ReplayStatus replay(const Trace& trace, PyObject* const* slots, PyObject** localsplus, int* stack_depth,
                    PyObject** result) {
  if (trace.untouched) return ReplayStatus::done;
  Run run(trace, slots);
  ReplayStatus status = run.prelude();
  if (status == ReplayStatus::done) status = run.graph();
  if (status != ReplayStatus::done) return status;
  if (!run.epilogue()) return ReplayStatus::error;
  if (trace.end.kind == EndKind::returns)
    *result = Py_NewRef(run.registers().get(trace.result));
  else
    run.store(localsplus, stack_depth);
  return ReplayStatus::done;
}

}  // namespace framejit::symbolic
