// Operators: tensors, numbers, constants, containers, then the special methods of classes.
#include "symbolic/builtins.h"
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

constexpr int kInPlace = 13;  // first NB_INPLACE_*
constexpr const char* kMethods[kInPlace] = {"add", "and", "floordiv", "lshift", "matmul",  "mul", "mod",
                                            "or",  "pow", "rshift",   "sub",    "truediv", "xor"};
constexpr const char* kComparisons[] = {"__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__"};
constexpr int kSwapped[] = {Py_GT, Py_GE, Py_EQ, Py_NE, Py_LT, Py_LE};

bool is_class_instance(Var* var) {
  if (var->kind == Kind::exception) return true;
  if (var->kind != Kind::object) return false;
  PyObject* real = var->real.get();
  return !real || (Py_TYPE(real)->tp_flags & Py_TPFLAGS_HEAPTYPE && !PyType_Check(real));
}

bool is_not_implemented(Var* var) { return var->existing() && var->real.get() == Py_NotImplemented; }

}  // namespace

/// A special method written in Python, called; null when there is none or it returns NotImplemented.
Var* Executor::try_special(Var* owner, const std::string& name, std::vector<Var*> args) {
  if (!is_class_instance(owner)) return nullptr;
  Var* special = find_special(owner, name.c_str());
  MethodVar* bound = as<MethodVar>(special);
  if (!bound || bound->function->kind != Kind::function) return nullptr;
  Var* result = call(special, {std::move(args), {}});
  return is_not_implemented(result) ? nullptr : result;
}

Var* Executor::binary(int nb_op, Var* left, Var* right) {
  bool in_place = nb_op >= kInPlace;
  const char* name = kMethods[nb_op % kInPlace];
  if (is_class_instance(left) || is_class_instance(right)) {
    if (in_place)
      if (Var* result = try_special(left, std::string("__i") + name + "__", {right})) return result;
    PyTypeObject *a = type_of(left), *b = type_of(right);
    bool right_first = a != b && PyType_IsSubtype(b, a);
    if (right_first)
      if (Var* result = try_special(right, std::string("__r") + name + "__", {left})) return result;
    if (Var* result = try_special(left, std::string("__") + name + "__", {right})) return result;
    if (a != b && !right_first)
      if (Var* result = try_special(right, std::string("__r") + name + "__", {left})) return result;
  }
  if (left->kind == Kind::tensor || right->kind == Kind::tensor)
    if (Var* result = tensor_binary(nb_op, left, right)) return result;
  if (Var* result = number_binary(nb_op, left, right)) return result;
  if (Var* result = container_binary(nb_op, left, right)) return result;
  PyObject* a = is_constant_like(left) && is_constant_like(right) ? as_constant(left) : nullptr;
  if (!a)
    break_here(BreakId::unknown_object,
               describe(left) + " " + bytecode::binary_operator(nb_op).text + " " + describe(right));
  return steal_constant(bytecode::binary_operator(nb_op).apply(a, as_constant(right)));
}

Var* Executor::container_binary(int nb_op, Var* left, Var* right) {
  constexpr int kAdd = 0, kMultiply = 5, kOr = 7;
  bool in_place = nb_op >= kInPlace;
  int op = nb_op % kInPlace;
  if (ListVar* list = as<ListVar>(left)) {
    if (op == kAdd && in_place) {
      for (Var* item : iterate_all(right)) list_append(list, item);
      return list;
    }
    if (op == kAdd && right->kind == Kind::list) {
      std::vector<Var*> items = iterate_all(left), more = iterate_all(right);
      items.insert(items.end(), more.begin(), more.end());
      return this->list(std::move(items));
    }
    if (op == kMultiply && !in_place && is_number(right))
      if (auto count = as_index(right)) return this->list(repeat(iterate_all(left), *count));
  }
  TupleVar* tuple = as<TupleVar>(left);
  if (tuple && op == kAdd && right->kind == Kind::tuple) {
    std::vector<Var*> items = iterate_all(left), more = iterate_all(right);
    items.insert(items.end(), more.begin(), more.end());
    return this->tuple(std::move(items));
  }
  if (tuple && op == kMultiply && is_number(right))
    if (auto count = as_index(right)) return this->tuple(repeat(iterate_all(left), *count));
  bool sequence = right->kind == Kind::list || right->kind == Kind::tuple;
  if (sequence && op == kMultiply && is_number(left)) return container_binary(kMultiply, right, left);
  const bool dicts = left->kind == Kind::dict && right->kind == Kind::dict;
  // What the union of dicts of other classes is, these say themselves.
  if (dicts && op == kOr && (in_place || (type_of(left) == &PyDict_Type && type_of(right) == &PyDict_Type))) {
    auto* target = static_cast<DictVar*>(left);
    if (!in_place) {
      target = dict();
      dict_update(target, left);
    }
    dict_update(target, right);
    return target;
  }
  if (left->kind == Kind::set && right->kind == Kind::set)
    return set_binary(nb_op, static_cast<SetVar*>(left), static_cast<SetVar*>(right));
  return nullptr;
}

