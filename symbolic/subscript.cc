// Subscripts: reading, storing and deleting items and slices.
#include "symbolic/builtins.h"
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

struct SliceRange {
  Py_ssize_t start, stop, step, count;
};

}  // namespace

/// What a dict calls for a missing key; null: it has nothing of that kind.
static Var* default_factory(Executor& executor, DictVar* dict) {
  PyObject* real = dict->real.get();
  if (!real || PyDict_CheckExact(real) || PyODict_CheckExact(real)) return dict->factory;
  static PyObject* const descriptor = resolve_builtin("collections", "defaultdict.default_factory");
  PyRef factory = PyRef::steal(PyObject_GetAttrString(real, "default_factory"));
  const Source* place = executor.sources().member(executor.source_of(dict), descriptor);
  if (!factory || !place) executor.break_here(BreakId::unknown_object, "defaultdict.default_factory");
  Var* found = executor.existing(factory.get(), place);
  return executor.is_none(found) ? nullptr : found;
}

/// The indices of a slice of a sequence of `size` items.
static SliceRange resolve(Executor& executor, SliceVar* slice, size_t size) {
  PyObject* real = executor.as_constant(slice);
  SliceRange range{};
  if (!real) executor.break_here(BreakId::unknown_object, "a slice of unknown bounds");
  if (PySlice_Unpack(real, &range.start, &range.stop, &range.step) < 0) executor.raise_pending();
  range.count = PySlice_AdjustIndices(Py_ssize_t(size), &range.start, &range.stop, range.step);
  return range;
}

std::vector<Var*> Executor::slice_items(const std::vector<Var*>& items, SliceVar* slice) {
  SliceRange range = resolve(*this, slice, items.size());
  std::vector<Var*> result;
  for (Py_ssize_t i = 0; i < range.count; ++i) result.push_back(items[size_t(range.start + i * range.step)]);
  return result;
}

/// The position that `key` names in a sequence; raises IndexError or TypeError.
size_t Executor::position(Var* key, size_t size, const char* type) {
  if (key->kind == Kind::tensor)
    break_here(BreakId::tensor_value, "a tensor as the index of a " + std::string(type));
  if (Var* index = try_special(key, "__index__", {})) key = index;
  std::optional<int64_t> index = as_index(key);
  if (!index) {
    PyTypeObject* kind = type_of(key);
    if (kind->tp_as_number && kind->tp_as_number->nb_index)
      break_here(BreakId::raises, std::string(type) + " with " + describe(key) + " as its index");
    raise(PyExc_TypeError, std::string(type) + " indices must be integers or slices, not " + kind->tp_name);
  }
  int64_t at = *index < 0 ? *index + int64_t(size) : *index;
  if (at < 0 || at >= int64_t(size)) raise(PyExc_IndexError, std::string(type) + " index out of range");
  return size_t(at);
}

Var* Executor::subscript(Var* container, Var* key) {
  switch (container->kind) {
    case Kind::tensor: {
      PyRef index;
      auto* tensor = static_cast<TensorVar*>(container);
      materialize(tensor);
      if (!to_op_argument(key, index))
        break_here(BreakId::op_unsupported, "a tensor indexed by " + describe(key));
      locate();
      return finish_op(PyObject_GetItem(tensor->proxy.get(), index.get()), "indexing");
    }
    case Kind::tuple: {
      auto* tuple = static_cast<TupleVar*>(container);
      load_items(tuple);
      if (SliceVar* slice = as<SliceVar>(key)) return this->tuple(slice_items(tuple->items, slice));
      return tuple->items[position(key, tuple->items.size(), "tuple")];
    }
    case Kind::list: {
      auto* list = static_cast<ListVar*>(container);
      load_items(list);
      if (SliceVar* slice = as<SliceVar>(key)) return this->list(slice_items(list->items, slice));
      return list->items[position(key, list->items.size(), "list")];
    }
    case Kind::dict: {
      auto* dict = static_cast<DictVar*>(container);
      if (Var* value = dict_get(dict, key)) return value;
      if (Var* factory = default_factory(*this, dict)) {
        Var* value = call(factory, {});
        dict_set(dict, key, value);
        return value;
      }
      raise_object(PyExc_KeyError, {key});
    }
    default:
      break;
  }
  if (Var* special = container->kind == Kind::object ? find_special(container, "__getitem__") : nullptr) {
    MethodVar* method = as<MethodVar>(special);
    if (method && method->function->kind == Kind::function) return call(special, {{key}, {}});
  }
  if (is_constant_like(container) && is_constant_like(key)) {
    PyObject* value = as_constant(container);
    if (PyType_Check(value) && (Py_TYPE(value) != &PyType_Type ||
                                reinterpret_cast<PyTypeObject*>(value)->tp_flags & Py_TPFLAGS_HEAPTYPE))
      break_here(BreakId::unknown_object, "a subscript of class " + describe(container));
    PyRef item = PyRef::steal(PyObject_GetItem(value, as_constant(key)));
    if (!item) raise_pending();
    return existing(pin(item.get()), nullptr);
  }
  break_here(BreakId::unknown_object, "a subscript of " + describe(container));
}

