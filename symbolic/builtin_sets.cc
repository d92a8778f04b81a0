// Models of the methods and operators of sets.
#include "symbolic/builtins.h"
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

SetVar* self(Executor& executor, const CallArgs& args, size_t least, size_t most, const char* name) {
  SetVar* set = args.size() ? as<SetVar>(args[0]) : nullptr;
  if (!set || args.size() - 1 < least || args.size() - 1 > most || !args.plain())
    executor.break_here(BreakId::raises, name);
  return set;
}

void insert(Executor& executor, SetVar* set, Var* item) {
  Key key = executor.key_of(item);
  Table::Entry* entry = set->table.find(key);
  if (!entry || !entry->present) set->table.set(key, executor.none());
  executor.mutated();
}

Var* add(Executor& executor, const CallArgs& args) {
  insert(executor, self(executor, args, 1, 1, "set.add"), args[1]);
  return executor.none();
}

Var* discard(Executor& executor, const CallArgs& args) {
  self(executor, args, 1, 1, "set.discard")->table.erase(executor.key_of(args[1]));
  executor.mutated();
  return executor.none();
}

Var* remove(Executor& executor, const CallArgs& args) {
  SetVar* set = self(executor, args, 1, 1, "set.remove");
  if (!set->table.erase(executor.key_of(args[1]))) executor.raise_object(PyExc_KeyError, {args[1]});
  executor.mutated();
  return executor.none();
}

Var* update(Executor& executor, const CallArgs& args) {
  SetVar* set = self(executor, args, 0, 64, "set.update");
  for (size_t i = 1; i < args.size(); ++i)
    for (Var* item : executor.iterate_all(args[i])) insert(executor, set, item);
  return executor.none();
}

Var* clear(Executor& executor, const CallArgs& args) {
  self(executor, args, 0, 0, "set.clear")->table.clear();
  executor.mutated();
  return executor.none();
}

SetVar* copy_of(Executor& executor, SetVar* from) {
  SetVar* set = executor.set();
  set->type = from->type;
  for (const Table::Entry& entry : from->table.entries()) set->table.set(entry.key, entry.value);
  return set;
}

Var* copy(Executor& executor, const CallArgs& args) {
  return copy_of(executor, self(executor, args, 0, 0, "set.copy"));
}

Var* set_union(Executor& executor, const CallArgs& args) {
  SetVar* set = copy_of(executor, self(executor, args, 0, 64, "set.union"));
  for (size_t i = 1; i < args.size(); ++i)
    for (Var* item : executor.iterate_all(args[i])) insert(executor, set, item);
  return set;
}

}  // namespace

void Executor::set_add(SetVar* set, Var* item) { insert(*this, set, item); }

Var* Executor::set_binary(int nb_op, SetVar* left, SetVar* right) {
  constexpr int kInPlace = 13, kAnd = 1, kOr = 7, kSubtract = 10, kXor = 12;
  if (nb_op >= kInPlace) {
    auto* result = static_cast<SetVar*>(set_binary(nb_op - kInPlace, left, right));
    if (left->type != &PySet_Type) return result;
    left->table = result->table;
    mutated(left);
    return left;
  }
  auto has = [](SetVar* set, const Key& key) {
    Table::Entry* entry = set->table.find(key);
    return entry && entry->present;
  };
  SetVar* result = set();
  result->type = left->type;
  for (const Table::Entry& entry : left->table.entries()) {
    bool both = has(right, entry.key);
    bool keep = nb_op == kAnd ? both : nb_op == kOr ? true : !both;
    if (keep) result->table.set(entry.key, entry.value);
  }
  if (nb_op == kOr || nb_op == kXor)
    for (const Table::Entry& entry : right->table.entries())
      if (!has(left, entry.key)) result->table.set(entry.key, entry.value);
  return nb_op == kAnd || nb_op == kOr || nb_op == kXor || nb_op == kSubtract ? result : nullptr;
}

const BuiltinRow kSetModels[] = {{"builtins", "set.add", add},         {"builtins", "set.discard", discard},
                                 {"builtins", "set.remove", remove},   {"builtins", "set.update", update},
                                 {"builtins", "set.clear", clear},     {"builtins", "set.copy", copy},
                                 {"builtins", "set.union", set_union}, {nullptr, nullptr, nullptr}};

}  // namespace framejit::symbolic
