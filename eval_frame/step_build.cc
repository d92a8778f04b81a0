// Building, unpacking, formatting, and the simple parts of match.
#include "eval_frame/step.h"

namespace framejit::eval_frame {

using bytecode::Instruction;
using bytecode::Opcode;

namespace {

// Takes the operands over.
StepResult build_sequence(LiveFrame& live, int count, bool as_tuple) {
  PyObject* sequence = as_tuple ? PyTuple_New(count) : PyList_New(count);
  if (!sequence) return StepResult::raised;
  PyObject** items = live.top_n(count);
  for (int i = 0; i < count; ++i) {
    if (as_tuple)
      PyTuple_SET_ITEM(sequence, i, items[i]);
    else
      PyList_SET_ITEM(sequence, i, items[i]);
  }
  live.depth -= count;
  live.push(sequence);
  return StepResult::next;
}

StepResult build_set(LiveFrame& live, int count) {
  Owned set = Owned::steal(PySet_New(nullptr));
  bool fine = bool(set);
  for (int i = 0; fine && i < count; ++i) fine = PySet_Add(set.get(), live.top_n(count)[i]) == 0;
  return raised_unless(live.replace(count, fine ? set.release() : nullptr));
}

StepResult build_map(LiveFrame& live, int pairs) {
  Owned dict = Owned::steal(PyDict_New());
  PyObject** items = live.top_n(2 * pairs);
  bool fine = bool(dict);
  for (int i = 0; fine && i < pairs; ++i)
    fine = PyDict_SetItem(dict.get(), items[2 * i], items[2 * i + 1]) == 0;
  return raised_unless(live.replace(2 * pairs, fine ? dict.release() : nullptr));
}

StepResult build_map_of_constant_keys(LiveFrame& live, int count) {
  Owned keys = live.pop();
  Owned dict = Owned::steal(PyDict_New());
  bool fine = bool(dict);
  for (int i = 0; fine && i < count; ++i)
    fine = PyDict_SetItem(dict.get(), PyTuple_GET_ITEM(keys.get(), i), live.top_n(count)[i]) == 0;
  return raised_unless(live.replace(count, fine ? dict.release() : nullptr));
}

StepResult build_string(LiveFrame& live, int count) {
  StepResult built = build_sequence(live, count, true);
  if (built != StepResult::next) return built;
  Owned empty = Owned::steal(PyUnicode_FromStringAndSize(nullptr, 0));
  return raised_unless(live.replace(1, PyUnicode_Join(empty.get(), live.top())));
}

StepResult build_slice(LiveFrame& live, int count) {
  PyObject** bounds = live.top_n(count);
  return raised_unless(
      live.replace(count, PySlice_New(bounds[0], bounds[1], count == 3 ? bounds[2] : nullptr)));
}

// After a failed extend or update: was the operand not iterable (not a mapping)? Then the interpreter's text.
bool lacks_iteration(PyObject* operand) {
  return PyErr_ExceptionMatches(PyExc_TypeError) && !Py_TYPE(operand)->tp_iter && !PySequence_Check(operand);
}

StepResult list_extend(LiveFrame& live, int below) {
  Owned iterable = live.pop();
#if PY_VERSION_HEX >= 0x030D0000
  bool fine = PyList_Extend(live.top(below), iterable.get()) == 0;
#else
  Owned none = Owned::steal(_PyList_Extend(reinterpret_cast<PyListObject*>(live.top(below)), iterable.get()));
  bool fine = bool(none);
#endif
  if (!fine && lacks_iteration(iterable.get()))
    PyErr_Format(PyExc_TypeError, "Value after * must be an iterable, not %.200s",
                 Py_TYPE(iterable.get())->tp_name);
  return raised_unless(fine);
}

StepResult set_update(LiveFrame& live, int below) {
  Owned iterable = live.pop();
  Owned none = Owned::steal(PyObject_CallMethod(live.top(below), "update", "O", iterable.get()));
  return raised_unless(bool(none));
}

StepResult dict_update(LiveFrame& live, int below) {
  Owned mapping = live.pop();
  bool fine = PyDict_Update(live.top(below), mapping.get()) == 0;
  if (!fine && PyErr_ExceptionMatches(PyExc_AttributeError))
    PyErr_Format(PyExc_TypeError, "'%.200s' object is not a mapping", Py_TYPE(mapping.get())->tp_name);
  return raised_unless(fine);
}

// f(**a, **b). Whatever could go wrong has a message that names f: the interpreter knows it.
StepResult dict_merge(LiveFrame& live, int below) {
  PyObject *update = live.top(), *dict = live.top(below + 1), *key;
  if (!PyDict_CheckExact(update)) return StepResult::unsupported;
  Py_ssize_t position = 0;
  while (PyDict_Next(update, &position, &key, nullptr)) {
    if (!PyUnicode_CheckExact(key) || PyDict_Contains(dict, key) != 0) {
      PyErr_Clear();
      return StepResult::unsupported;
    }
  }
  return raised_unless(PyDict_Update(dict, live.pop().get()) == 0);
}

// Reads `count` items into targets[count - 1 ... 0] upwards from the stack's new top; false with an exception
// set.
bool take_items(PyObject* iterator, PyObject** items, int count, int expected, bool at_least) {
  for (int got = 0; got < count; ++got) {
    items[got] = PyIter_Next(iterator);
    if (items[got]) continue;
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_ValueError,
                   at_least ? "not enough values to unpack (expected at least %d, got %d)"
                            : "not enough values to unpack (expected %d, got %d)",
                   expected, got);
    while (got > 0) Py_DECREF(items[--got]);
    return false;
  }
  return true;
}

Owned iterator_to_unpack(PyObject* sequence) {
  Owned iterator = Owned::steal(PyObject_GetIter(sequence));
  if (!iterator && lacks_iteration(sequence))
    PyErr_Format(PyExc_TypeError, "cannot unpack non-iterable %.200s object", Py_TYPE(sequence)->tp_name);
  return iterator;
}

StepResult unpack_sequence(LiveFrame& live, int count) {
  Owned sequence = live.pop();
  Owned iterator = iterator_to_unpack(sequence.get());
  if (!iterator) return StepResult::raised;
  // The items lie on the stack meanwhile, in the wrong order: there is room for exactly these.
  PyObject** items = live.stack + live.depth;
  if (!take_items(iterator.get(), items, count, count, false)) return StepResult::raised;
  Owned surplus = Owned::steal(PyIter_Next(iterator.get()));
  if (surplus || PyErr_Occurred()) {
    for (int i = 0; i < count; ++i) Py_DECREF(items[i]);
    if (!surplus) return StepResult::raised;
    PyErr_Format(PyExc_ValueError, "too many values to unpack (expected %d)", count);
    return StepResult::raised;
  }
  for (int i = 0; i < count / 2; ++i) std::swap(items[i], items[count - 1 - i]);
  live.depth += count;
  return StepResult::next;
}

// a, *b, c = sequence
StepResult unpack_extended(LiveFrame& live, int before, int after) {
  Owned sequence = live.pop();
  Owned iterator = iterator_to_unpack(sequence.get());
  if (!iterator) return StepResult::raised;
  Owned head = Owned::steal(PyList_New(before));
  if (!head) return StepResult::raised;
  PyObject** first = live.stack + live.depth;
  if (!take_items(iterator.get(), first, before, before + after, true)) return StepResult::raised;
  for (int i = 0; i < before; ++i) PyList_SET_ITEM(head.get(), i, first[i]);
  Owned rest = Owned::steal(PySequence_List(iterator.get()));
  if (!rest) return StepResult::raised;
  Py_ssize_t starred = PyList_GET_SIZE(rest.get()) - after;
  if (starred < 0) {
    PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected at least %d, got %zd)",
                 before + after, before + PyList_GET_SIZE(rest.get()));
    return StepResult::raised;
  }
  for (Py_ssize_t i = PyList_GET_SIZE(rest.get()); i > starred; --i)
    live.push(Py_NewRef(PyList_GET_ITEM(rest.get(), i - 1)));
  if (PyList_SetSlice(rest.get(), starred, starred + after, nullptr) < 0) return StepResult::raised;
  live.push(rest.release());
  for (int i = before; i > 0; --i) live.push(Py_NewRef(PyList_GET_ITEM(head.get(), i - 1)));
  return StepResult::next;
}

