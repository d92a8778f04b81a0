// Models of the methods of lists and tuples.
#include "symbolic/builtins.h"
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

/// The list a method is called on; the other arguments are of this number.
ListVar* self(Executor& executor, const CallArgs& args, size_t least, size_t most, const char* name) {
  ListVar* list = args.size() ? as<ListVar>(args[0]) : nullptr;
  if (!list || args.size() - 1 < least || args.size() - 1 > most || !args.plain())
    executor.break_here(BreakId::raises, name);
  return list;
}

Var* append(Executor& executor, const CallArgs& args) {
  executor.list_append(self(executor, args, 1, 1, "list.append"), args[1]);
  return executor.none();
}

Var* extend(Executor& executor, const CallArgs& args) {
  ListVar* list = self(executor, args, 1, 1, "list.extend");
  for (Var* item : executor.iterate_all(args[1])) executor.list_append(list, item);
  return executor.none();
}

Var* insert(Executor& executor, const CallArgs& args) {
  ListVar* list = self(executor, args, 2, 2, "list.insert");
  executor.load_items(list);
  std::optional<int64_t> index = executor.as_index(args[1]);
  if (!index) executor.break_here(BreakId::raises, "list.insert");
  auto size = int64_t(list->items.size());
  int64_t at = std::clamp<int64_t>(*index < 0 ? *index + size : *index, 0, size);
  list->items.insert(list->items.begin() + at, args[2]);
  executor.list_assigned(list);
  return executor.none();
}

Var* pop(Executor& executor, const CallArgs& args) {
  ListVar* list = self(executor, args, 0, 1, "list.pop");
  executor.load_items(list);
  if (list->items.empty()) executor.raise(PyExc_IndexError, "pop from empty list");
  size_t at =
      args.size() > 1 ? executor.position(args[1], list->items.size(), "pop") : list->items.size() - 1;
  Var* item = list->items[at];
  list->items.erase(list->items.begin() + Py_ssize_t(at));
  executor.list_assigned(list);
  return item;
}

std::optional<size_t> find(Executor& executor, const std::vector<Var*>& items, Var* wanted) {
  for (size_t i = 0; i < items.size(); ++i)
    if (executor.same_object(items[i], wanted) || executor.equal(items[i], wanted)) return i;
  return std::nullopt;
}

Var* remove(Executor& executor, const CallArgs& args) {
  ListVar* list = self(executor, args, 1, 1, "list.remove");
  executor.load_items(list);
  std::optional<size_t> at = find(executor, list->items, args[1]);
  if (!at) executor.raise(PyExc_ValueError, "list.remove(x): x not in list");
  list->items.erase(list->items.begin() + Py_ssize_t(*at));
  executor.list_assigned(list);
  return executor.none();
}

Var* clear(Executor& executor, const CallArgs& args) {
  ListVar* list = self(executor, args, 0, 0, "list.clear");
  executor.load_items(list);
  list->items.clear();
  executor.list_assigned(list);
  return executor.none();
}

Var* reverse(Executor& executor, const CallArgs& args) {
  ListVar* list = self(executor, args, 0, 0, "list.reverse");
  executor.load_items(list);
  std::reverse(list->items.begin(), list->items.end());
  executor.list_assigned(list);
  return executor.none();
}

Var* copy(Executor& executor, const CallArgs& args) {
  return executor.list(executor.iterate_all(self(executor, args, 0, 0, "list.copy")));
}

Var* sort(Executor& executor, const CallArgs& args) {
  ListVar* list = args.size() == 1 ? as<ListVar>(args[0]) : nullptr;
  if (!list) executor.break_here(BreakId::raises, "list.sort");
  executor.load_items(list);
  Var *key = nullptr, *reversed = nullptr;
  for (auto& [name, value] : args.keywords)
    (PyUnicode_CompareWithASCIIString(name, "key") ? reversed : key) = value;
  list->items = executor.sort(list->items, key, reversed);
  executor.list_assigned(list);
  return executor.none();
}

/// list.index, tuple.index
Var* index(Executor& executor, const CallArgs& args) {
  if (args.size() != 2 || !args.plain()) executor.break_here(BreakId::raises, "index");
  std::optional<size_t> at = find(executor, executor.iterate_all(args[0]), args[1]);
  if (!at) executor.break_here(BreakId::raises, "ValueError: index of something that is not there");
  return executor.integer(int64_t(*at));
}

/// list.count, tuple.count
Var* count(Executor& executor, const CallArgs& args) {
  if (args.size() != 2 || !args.plain()) executor.break_here(BreakId::raises, "count");
  int64_t found = 0;
  for (Var* item : executor.iterate_all(args[0]))
    found += executor.same_object(item, args[1]) || executor.equal(item, args[1]);
  return executor.integer(found);
}

}  // namespace

/// The items in order; keys must be constants. Stable, also when reversed.
std::vector<Var*> Executor::sort(const std::vector<Var*>& items, Var* key, Var* reverse) {
  bool reversed = reverse && truth(reverse);
  if (key && key->existing() && key->real.get() == Py_None) key = nullptr;
  PyRef order = PyRef::steal(PyList_New(0));
  for (size_t i = 0; i < items.size(); ++i) {
    PyRef rank = to_real(key ? call(key, {{items[i]}, {}}) : items[i]);
    if (!rank) break_here(BreakId::unknown_object, "sorting by something that is not a constant");
    PyRef place = PyRef::steal(PyLong_FromSsize_t(reversed ? -Py_ssize_t(i) : Py_ssize_t(i)));
    PyRef pair = PyRef::steal(PyTuple_Pack(2, rank.get(), place.get()));
    PyList_Append(order.get(), pair.get());
  }
  if (PyList_Sort(order.get()) < 0 || (reversed && PyList_Reverse(order.get()) < 0)) raise_pending();
  std::vector<Var*> result;
  for (size_t i = 0; i < items.size(); ++i) {
    Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(PyList_GET_ITEM(order.get(), Py_ssize_t(i)), 1));
    result.push_back(items[size_t(reversed ? -place : place)]);
  }
  return result;
}

const BuiltinRow kListModels[] = {{"builtins", "list.append", append},   {"builtins", "list.extend", extend},
                                  {"builtins", "list.insert", insert},   {"builtins", "list.pop", pop},
                                  {"builtins", "list.remove", remove},   {"builtins", "list.clear", clear},
                                  {"builtins", "list.reverse", reverse}, {"builtins", "list.copy", copy},
                                  {"builtins", "list.sort", sort},       {"builtins", "list.index", index},
                                  {"builtins", "list.count", count},     {"builtins", "tuple.index", index},
                                  {"builtins", "tuple.count", count},    {nullptr, nullptr, nullptr}};

}  // namespace framejit::symbolic
