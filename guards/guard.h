// Contract: guards, the conditions under which a trace may run again.
//
// Tour of guards/
//   sources.def     the table of places an object can come from: local, global, attribute, item, ...
//   guards.def      the table of guard kinds
//   guard.h         Source, Program (loads and checks), ProgramBuilder (this file)
//   source.cc       interning and printing of sources
//   load.h          how each source is loaded
//   held.cc         references that do not keep guarded objects alive; equality of constants
//   kinds.cc        per kind: the check, and the loop over a program that runs them
//   messages.cc     per kind: printed form and mismatch message
//   builder.cc      making a program
//   python_view.h   programs made and run from Python, for tests and measurements
//   tensor_access.h the hook through which guards see tensors and modes
//   collector.h     when the garbage collector has to wait
//
// A program is one flat list of loads and checks. Each load fills one slot, once; checks and graph inputs
// read slots. Running it allocates nothing, calls no Python code and leaves every slot borrowed from the
// objects it was loaded from.
#pragma once

#include <Python.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "eager/size_expr.h"
#include "eager/tensor.h"

namespace framejit::guards {

enum class SourceKind : uint8_t {
#define SOURCE(kind, printed, meaning) kind,
#include "guards/sources.def"
#undef SOURCE
};

enum class GuardKind : uint8_t {
#define GUARD(kind, meaning) kind,
#include "guards/guards.def"
#undef GUARD
};

/// Where an object came from, as a path from the frame. Interned by its SourceTable: equal paths are one
/// pointer.
struct Source {
  SourceKind kind;
  const Source* base = nullptr;   ///< null for roots
  int64_t index = 0;              ///< of a local, stack entry or item; the offset of a member
  PyObject* object = nullptr;     ///< name, key or constant; owned by the table
  PyTypeObject* owner = nullptr;  ///< of a member; owned by the table
  std::string text = {};          ///< Python text: `x`, `self.weight`, `cfg['lr']`
};

/// Owns sources. Its lifetime is that of the program made from it. Names and keys are borrowed arguments.
class SourceTable {
 public:
  SourceTable() = default;
  ~SourceTable();
  SourceTable(const SourceTable&) = delete;

  const Source* local(int index, std::string_view name);
  const Source* cell(int index, std::string_view name);
  const Source* stack(int index);
  const Source* function(std::string_view name);
  const Source* free(int index, std::string_view name);
  const Source* global(PyObject* name);
  const Source* builtin(PyObject* name);
  const Source* globals();
  const Source* constant(PyObject* object, std::string_view text);
  const Source* attribute(const Source* base, PyObject* name);
  /// `descriptor` is a member descriptor of a type (`T.slot`, `types.FunctionType.__closure__`); null if it
  /// is none or does not hold an object.
  const Source* member(const Source* base, PyObject* descriptor);
  const Source* function_code(const Source* base);
  const Source* function_defaults(const Source* base);
  const Source* function_kwdefaults(const Source* base);
  const Source* class_attribute(const Source* base, PyObject* name);
  const Source* type_attribute(const Source* base, PyObject* name);
  const Source* type_of(const Source* base);
  const Source* cell_contents(const Source* base);
  const Source* item(const Source* base, int64_t index);
  const Source* key(const Source* base, PyObject* key);

 private:
  const Source* intern(Source source, std::string_view text);
  std::multimap<size_t, std::unique_ptr<Source>> sources_;
};

/// What the loads start from; all borrowed.
struct FrameValues {
  PyObject* const* localsplus = nullptr;
  PyObject* const* stack = nullptr;
  int stack_depth = 0;
  PyObject* function = nullptr;
  PyObject* globals = nullptr;
  PyObject* builtins = nullptr;
};

/// The object now behind a source, borrowed, or null. For the tracer and for messages; a Program does the
/// same by slots.
PyObject* load(const Source* source, const FrameValues& frame);

/// Equality that a baked-in constant needs; see `constant` in guards.def.
bool constants_equal(PyObject* a, PyObject* b);
/// May `constant` guards compare it (recursively, for tuples and frozensets)?
bool is_guardable_constant(PyObject* object);

/// A reference to a guarded object that does not keep it alive where its type allows that.
class Held {
 public:
  static Held weak_if_possible(PyObject* object);
  static Held strong(PyObject* object);
  Held() = default;
  Held(Held&& other) noexcept : object_(other.object_), weak_(other.weak_) { other.object_ = nullptr; }
  Held& operator=(Held&& other) noexcept;
  ~Held() { Py_XDECREF(object_); }
  /// Borrowed; null once the object died.
  PyObject* get() const {
    if (!weak_) return object_;
    PyObject* target = reinterpret_cast<PyWeakReference*>(object_)->wr_object;
    return target == Py_None ? nullptr : target;
  }
  bool is_weak() const { return weak_; }