void Executor::store_subscript(Var* container, Var* key, Var* value) {
  switch (container->kind) {
    case Kind::tensor:
      return store_tensor_item(static_cast<TensorVar*>(container), key, value);
    case Kind::dict:
      return dict_set(static_cast<DictVar*>(container), key, value);
    case Kind::list: {
      auto* list = static_cast<ListVar*>(container);
      load_items(list);
      if (SliceVar* slice = as<SliceVar>(key))
        store_slice(list, slice, iterate_all(value));
      else
        list->items[position(key, list->items.size(), "list assignment")] = value;
      return list_assigned(list);
    }
    default:
      break;
  }
  if (!try_special_statement(container, "__setitem__", {key, value}))
    break_here(BreakId::unknown_object, "item assignment to " + describe(container));
}

void Executor::store_tensor_item(TensorVar* tensor, Var* key, Var* value) {
  PyRef index, item;
  materialize(tensor);
  if (!to_op_argument(key, index) || !to_op_argument(value, item))
    break_here(BreakId::op_unsupported, "assignment to items of a tensor");
  locate();
  int status = PyObject_SetItem(tensor->proxy.get(), index.get(), item.get());
  finish_op(status < 0 ? nullptr : Py_NewRef(Py_None), "item assignment");
}

void Executor::store_slice(ListVar* list, SliceVar* slice, const std::vector<Var*>& items) {
  SliceRange range = resolve(*this, slice, list->items.size());
  if (range.step == 1) {
    auto first = list->items.begin() + range.start;
    first = list->items.erase(first, first + std::max<Py_ssize_t>(range.stop - range.start, 0));
    list->items.insert(first, items.begin(), items.end());
    return;
  }
  if (Py_ssize_t(items.size()) != range.count)
    raise(PyExc_ValueError, "attempt to assign sequence of size " + std::to_string(items.size()) +
                                " to extended slice of size " + std::to_string(range.count));
  for (Py_ssize_t i = 0; i < range.count; ++i)
    list->items[size_t(range.start + i * range.step)] = items[size_t(i)];
}

void Executor::delete_subscript(Var* container, Var* key) {
  if (DictVar* dict = as<DictVar>(container)) {
    if (!dict_erase(dict, key)) raise_object(PyExc_KeyError, {key});
    return;
  }
  if (ListVar* list = as<ListVar>(container)) {
    load_items(list);
    if (SliceVar* slice = as<SliceVar>(key)) {
      SliceRange range = resolve(*this, slice, list->items.size());
      std::vector<size_t> gone;
      for (Py_ssize_t i = 0; i < range.count; ++i) gone.push_back(size_t(range.start + i * range.step));
      std::sort(gone.rbegin(), gone.rend());
      for (size_t at : gone) list->items.erase(list->items.begin() + Py_ssize_t(at));
    } else {
      size_t at = position(key, list->items.size(), "list assignment");
      list->items.erase(list->items.begin() + Py_ssize_t(at));
    }
    return list_assigned(list);
  }
  if (!try_special_statement(container, "__delitem__", {key}))
    break_here(BreakId::unknown_object, "deletion of an item of " + describe(container));
}

/// Calls a special method of a class instance for its effect; false when there is none in Python.
bool Executor::try_special_statement(Var* owner, const char* name, std::vector<Var*> args) {
  MethodVar* method = owner->kind == Kind::object ? as<MethodVar>(find_special(owner, name)) : nullptr;
  if (!method || method->function->kind != Kind::function) return false;
  call(method, {std::move(args), {}});
  return true;
}

}  // namespace framejit::symbolic