std::vector<Var*> Executor::repeat(const std::vector<Var*>& items, int64_t count) {
  std::vector<Var*> result;
  if (count > 0 && uint64_t(count) * items.size() > kMaxItems)
    break_here(BreakId::long_loop, "a repeated sequence");
  for (int64_t i = 0; i < count; ++i) result.insert(result.end(), items.begin(), items.end());
  return result;
}

Var* Executor::compare(int op, Var* left, Var* right) {
  if (is_class_instance(left) || is_class_instance(right)) {
    if (Var* result = try_special(left, kComparisons[op], {right})) return result;
    if (Var* result = try_special(right, kComparisons[kSwapped[op]], {left})) return result;
    if (op == Py_NE)
      if (Var* result = try_special(left, "__eq__", {right})) return boolean(!truth(result));
    const bool constants = is_constant_like(left) && is_constant_like(right);  // members of an IntEnum
    if ((op == Py_EQ || op == Py_NE) && !constants && compares_by_identity(left) &&
        compares_by_identity(right))
      return boolean(same_object(left, right) == (op == Py_EQ));
  }
  if (left->kind == Kind::tensor || right->kind == Kind::tensor)
    if (Var* result = tensor_compare(op, left, right)) return result;
  if (Var* result = number_compare(op, left, right)) return result;
  if (is_constant_like(left) && is_constant_like(right)) {
    PyObject* a = as_constant(left);
    return steal_constant(PyObject_RichCompare(a, as_constant(right), op));
  }
  if (op == Py_EQ || op == Py_NE) {
    std::optional<bool> equal = containers_equal(left, right);
    if (equal) return boolean(*equal == (op == Py_EQ));
  } else if (left->kind == right->kind && (left->kind == Kind::tuple || left->kind == Kind::list)) {
    return compare_sequences(op, iterate_all(left), iterate_all(right));
  }
  break_here(BreakId::unknown_object, "comparison of " + describe(left) + " and " + describe(right));
}

/// Objects for which `==` is `is`: no class of theirs defines __eq__ (but object).
bool Executor::compares_by_identity(Var* var) {
  switch (var->kind) {
    case Kind::function:
    case Kind::exception:
      return true;
    case Kind::object: {
      if (is_constant_like(var))
        return true;  // None, a str, ...: never equal to an instance that compares by identity
      PyTypeObject* type = type_of(var);
      return type->tp_richcompare == PyBaseObject_Type.tp_richcompare;
    }
    default:
      return true;
  }
}

std::optional<bool> Executor::containers_equal(Var* left, Var* right) {
  if (left == right && left->kind != Kind::object) return true;
  bool known = left->kind != Kind::object && right->kind != Kind::object;
  if (left->kind != right->kind) {
    auto is_set = [](Var* var) {
      return var->kind == Kind::set || var->kind == Kind::view ||
             (var->kind == Kind::object && var->existing() && PyAnySet_Check(var->real.get()));
    };
    if (is_set(left) && is_set(right)) return std::nullopt;  // one that exists, keys of a dict
    // An object of a type of the user's or of NumPy's says itself what it is equal to.
    Var* object = left->kind == Kind::object ? left : right;
    const bool plain = (is_constant_like(object) && !is_numpy_scalar(type_of(object))) ||
                       type_of(object)->tp_richcompare == PyBaseObject_Type.tp_richcompare;
    if (known || plain) return guard_type(left), guard_type(right), false;
    return std::nullopt;
  }
  switch (left->kind) {
    case Kind::tuple:
    case Kind::list: {
      std::vector<Var*> a = iterate_all(left), b = iterate_all(right);
      if (a.size() != b.size()) return false;
      for (size_t i = 0; i < a.size(); ++i)
        if (!same_object(a[i], b[i]) && !equal(a[i], b[i])) return false;
      return true;
    }
    case Kind::dict: {
      auto *a = static_cast<DictVar*>(left), *b = static_cast<DictVar*>(right);
      load_all(a);
      load_all(b);
      if (a->table.size() != b->table.size()) return false;
      const bool ordered = type_of(a) == &PyODict_Type && type_of(b) == &PyODict_Type;
      std::vector<Table::Entry> entries = a->table.entries(), in_order = b->table.entries();
      for (size_t i = 0; ordered && i < entries.size(); ++i)
        if (!(entries[i].key == in_order[i].key)) return false;
      for (const Table::Entry& entry : entries) {
        Table::Entry* other = b->table.find(entry.key);
        if (!other || !other->present) return false;
        if (!same_object(entry.value, other->value) && !equal(entry.value, other->value)) return false;
      }
      return true;
    }
    case Kind::set: {
      auto *a = static_cast<SetVar*>(left), *b = static_cast<SetVar*>(right);
      if (a->table.size() != b->table.size()) return false;
      for (const Table::Entry& entry : a->table.entries())
        if (Table::Entry* other = b->table.find(entry.key); !other || !other->present) return false;
      return true;
    }
    case Kind::function:
    case Kind::exception:
      return same_object(left, right);
    default:
      return std::nullopt;
  }
}

