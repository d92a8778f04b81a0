// Models of the methods of dicts.
#include "symbolic/builtins.h"
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

DictVar* self(Executor& executor, const CallArgs& args, size_t least, size_t most, const char* name) {
  DictVar* dict = args.size() ? as<DictVar>(args[0]) : nullptr;
  if (!dict || args.size() - 1 < least || args.size() - 1 > most || !args.plain())
    executor.break_here(BreakId::raises, name);
  return dict;
}

Var* get(Executor& executor, const CallArgs& args) {
  DictVar* dict = self(executor, args, 1, 2, "dict.get");
  if (Var* value = executor.dict_get(dict, args[1])) return value;
  return args.size() > 2 ? args[2] : executor.none();
}

Var* setdefault(Executor& executor, const CallArgs& args) {
  DictVar* dict = self(executor, args, 1, 2, "dict.setdefault");
  if (Var* value = executor.dict_get(dict, args[1])) return value;
  Var* value = args.size() > 2 ? args[2] : executor.none();
  executor.dict_set(dict, args[1], value);
  return value;
}

Var* pop(Executor& executor, const CallArgs& args) {
  DictVar* dict = self(executor, args, 1, 2, "dict.pop");
  if (Var* value = executor.dict_get(dict, args[1])) {
    executor.dict_erase(dict, args[1]);
    return value;
  }
  if (args.size() > 2) return args[2];
  executor.raise_object(PyExc_KeyError, {args[1]});
}

Var* popitem(Executor& executor, const CallArgs& args) {
  DictVar* dict = self(executor, args, 0, 0, "dict.popitem");
  executor.load_all(dict);
  std::vector<Table::Entry> entries = dict->table.entries();
  if (entries.empty()) executor.raise(PyExc_KeyError, "popitem(): dictionary is empty");
  Table::Entry last = entries.back();
  executor.dict_erase(dict, last.key.var);
  return executor.tuple({last.key.var, last.value});
}

/// The value of the parameter `last` of OrderedDict's methods, given by position or by name.
bool is_last(Executor& executor, const CallArgs& args, size_t position) {
  for (auto& [name, value] : args.keywords) {
    if (PyUnicode_CompareWithASCIIString(name, "last")) executor.break_here(BreakId::raises, "OrderedDict");
    return executor.truth(value);
  }
  return args.size() <= position || executor.truth(args[position]);
}

/// One that the traced code has made: of others the order is not known.
DictVar* ordered_self(Executor& executor, const CallArgs& args, size_t least, size_t most, const char* name) {
  DictVar* dict = args.size() ? as<DictVar>(args[0]) : nullptr;
  if (!dict || dict->existing() || args.size() - 1 < least || args.size() + args.keywords.size() - 1 > most)
    executor.break_here(BreakId::unknown_call, name);
  return dict;
}

Var* move_to_end(Executor& executor, const CallArgs& args) {
  DictVar* dict = ordered_self(executor, args, 1, 2, "OrderedDict.move_to_end");
  Var* value = executor.dict_get(dict, args[1]);
  if (!value) executor.raise_object(PyExc_KeyError, {args[1]});
  const Key key = dict->table.find(executor.key_of(args[1]))->key;
  const bool last = is_last(executor, args, 2);
  std::vector<Table::Entry> others = dict->table.entries();
  dict->table.clear();
  if (!last) dict->table.set(key, value);
  for (const Table::Entry& entry : others)
    if (!(entry.key == key)) dict->table.set(entry.key, entry.value);
  if (last) dict->table.set(key, value);
  executor.mutated(dict);
  return executor.none();
}

Var* ordered_popitem(Executor& executor, const CallArgs& args) {
  DictVar* dict = ordered_self(executor, args, 0, 1, "OrderedDict.popitem");
  std::vector<Table::Entry> entries = dict->table.entries();
  if (entries.empty()) executor.raise(PyExc_KeyError, "dictionary is empty");
  const Table::Entry gone = is_last(executor, args, 1) ? entries.back() : entries.front();
  executor.dict_erase(dict, gone.key.var);
  return executor.tuple({gone.key.var, gone.value});
}

Var* update(Executor& executor, const CallArgs& args) {
  DictVar* dict = args.size() ? as<DictVar>(args[0]) : nullptr;
  if (!dict || args.size() > 2) executor.break_here(BreakId::raises, "dict.update");
  if (args.size() == 2) executor.dict_update(dict, args[1]);
  for (auto& [name, value] : args.keywords) executor.dict_set(dict, executor.constant(name), value);
  return executor.none();
}

