// The instructions of match statements. What the interpreter's own helpers do, with their messages.
#include "eval_frame/step.h"

namespace framejit::eval_frame {

using bytecode::Instruction;
using bytecode::Opcode;

namespace {

/// Types whose one positional pattern is the subject itself (int(x), str(x), ...) carry this flag, which has
/// no public name.
constexpr unsigned long kMatchesItself = 1UL << 22;

/// What a pattern found: null without an exception stands for "no match".
using Found = Owned;

StepResult push_found(LiveFrame& live, Found found) {
  if (!found && PyErr_Occurred()) return StepResult::raised;
  live.push(found ? found.release() : Py_NewRef(Py_None));
  return StepResult::next;
}

/// True if `item` was new; false with an exception set, or without one if it was there.
bool add_new(PyObject* seen, PyObject* item) {
  const int known = PySet_Contains(seen, item);
  return known == 0 && PySet_Add(seen, item) == 0;
}

/// The values of `keys` in a mapping, as a tuple.
Found find_keys(PyObject* mapping, PyObject* keys) {
  const Py_ssize_t count = PyTuple_GET_SIZE(keys);
  Owned values = Owned::steal(PyTuple_New(count)), seen = Owned::steal(PySet_New(nullptr));
  if (!values || !seen || count == 0) return values;
  // get() with a default of our own: a mapping may make items that are asked for by subscript.
  Owned get = Owned::steal(PyObject_GetAttrString(mapping, "get"));
  Owned missing = Owned::steal(PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&PyBaseObject_Type)));
  if (!get || !missing) return {};
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* key = PyTuple_GET_ITEM(keys, i);
    if (!add_new(seen.get(), key)) {
      if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "mapping pattern checks duplicate key (%R)", key);
      return {};
    }
    PyObject* value = PyObject_CallFunctionObjArgs(get.get(), key, missing.get(), nullptr);
    if (!value) return {};
    PyTuple_SET_ITEM(values.get(), i, value);
    if (value == missing.get()) return {};
  }
  return values;
}

/// A class pattern at work: collects attributes of the subject.
class ClassPattern {
 public:
  ClassPattern(PyObject* subject, PyTypeObject* type)
      : subject_(subject),
        type_(type),
        seen_(Owned::steal(PySet_New(nullptr))),
        found_(Owned::steal(PyList_New(0))) {}

  Found match(int positions, PyObject* names) {
    if (!seen_ || !found_ || !take_positions(positions)) return {};
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i)
      if (!take(PyTuple_GET_ITEM(names, i))) return {};
    return Owned::steal(PyList_AsTuple(found_.get()));
  }

 private:
  bool take_positions(int positions) {
    if (positions == 0) return true;
    Owned names = Owned::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type_), "__match_args__"));
    if (!names && !PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
    const bool itself = !names && type_->tp_flags & kMatchesItself;
    if (!names) PyErr_Clear();
    if (names && !PyTuple_CheckExact(names.get())) {
      PyErr_Format(PyExc_TypeError, "%s.__match_args__ must be a tuple (got %s)", type_->tp_name,
                   Py_TYPE(names.get())->tp_name);
      return false;
    }
    const Py_ssize_t allowed = itself ? 1 : names ? PyTuple_GET_SIZE(names.get()) : 0;
    if (allowed < positions) {
      PyErr_Format(PyExc_TypeError, "%s() accepts %zd positional sub-pattern%s (%d given)", type_->tp_name,
                   allowed, allowed == 1 ? "" : "s", positions);
      return false;
    }
    if (itself) return PyList_Append(found_.get(), subject_) == 0;
    for (int i = 0; i < positions; ++i) {
      PyObject* name = PyTuple_GET_ITEM(names.get(), i);
      if (!PyUnicode_CheckExact(name)) {
        PyErr_Format(PyExc_TypeError, "__match_args__ elements must be strings (got %s)",
                     Py_TYPE(name)->tp_name);
        return false;
      }
      if (!take(name)) return false;
    }
    return true;
  }

  bool take(PyObject* name) {
    if (!add_new(seen_.get(), name)) {
      if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "%s() got multiple sub-patterns for attribute %R", type_->tp_name,
                     name);
      return false;
    }
    Owned value = Owned::steal(PyObject_GetAttr(subject_, name));
    if (!value && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    return value && PyList_Append(found_.get(), value.get()) == 0;
  }

  PyObject* subject_;
  PyTypeObject* type_;
  Owned seen_, found_;
};

/// subject, class, names -> attributes
StepResult match_class(LiveFrame& live, int positions) {
  Owned names = live.pop(), cls = live.pop(), subject = live.pop();
  if (!PyType_Check(cls.get())) {
    PyErr_SetString(PyExc_TypeError, PY_VERSION_HEX < 0x030C0000 ? "called match pattern must be a type"
                                                                 : "called match pattern must be a class");
    return StepResult::raised;
  }
  const int is_instance = PyObject_IsInstance(subject.get(), cls.get());
  if (is_instance <= 0) return push_found(live, {});
  ClassPattern pattern(subject.get(), reinterpret_cast<PyTypeObject*>(cls.get()));
  return push_found(live, pattern.match(positions, names.get()));
}

StepResult push_length(LiveFrame& live) {
  const Py_ssize_t length = PyObject_Length(live.top());
  PyObject* number = length < 0 ? nullptr : PyLong_FromSsize_t(length);
  if (!number) return StepResult::raised;
  live.push(number);
  return StepResult::next;
}

StepResult push_flag(LiveFrame& live, unsigned long flag) {
  live.push(Py_NewRef(Py_TYPE(live.top())->tp_flags & flag ? Py_True : Py_False));
  return StepResult::next;
}

}  // namespace

StepResult step_match(LiveFrame& live, const Instruction& in) {
  switch (in.op) {
    case Opcode::GetLen:
      return push_length(live);
    case Opcode::MatchMapping:
      return push_flag(live, Py_TPFLAGS_MAPPING);
    case Opcode::MatchSequence:
      return push_flag(live, Py_TPFLAGS_SEQUENCE);
    case Opcode::MatchKeys:
      return push_found(live, find_keys(live.top(2), live.top(1)));
    case Opcode::MatchClass:
      return match_class(live, in.arg);
    default:
      return StepResult::unsupported;
  }
}

}  // namespace framejit::eval_frame