Var* Executor::compare_sequences(int op, const std::vector<Var*>& a, const std::vector<Var*>& b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (!equal(a[i], b[i])) return compare(op, a[i], b[i]);
  return number_compare(op, integer(int64_t(a.size())), integer(int64_t(b.size())));
}

bool Executor::equal(Var* a, Var* b) { return truth(compare(Py_EQ, a, b)); }

Var* Executor::unary(bytecode::Opcode op, Var* operand) {
  PyObject* (*apply)(PyObject*) = op == bytecode::Opcode::UnaryNegative   ? PyNumber_Negative
                                  : op == bytecode::Opcode::UnaryPositive ? PyNumber_Positive
                                                                          : PyNumber_Invert;
  if (TensorVar* tensor = as<TensorVar>(operand)) {
    materialize(tensor);
    locate();
    return finish_op(apply(tensor->proxy.get()), "unary operator");
  }
  if (NumberVar* number = as<NumberVar>(operand)) {
    if (op == bytecode::Opcode::UnaryNegative) return number_negative(number);
    if (op == bytecode::Opcode::UnaryPositive) return number;
  }
  const char* name = apply == PyNumber_Negative   ? "__neg__"
                     : apply == PyNumber_Positive ? "__pos__"
                                                  : "__invert__";
  if (Var* result = try_special(operand, name, {})) return result;
  PyObject* value = as_constant(operand);
  if (!value) break_here(BreakId::unknown_object, std::string(name) + " of " + describe(operand));
  return steal_constant(apply(value));
}

bool Executor::truth(Var* var) {
  switch (var->kind) {
    case Kind::null:
      break_here(BreakId::unknown_object, "truth of NULL");
    case Kind::tensor:
      break_here(BreakId::tensor_branch, describe(var));
    case Kind::number:
      return truth(number_compare(Py_NE, var, integer(0)));
    case Kind::tuple:
      return load_items(static_cast<TupleVar*>(var)), !static_cast<TupleVar*>(var)->items.empty();
    case Kind::list:
      return load_items(static_cast<ListVar*>(var)), !static_cast<ListVar*>(var)->items.empty();
    case Kind::dict:
      return dict_size(static_cast<DictVar*>(var)) != 0;
    case Kind::set:
      return static_cast<SetVar*>(var)->table.size() != 0;
    case Kind::view:
      return dict_size(static_cast<ViewVar*>(var)->dict) != 0;
    case Kind::range:
      return truth(length(var));
    case Kind::object:
      if (PyObject* set = known_set(var)) return PySet_GET_SIZE(set) > 0;
      break;
    default:
      return true;
  }
  if (is_class_instance(var)) {
    if (Var* result = try_special(var, "__bool__", {})) return truth(result);
    if (Var* result = try_special(var, "__len__", {})) return truth(result);
    PyTypeObject* type = type_of(var);
    bool plain = !(type->tp_as_number && type->tp_as_number->nb_bool) &&
                 !(type->tp_as_sequence && type->tp_as_sequence->sq_length) &&
                 !(type->tp_as_mapping && type->tp_as_mapping->mp_length);
    if (plain) return true;
  }
  PyObject* value = as_constant(var);
  if (!value) break_here(BreakId::unknown_object, "truth of " + describe(var));
  int result = PyObject_IsTrue(value);
  if (result < 0) raise_pending();
  return result;
}

bool Executor::contains(Var* container, Var* item) {
  switch (container->kind) {
    case Kind::dict:
      return dict_get(static_cast<DictVar*>(container), item) != nullptr;
    case Kind::set: {
      Table::Entry* entry = static_cast<SetVar*>(container)->table.find(key_of(item));
      return entry && entry->present;
    }
    case Kind::tensor:
      break_here(BreakId::tensor_value, "in");
    case Kind::tuple:
    case Kind::list:
    case Kind::iterator:
      break;
    default: {
      if (Var* result = try_special(container, "__contains__", {item})) return truth(result);
      PyObject* set = is_constant_like(item) ? known_set(container) : nullptr;
      if (set || (is_constant_like(container) && is_constant_like(item))) {
        int result = PySequence_Contains(set ? set : as_constant(container), as_constant(item));
        if (result < 0) raise_pending();
        return result;
      }
    }
  }
  Var* iterator = get_iterator(container);
  while (Var* other = next(iterator))
    if (same_object(other, item) || equal(other, item)) return true;
  return false;
}

}  // namespace framejit::symbolic