 private:
  PyObject* object_ = nullptr;  // the object, or a weak reference to it
  bool weak_ = false;
};

/// Which tensors a trace accepts at a slot. Plain sizes and strides must match; a symbol that is met for the
/// first time is bound to the actual size, any other expression must evaluate to it.
struct TensorPattern {
  eager::TensorMeta meta;
  bool requires_grad = false;
};

struct Guard {
  GuardKind kind;
  const Source* source = nullptr;
  const Source* other = nullptr;  ///< of `same`
  uint32_t slot = 0, other_slot = 0;
  Held object;           ///< type, object, constant or tuple of keys
  int64_t number = 0;    ///< length, version, mode word, symbol number of `int64` (-1: none)
  int32_t payload = -1;  ///< index into the program's patterns, relations or slot lists
};

/// Why a program did not apply.
struct Mismatch {
  int guard = -1;
  std::string message;     ///< "x: got size 5 at dimension 0, expected 4"
  std::string source;      ///< printed source of the value that differed; empty: none in particular
  std::vector<int> dims;   ///< the sizes that differ, when nothing else of the tensor does
  bool is_number = false;  ///< an int or float of the same type differs in value
};

class Program {
 public:
  static constexpr int kHit = -1;
  static constexpr int kMaxSymbols = 64;

  /// kHit, or the index of the first guard that fails. Fills `slots` (slot_count() entries, borrowed).
  int run(const FrameValues& frame, PyObject** slots) const;
  Mismatch explain(int failed_guard, const FrameValues& frame) const;

  uint32_t slot_count() const { return slot_count_; }
  const std::vector<Guard>& guards() const { return guards_; }
  const Source* slot_source(uint32_t slot) const { return slot_sources_[slot]; }
  std::string print(int guard) const;  ///< one guard as Python text
  std::string print() const;           ///< all, a line each
  /// A weakly held object died: no call can hit any more.
  bool is_dead() const;

 private:
  friend class ProgramBuilder;
  friend class KindTable;
  struct Operation {  // a load into `slot`, or (is_check) guard number `slot`
    bool is_check = false;
    SourceKind load = SourceKind::local;
    uint32_t slot = 0;
    uint32_t base = 0;
    int64_t index = 0;
    PyObject* object = nullptr;  // borrowed from the source table
    Py_hash_t hash = 0;
  };
  struct Context;

  std::unique_ptr<SourceTable> sources_;
  std::vector<Operation> operations_;
  std::vector<Guard> guards_;
  std::vector<TensorPattern> patterns_;
  std::vector<eager::SizeGuard> relations_;
  std::vector<std::vector<uint32_t>> slot_lists_;
  std::vector<const Source*> slot_sources_;
  uint32_t slot_count_ = 0;
};

/// Collects guards while a trace is made. Adding a guard twice adds it once; a value's guard implies its
/// type's.
class ProgramBuilder {
 public:
  ProgramBuilder();
  SourceTable& sources() { return *program_->sources_; }
  /// The slot that holds this source's object; loads it (and what it hangs on) where it was not yet.
  uint32_t slot(const Source* source);

  void type(const Source* source, PyTypeObject* type);
  void identity(const Source* source, PyObject* object);
  void constant(const Source* source, PyObject* value);
  void absent(const Source* source);
  void length(const Source* source, int64_t length);
  void keys(const Source* source, PyObject* container);  ///< those that the dict or set has now
  void int64(const Source* source, int symbol = -1);
  void tensor(const Source* source, TensorPattern pattern);
  void size_relations(const std::vector<eager::SizeGuard>& relations);
  void same(const Source* a, const Source* b);
  void distinct(const std::vector<const Source*>& sources);
  void global_state();  ///< as it is now

  /// For rolling a speculative part of a trace back: guards added since the mark go (slots stay).
  size_t mark() const { return program_->guards_.size(); }
  void rollback(size_t mark);

  /// Size relations are checked last, when all symbols are bound. The builder is empty afterwards.
  std::shared_ptr<const Program> finish();

 private:
  Guard& add(GuardKind kind, const Source* source);
  bool seen(GuardKind kind, const Source* source) const;
  std::unique_ptr<Program> program_;
  std::map<const Source*, uint32_t> slots_;
  std::set<std::pair<GuardKind, const Source*>> guarded_;
  std::vector<eager::SizeGuard> relations_;
};

}  // namespace framejit::guards
