// Lists, tuples and dicts: lazy reading of existing ones, writes with their effects.
#include "symbolic/executor.h"

namespace framejit::symbolic {

void Executor::load_items(TupleVar* tuple) {
  if (tuple->loaded) return;
  tuple->loaded = true;
  guard_type(tuple);
  Py_ssize_t size = PyTuple_GET_SIZE(tuple->real.get());
  if (tuple->source) guards_.length(tuple->source, size);
  for (Py_ssize_t i = 0; i < size; ++i)
    tuple->items.push_back(existing(PyTuple_GET_ITEM(tuple->real.get(), i),
                                    tuple->source ? sources().item(tuple->source, i) : nullptr));
}

void Executor::load_items(ListVar* list) {
  if (list->loaded) return;
  list->loaded = true;
  guard_type(list);
  const Source* place = source_of(list);
  Py_ssize_t size = PyList_GET_SIZE(list->real.get());
  guards_.length(place, size);
  std::vector<Var*> items;
  for (Py_ssize_t i = 0; i < size; ++i)
    items.push_back(existing(PyList_GET_ITEM(list->real.get(), i), sources().item(place, i)));
  items.insert(items.end(), list->items.begin(), list->items.end());  // appended before it was read
  list->items = std::move(items);
}

void Executor::list_append(ListVar* list, Var* item) {
  if (list->existing()) {
    guard_type(list);
    if (!list->assigned) effect(StepOp::list_append, {list, item});
  }
  list->items.push_back(item);
  mutated(list);
}

void Executor::list_assigned(ListVar* list) {
  mutated(list);
  if (!list->existing() || list->assigned) return;
  list->assigned = true;
  effect(StepOp::list_assign, {list});
}

DictVar* Executor::dict_of(PyObject* real, const Source* source) {
  return static_cast<DictVar*>(existing(real, source));
}

const Source* Executor::entry_source(DictVar* dict, PyObject* key) {
  if (dict->real.get() == request_.globals) return sources().global(key);
  if (dict->real.get() == request_.builtins) return sources().builtin(key);
  return sources().key(source_of(dict), key);
}

PyObject* Executor::attribute_key(Var* key) {
  PyObject* name = as_constant(key);
  if (!name || !PyUnicode_Check(name))
    break_here(BreakId::unsupported_attribute, "__dict__ with a key that is not a str");
  Py_INCREF(name);
  PyUnicode_InternInPlace(&name);
  PyRef owned = PyRef::steal(name);
  return pin(name);
}

Var* Executor::dict_get(DictVar* dict, Var* key) {
  if (dict->view_of) return find_instance_attribute(dict->view_of, attribute_key(key));
  Key k = key_of(key);
  if (Table::Entry* entry = dict->table.find(k)) return entry->value;
  if (!dict->existing() || dict->loaded) return nullptr;
  guard_type(dict);
  if (!k.value) break_here(BreakId::unknown_object, "a dict lookup by " + describe(key));
  PyObject* value = PyDict_GetItemWithError(dict->real.get(), k.value);
  PyErr_Clear();
  const Source* place = entry_source(dict, k.value);
  if (!value) {
    guards_.absent(place);
    dict->table.mark_absent(k);
    return nullptr;
  }
  Var* found = existing(value, place);
  dict->table.set(k, found);
  return found;
}

/// Reads all keys of an existing dict, which guards them and their order.
void Executor::load_all(DictVar* dict) {
  if (dict->view_of) return load_view(dict);
  if (dict->loaded) return;
  guard_type(dict);
  PyObject* real = dict->real.get();
  if (PyODict_CheckExact(real) && PyDict_GET_SIZE(real) > 0)  // it keeps an order of its own
    break_here(BreakId::unknown_object, std::string("all keys of a ") + Py_TYPE(real)->tp_name);
  dict->loaded = true;
  guards_.keys(source_of(dict), real);
  Table read = std::move(dict->table);
  dict->table = Table();
  PyObject *key, *value;
  for (Py_ssize_t position = 0; PyDict_Next(real, &position, &key, &value);) {
    Key k = key_of(existing(key, nullptr));
    Table::Entry* entry = read.find(k);
    dict->table.set(k, entry ? entry->value : existing(value, sources().key(source_of(dict), key)));
  }
  for (const Table::Entry& entry : read.entries()) dict->table.set(entry.key, entry.value);
}

/// The table of an object's `__dict__`, for iterating over it.
void Executor::load_view(DictVar* dict) {
  ObjectVar* object = dict->view_of;
  if (object->existing())
    break_here(BreakId::unsupported_attribute, "all of __dict__ of " + describe(object));
  dict->table = Table();
  for (auto& [name, value] : object->attributes.entries())
    if (value) dict->table.set(key_of(constant(name.get())), value);
}

int64_t Executor::dict_size(DictVar* dict) {
  if (dict->existing() && !dict->loaded && !dict->written) {
    guard_type(dict);
    int64_t size = PyDict_GET_SIZE(dict->real.get());
    guards_.length(source_of(dict), size);
    return size;
  }
  load_all(dict);
  return int64_t(dict->table.size());
}

void Executor::dict_set(DictVar* dict, Var* key, Var* value) {
  if (dict->view_of) return write_instance_attribute(dict->view_of, attribute_key(key), value);
  dict->table.set(key_of(key), value);
  dict->written = true;
  mutated(dict);
  if (!dict->existing()) return;
  guard_type(dict);
  effect(StepOp::dict_set, {dict, key, value});
}

bool Executor::dict_erase(DictVar* dict, Var* key) {
  if (dict->view_of) {
    PyObject* name = attribute_key(key);
    if (!find_instance_attribute(dict->view_of, name)) return false;
    write_instance_attribute(dict->view_of, name, nullptr);
    return true;
  }
  if (!dict_get(dict, key)) return false;
  load_all(dict);  // so that the order of keys stays known
  dict->table.erase(key_of(key));
  dict->written = true;
  mutated(dict);
  if (dict->existing()) effect(StepOp::dict_delete, {dict, key});
  return true;
}

std::vector<Var*> Executor::iterate_all(Var* iterable) {
  if (TupleVar* tuple = as<TupleVar>(iterable)) return load_items(tuple), tuple->items;
  if (ListVar* list = as<ListVar>(iterable)) return load_items(list), list->items;
  Var* iterator = get_iterator(iterable);
  std::vector<Var*> items;
  while (Var* item = next(iterator)) {
    items.push_back(item);
    if (items.size() > kMaxItems) break_here(BreakId::long_loop, "more than 10000 items");
  }
  return items;
}

}  // namespace framejit::symbolic
