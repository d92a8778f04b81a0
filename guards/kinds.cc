// The check of every guard kind. Checks see borrowed objects, allocate nothing and run no Python code.
#include "guards/kinds.h"

#include <alloca.h>

#include "guards/load.h"
#include "guards/tensor_access.h"

namespace framejit::guards {
namespace {

using Context = KindTable::Context;

TensorAccess& installed_access() {
  static TensorAccess access{[](PyObject*) -> const eager::TensorImpl* { return nullptr; },
                             []() -> uint64_t { return 0; }, [](uint64_t) { return "default modes"; }};
  return access;
}

// A size symbol met for the first time takes the actual size; sizes 0 and 1 are never symbolic.
bool match_size(Context& c, eager::SymInt expected, int64_t actual) {
  if (!expected.is_symbolic()) return expected.bits() == actual;
  const eager::SizeExpr* expr = expected.expr();
  if (expr->kind == eager::SizeExpr::Kind::symbol) {
    uint64_t bit = uint64_t(1) << expr->value;
    if (c.bound & bit) return c.symbols[expr->value] == actual;
    c.bound |= bit;
    c.symbols[expr->value] = actual;
    return actual >= 2;
  }
  return expr->evaluate(c.symbols) == actual;
}

bool match_sizes(Context& c, const eager::Dims& expected, const eager::Dims& actual) {
  for (int i = 0; i < expected.size(); ++i)
    if (!match_size(c, expected.sym(i), actual[i])) return false;
  return true;
}

bool check_absent(const Guard& g, Context& c) { return !c.object(g); }

bool check_type(const Guard& g, Context& c) {
  return reinterpret_cast<PyObject*>(Py_TYPE(c.object(g))) == g.object.get();
}
bool check_identity(const Guard& g, Context& c) { return c.object(g) == g.object.get(); }
bool check_constant(const Guard& g, Context& c) { return constants_equal(c.object(g), g.object.get()); }

}  // namespace

int64_t KindTable::length_of(PyObject* o) {
  if (PyTuple_Check(o)) return PyTuple_GET_SIZE(o);
  if (PyList_Check(o)) return PyList_GET_SIZE(o);
  if (PyDict_Check(o)) return PyDict_GET_SIZE(o);
  if (PyAnySet_Check(o)) return PySet_GET_SIZE(o);
  return -1;
}
namespace {

bool check_length(const Guard& g, Context& c) { return KindTable::length_of(c.object(g)) == g.number; }

bool has_elements(PyObject* set, PyObject* expected) {
  PyObject* iterator = PySet_GET_SIZE(set) == PyTuple_GET_SIZE(expected) ? PyObject_GetIter(set) : nullptr;
  bool equal = iterator != nullptr;
  for (Py_ssize_t i = 0; PyObject* item = equal ? PyIter_Next(iterator) : nullptr; ++i) {
    equal = constants_equal(item, PyTuple_GET_ITEM(expected, i));
    Py_DECREF(item);
  }
  Py_XDECREF(iterator);
  return equal;
}

bool check_keys(const Guard& g, Context& c) {
  PyObject *dict = c.object(g), *expected = g.object.get(), *key;
  if (PyAnySet_CheckExact(dict)) return has_elements(dict, expected);
  if (!PyDict_Check(dict) || PyDict_GET_SIZE(dict) != PyTuple_GET_SIZE(expected)) return false;
  Py_ssize_t position = 0, i = 0;
  while (PyDict_Next(dict, &position, &key, nullptr))
    if (!constants_equal(key, PyTuple_GET_ITEM(expected, i++))) return false;
  return true;
}

bool check_int64(const Guard& g, Context& c) {
  PyObject* object = c.object(g);
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow) return false;
  if (g.number >= 0) {  // any value: unlike a size, an int input is not specialised for 0 and 1
    c.bound |= uint64_t(1) << g.number;
    c.symbols[g.number] = value;
  }
  return true;
}

bool check_tensor(const Guard& g, Context& c) {
  const eager::TensorImpl* actual = installed_access().peek(c.object(g));
  if (!actual) return false;
  const TensorPattern& expected = KindTable::pattern(g, c.program);
  return actual->meta.dtype == expected.meta.dtype && actual->meta.device == expected.meta.device &&
         actual->requires_grad == expected.requires_grad &&
         actual->meta.sizes.size() == expected.meta.sizes.size() &&
         match_sizes(c, expected.meta.sizes, actual->meta.sizes) &&
         match_sizes(c, expected.meta.strides, actual->meta.strides);
}

bool check_size_relation(const Guard& g, Context& c) {
  return KindTable::relation(g, c.program).holds(c.symbols);
}

bool check_same(const Guard& g, Context& c) { return c.object(g) == c.slots[g.other_slot]; }

// What must not coincide: the memory of tensors, the identity of other objects.
const void* aliasing_key(PyObject* object) {
  const eager::TensorImpl* tensor = object ? installed_access().peek(object) : nullptr;
  return tensor && tensor->storage ? static_cast<const void*>(tensor->storage.get()) : object;
}

// A hash set on the C stack: whole modules have hundreds of parameters, so pairs would be too many.
bool check_distinct(const Guard& g, Context& c) {
  const std::vector<uint32_t>& slots = KindTable::slot_list(g, c.program);
  size_t capacity = 4;
  while (capacity < 2 * slots.size()) capacity *= 2;
  auto** seen = static_cast<const void**>(alloca(capacity * sizeof(void*)));
  for (size_t i = 0; i < capacity; ++i) seen[i] = nullptr;
  for (uint32_t slot : slots) {
    const void* key = aliasing_key(c.slots[slot]);
    size_t at = (reinterpret_cast<size_t>(key) >> 4) * 0x9E3779B97F4A7C15u >> 20 & (capacity - 1);
    for (; seen[at]; at = (at + 1) & (capacity - 1))
      if (seen[at] == key) return false;
    seen[at] = key;
  }
  return true;
}

bool check_global_state(const Guard& g, Context&) {
  return static_cast<int64_t>(installed_access().global_state()) == g.number;
}

// Kinds that look at no object, or that want nothing to be there.
bool needs_object(GuardKind kind) {
  return kind != GuardKind::absent && kind != GuardKind::size_relation && kind != GuardKind::distinct &&
         kind != GuardKind::global_state;
}

}  // namespace

const TensorAccess& tensor_access() { return installed_access(); }
void set_tensor_access(const TensorAccess& access) { installed_access() = access; }

bool KindTable::check(const Guard& guard, Context& context) {
  if (needs_object(guard.kind) && !context.object(guard)) return false;
  switch (guard.kind) {
#define GUARD(kind, meaning) \
  case GuardKind::kind:      \
    return check_##kind(guard, context);
#include "guards/guards.def"
#undef GUARD
  }
  return false;
}

int Program::run(const FrameValues& frame, PyObject** slots) const {
  Context context(*this, slots);
  for (const Operation& op : operations_) {
    if (!op.is_check)
      slots[op.slot] = load_one(op.load, slots[op.base], op.index, op.object, op.hash, frame);
    else if (!KindTable::check(guards_[op.slot], context)) [[unlikely]]
      return static_cast<int>(op.slot);
  }
  return kHit;
}

}  // namespace framejit::guards
