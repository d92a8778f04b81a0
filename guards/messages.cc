// The printed form and the mismatch message of every guard kind. Cold code: it may allocate and call repr of
// constants, functions and classes, but no user code: that could change what is being explained.
#include "guards/collector.h"
#include "guards/kinds.h"
#include "guards/load.h"
#include "guards/tensor_access.h"

namespace framejit::guards {
namespace {

using Context = KindTable::Context;

std::string text_of(PyObject* object) {
  if (!object) return "nothing";
  const Held kept = Held::strong(object);  // where it is held weakly, other threads may drop it
  PyObject* repr = PyObject_Repr(object);
  const char* utf8 = repr ? PyUnicode_AsUTF8(repr) : nullptr;
  std::string text = utf8 ? utf8 : "<unprintable>";
  Py_XDECREF(repr);
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();  // not lost: it comes again
  PyErr_Clear();
  constexpr size_t kLongest = 80;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

std::string class_name(PyObject* type) {
  return type ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "<a class that died>";
}

// Objects of unknown classes are named by class, since their repr may run user code: that of a class with a
// metaclass, and of a module, which asks its loader.
std::string identity_text(PyObject* object) {
  if (!object) return "<an object that died>";
  if (PyModule_CheckExact(object)) {
    const char* name = PyModule_GetName(object);
    PyErr_Clear();
    return std::string("<module '") + (name ? name : "?") + "'>";
  }
  bool plain = PyFunction_Check(object) || PyCFunction_Check(object) ||
               (PyType_Check(object) && Py_TYPE(object)->tp_repr == PyType_Type.tp_repr);
  return plain || is_guardable_constant(object) ? text_of(object)
                                                : "<this " + class_name((PyObject*)Py_TYPE(object)) + ">";
}

std::string value_text(PyObject* object) {
  if (!object) return "nothing";
  return is_guardable_constant(object) ? text_of(object) : "a " + class_name((PyObject*)Py_TYPE(object));
}

std::string tensor_text(const eager::TensorMeta& meta, bool requires_grad) {
  return std::string(eager::dtype_name(meta.dtype)) + eager::sizes_text(meta.sizes) + " strides " +
         eager::sizes_text(meta.strides) + " on " + eager::device_name(meta.device) +
         (requires_grad ? " requires_grad" : "");
}

std::string sources_text(const Guard& g, const Program& p) {
  std::string text;
  for (uint32_t slot : KindTable::slot_list(g, p))
    text += (text.empty() ? "" : ", ") + KindTable::slot_source(slot, p)->text;
  return text;
}

// --- printed forms
// ----------------------------------------------------------------------------------------------------
std::string print_type(const Guard& g, const Program&) {
  return "type(" + g.source->text + ") is " + class_name(g.object.get());
}
std::string print_identity(const Guard& g, const Program&) {
  return g.source->text + " is " + identity_text(g.object.get());
}
std::string print_constant(const Guard& g, const Program&) {
  PyObject* value = g.object.get();
  bool singleton = value == Py_None || PyBool_Check(value) || value == Py_Ellipsis;
  return g.source->text + (singleton ? " is " : " == ") + text_of(value);
}
std::string print_absent(const Guard& g, const Program&) { return g.source->text + " is not set"; }
std::string print_length(const Guard& g, const Program&) {
  return "len(" + g.source->text + ") == " + std::to_string(g.number);
}
std::string print_keys(const Guard& g, const Program&) {
  return "tuple(" + g.source->text + ") == " + text_of(g.object.get());
}
std::string print_int64(const Guard& g, const Program&) {
  std::string text = "-2**63 <= " + g.source->text + " < 2**63";
  return g.number < 0 ? text : text + "  # s" + std::to_string(g.number);
}
std::string print_tensor(const Guard& g, const Program& p) {
  const TensorPattern& pattern = KindTable::pattern(g, p);
  return g.source->text + " is " + tensor_text(pattern.meta, pattern.requires_grad);
}
std::string print_size_relation(const Guard& g, const Program& p) { return KindTable::relation(g, p).str(); }
std::string print_same(const Guard& g, const Program&) { return g.source->text + " is " + g.other->text; }
std::string print_distinct(const Guard& g, const Program& p) {
  return "distinct(" + sources_text(g, p) + ")";
}
std::string print_global_state(const Guard& g, const Program&) {
  return tensor_access().describe_global_state(static_cast<uint64_t>(g.number));
}

// --- mismatches
// -------------------------------------------------------------------------------------------------------
void differs(Mismatch& m, const Guard& g, const std::string& got, const std::string& expected) {
  m.source = g.source->text;
  m.message = g.source->text + ": got " + got + ", expected " + expected;
}

void mismatch_type(const Guard& g, Context& c, Mismatch& m) {
  PyObject* object = c.object(g);
  differs(m, g, object ? class_name((PyObject*)Py_TYPE(object)) : "nothing", class_name(g.object.get()));
}
void mismatch_identity(const Guard& g, Context& c, Mismatch& m) {
  PyObject* object = c.object(g);
  const std::string got = object ? identity_text(object) + " (another object)" : "nothing";
  differs(m, g, got, identity_text(g.object.get()));
}
void mismatch_constant(const Guard& g, Context& c, Mismatch& m) {
  PyObject *got = c.object(g), *expected = g.object.get();
  differs(m, g, value_text(got), text_of(expected));
  bool number = PyLong_CheckExact(expected) || PyFloat_CheckExact(expected);
  m.is_number = number && got && Py_TYPE(got) == Py_TYPE(expected);
}
void mismatch_absent(const Guard& g, Context& c, Mismatch& m) {
  differs(m, g, value_text(c.object(g)), "nothing");
}
void mismatch_length(const Guard& g, Context& c, Mismatch& m) {
  PyObject* object = c.object(g);
  int64_t size = object ? KindTable::length_of(object) : -1;
  differs(m, g, size < 0 ? value_text(object) : std::to_string(size) + " elements",
          std::to_string(g.number) + " elements");
}
void mismatch_keys(const Guard& g, Context& c, Mismatch& m) {
  differs(m, g, "other keys, or in another order", "the keys " + text_of(g.object.get()));
  if (!c.object(g)) differs(m, g, "nothing", "a dict or set");
}
void mismatch_int64(const Guard& g, Context& c, Mismatch& m) {
  differs(m, g, value_text(c.object(g)), "an int of 64 bits");
}

void mismatch_tensor(const Guard& g, Context& c, Mismatch& m) {
  const TensorPattern& expected = KindTable::pattern(g, c.program);
  PyObject* object = c.object(g);
  const eager::TensorImpl* actual = object ? tensor_access().peek(object) : nullptr;
  if (!actual) return differs(m, g, value_text(object), "a tensor");
  differs(m, g, tensor_text(actual->meta, actual->requires_grad),
          tensor_text(expected.meta, expected.requires_grad));
  if (actual->meta.dtype != expected.meta.dtype || !(actual->meta.device == expected.meta.device) ||
      actual->requires_grad != expected.requires_grad ||
      actual->meta.sizes.size() != expected.meta.sizes.size())
    return;
  for (int i = 0; i < actual->meta.sizes.size(); ++i) {
    eager::SymInt size = expected.meta.sizes.sym(i);
    if (!size.is_symbolic() && size.bits() != actual->meta.sizes[i]) m.dims.push_back(i);
  }
}

void mismatch_size_relation(const Guard& g, Context& c, Mismatch& m) {
  const eager::SizeGuard& relation = KindTable::relation(g, c.program);
  m.message = "sizes: got " + std::to_string(relation.left->evaluate(c.symbols)) + " and " +
              std::to_string(relation.right->evaluate(c.symbols)) + ", expected " + relation.str();
}
void mismatch_same(const Guard& g, Context&, Mismatch& m) {
  m.source = g.source->text;
  m.message = g.source->text + " and " + g.other->text + ": got two objects, expected one";
}
void mismatch_distinct(const Guard& g, Context& c, Mismatch& m) {
  m.message = "got two of " + sources_text(g, c.program) + " sharing memory, expected none to";
}
void mismatch_global_state(const Guard& g, Context&, Mismatch& m) {
  std::string expected = tensor_access().describe_global_state(static_cast<uint64_t>(g.number));
  std::string got = tensor_access().describe_global_state(tensor_access().global_state());
  m.message = "modes: got " + got + ", expected " + expected;
}

/// What has been loaded stays alive while it is described: handlers of signals may run meanwhile
/// (since 3.12).
class HeldSlots {
 public:
  explicit HeldSlots(const std::vector<PyObject*>& slots) : slots_(slots) {}
  ~HeldSlots() {
    for (PyObject* object : slots_) Py_XDECREF(object);
  }
  HeldSlots(const HeldSlots&) = delete;

 private:
  const std::vector<PyObject*>& slots_;
};

}  // namespace

std::string KindTable::print(const Guard& guard, const Program& program) {
  switch (guard.kind) {
#define GUARD(kind, meaning) \
  case GuardKind::kind:      \
    return print_##kind(guard, program);
#include "guards/guards.def"
#undef GUARD
  }
  return {};
}

void KindTable::explain(const Guard& guard, Context& context, Mismatch& mismatch) {
  switch (guard.kind) {
#define GUARD(kind, meaning) \
  case GuardKind::kind:      \
    return mismatch_##kind(guard, context, mismatch);
#include "guards/guards.def"
#undef GUARD
  }
}

Mismatch Program::explain(int failed_guard, const FrameValues& frame) const {
  const CollectorPaused paused;
  std::vector<PyObject*> slots(slot_count_ + 1);
  const HeldSlots held(slots);
  Context context(*this, slots.data());
  for (const Operation& op : operations_) {
    if (!op.is_check)
      slots[op.slot] = Py_XNewRef(load_one(op.load, slots[op.base], op.index, op.object, op.hash, frame));
    else if (static_cast<int>(op.slot) == failed_guard)
      break;
    else
      KindTable::check(guards_[op.slot], context);  // binds size symbols
  }
  Mismatch mismatch;
  mismatch.guard = failed_guard;
  KindTable::explain(guards_[failed_guard], context, mismatch);
  return mismatch;
}

std::string Program::print(int guard) const { return KindTable::print(guards_[guard], *this); }

std::string Program::print() const {
  std::string text;
  for (size_t i = 0; i < guards_.size(); ++i) text += print(static_cast<int>(i)) + "\n";
  return text;
}

bool Program::is_dead() const {
  for (const Guard& guard : guards_)
    if (guard.object.is_weak() && !guard.object.get()) return true;
  return false;
}

}  // namespace framejit::guards