Var* clear(Executor& executor, const CallArgs& args) {
  DictVar* dict = self(executor, args, 0, 0, "dict.clear");
  if (dict->view_of) executor.break_here(BreakId::unsupported_attribute, "__dict__.clear");
  executor.dict_clear(dict);
  return executor.none();
}

Var* copy(Executor& executor, const CallArgs& args) {
  DictVar* from = self(executor, args, 0, 0, "dict.copy");
  DictVar* dict = executor.dict();
  dict->type = executor.type_of(from);
  executor.dict_update(dict, from);
  return dict;
}

Var* view(Executor& executor, const CallArgs& args, IteratorVar::Form form) {
  ViewVar* view = executor.make<ViewVar>();
  view->dict = self(executor, args, 0, 0, "a dict view");
  view->form = form;
  return view;
}
Var* keys(Executor& executor, const CallArgs& args) { return view(executor, args, IteratorVar::Form::keys); }
Var* values(Executor& executor, const CallArgs& args) {
  return view(executor, args, IteratorVar::Form::values);
}
Var* items(Executor& executor, const CallArgs& args) {
  return view(executor, args, IteratorVar::Form::items);
}

Var* contains(Executor& executor, const CallArgs& args) {
  return executor.boolean(executor.dict_get(self(executor, args, 1, 1, "dict.__contains__"), args[1]) !=
                          nullptr);
}
Var* get_item(Executor& executor, const CallArgs& args) {
  return executor.subscript(self(executor, args, 1, 1, "dict.__getitem__"), args[1]);
}
Var* set_item(Executor& executor, const CallArgs& args) {
  executor.dict_set(self(executor, args, 2, 2, "dict.__setitem__"), args[1], args[2]);
  return executor.none();
}

}  // namespace

/// dict.update: of a mapping, or of pairs.
void Executor::dict_update(DictVar* dict, Var* from) {
  if (DictVar* other = as<DictVar>(from)) {
    load_all(other);
    for (const Table::Entry& entry : other->table.entries()) dict_set(dict, entry.key.var, entry.value);
    return;
  }
  bool pairs = from->kind == Kind::list || from->kind == Kind::tuple || from->kind == Kind::iterator ||
               from->kind == Kind::view;
  if (!pairs) break_here(BreakId::unknown_object, "dict.update of " + describe(from));
  for (Var* pair : iterate_all(from)) {
    std::vector<Var*> parts = iterate_all(pair);
    if (parts.size() != 2) break_here(BreakId::raises, "dict.update with something that is not a pair");
    dict_set(dict, parts[0], parts[1]);
  }
}

void Executor::dict_clear(DictVar* dict) {
  dict->table.clear();
  dict->loaded = dict->written = true;
  mutated(dict);
  if (!dict->existing()) return;
  guard_type(dict);
  effect(StepOp::dict_clear, {dict});
}

const BuiltinRow kDictModels[] = {{"builtins", "dict.get", get},
                                  {"builtins", "dict.setdefault", setdefault},
                                  {"builtins", "dict.pop", pop},
                                  {"builtins", "dict.popitem", popitem},
                                  {"builtins", "dict.update", update},
                                  {"builtins", "dict.clear", clear},
                                  {"builtins", "dict.copy", copy},
                                  {"builtins", "dict.keys", keys},
                                  {"builtins", "dict.values", values},
                                  {"builtins", "dict.items", items},
                                  {"builtins", "dict.__contains__", contains},
                                  {"builtins", "dict.__getitem__", get_item},
                                  {"builtins", "dict.__setitem__", set_item},
                                  {"collections", "OrderedDict.setdefault", setdefault},
                                  {"collections", "OrderedDict.pop", pop},
                                  {"collections", "OrderedDict.popitem", ordered_popitem},
                                  {"collections", "OrderedDict.move_to_end", move_to_end},
                                  {"collections", "OrderedDict.update", update},
                                  {"collections", "OrderedDict.keys", keys},
                                  {"collections", "OrderedDict.values", values},
                                  {"collections", "OrderedDict.items", items},
                                  {"collections", "OrderedDict.__setitem__", set_item},
                                  {nullptr, nullptr, nullptr}};

}  // namespace framejit::symbolic