PyObject* converted(PyObject* value, int conversion) {
  return conversion == 1   ? PyObject_Str(value)
         : conversion == 2 ? PyObject_Repr(value)
                           : PyObject_ASCII(value);
}

}  // namespace

StepResult step_build(LiveFrame& live, const Instruction& in) {
  switch (in.op) {
    case Opcode::BuildTuple:
      return build_sequence(live, in.arg, true);
    case Opcode::BuildList:
      return build_sequence(live, in.arg, false);
    case Opcode::BuildSet:
      return build_set(live, in.arg);
    case Opcode::BuildMap:
      return build_map(live, in.arg);
    case Opcode::BuildConstKeyMap:
      return build_map_of_constant_keys(live, in.arg);
    case Opcode::BuildString:
      return build_string(live, in.arg);
    case Opcode::BuildSlice:
      return build_slice(live, in.arg);
    case Opcode::ListToTuple:
      return raised_unless(live.replace(1, PyList_AsTuple(live.top())));
    case Opcode::ListAppend: {
      Owned item = live.pop();
      return raised_unless(PyList_Append(live.top(in.arg), item.get()) == 0);
    }
    case Opcode::SetAdd: {
      Owned item = live.pop();
      return raised_unless(PySet_Add(live.top(in.arg), item.get()) == 0);
    }
    case Opcode::MapAdd: {
      Owned value = live.pop(), key = live.pop();
      return raised_unless(PyDict_SetItem(live.top(in.arg), key.get(), value.get()) == 0);
    }
    case Opcode::ListExtend:
      return list_extend(live, in.arg);
    case Opcode::SetUpdate:
      return set_update(live, in.arg);
    case Opcode::DictUpdate:
      return dict_update(live, in.arg);
    case Opcode::DictMerge:
      return dict_merge(live, in.arg);
    case Opcode::UnpackSequence:
      return unpack_sequence(live, in.arg);
    case Opcode::UnpackEx:
      return unpack_extended(live, in.arg & 0xFF, in.arg >> 8);
    case Opcode::ConvertValue:
      return raised_unless(live.replace(1, converted(live.top(), in.arg)));
    case Opcode::FormatSimple:
      return raised_unless(live.replace(1, PyObject_Format(live.top(), nullptr)));
    case Opcode::FormatWithSpec:
      return raised_unless(live.replace(2, PyObject_Format(live.top(2), live.top(1))));
    default:
      return StepResult::unsupported;
  }
}

}  // namespace framejit::eval_frame
