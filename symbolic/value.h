// Abstract values: what the executor knows of each Python object while it traces.
//
// A Var stands for one Python object, so identity is pointer identity. It is *existing* (`real` is the
// object; `source` says where a later call finds it, null when the trace holds the object itself) or *new*
// (made by the traced code). What is read of an existing object is read once, guarded, and kept in the Var;
// writes change only the Var and are logged (Executor::effect) for the epilogue.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "eager/value.h"
#include "guards/guard.h"
#include "symbolic/py_ref.h"
#include "symbolic/trace.h"

namespace framejit::symbolic {

using guards::Source;

enum class Kind : uint8_t {
  null,    ///< the NULL of the call protocol, an unbound local
  object,  ///< a constant, or an existing object or a new instance of a Python class
  number,  ///< an int, float or bool whose value is an input of the trace
  tensor,
  tuple,  ///< also named tuples and torch.Size-like classes
  list,
  dict,
  set,
  slice,
  range,  ///< a range over numbers of which one is not a constant
  function,
  cell,
  method,
  iterator,
  view,  ///< keys(), values() or items() of a dict
  super,
  partial,
  exception,
  traceback,  ///< what __exit__ is given: it can be passed on and compared with None
};

class Var {
 public:
  Var(const Var&) = delete;
  Var& operator=(const Var&) = delete;
  virtual ~Var() = default;

  bool existing() const { return bool(real); }

  const Kind kind;
  PyRef real;  ///< the existing object or the constant; of a number: the hint
  const Source* source = nullptr;
  bool type_guarded = false;
  /// Made by tracing behind this functools.lru_cache, whose function would give the same object each time: it
  /// must not be changed, compared by identity or leave the trace.
  PyObject* cache = nullptr;
  int birth = 0;  ///< the root step during which it was made; see Executor::cut_before

 protected:
  explicit Var(Kind k) : kind(k) {}
};

/// The Var as a T, or null when it is of another kind.
template <class T>
T* as(Var* var) {
  return var && var->kind == T::kKind ? static_cast<T*>(var) : nullptr;
}

template <Kind K>
class VarOf : public Var {
 public:
  static constexpr Kind kKind = K;

 protected:
  VarOf() : Var(K) {}
};

class NullVar : public VarOf<Kind::null> {};

/// Attributes in order of first store. A null value: deleted, or known to be missing.
class Attributes {
 public:
  Var** find(PyObject* name);
  void set(PyObject* name, Var* value);
  const std::vector<std::pair<PyRef, Var*>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<PyRef, Var*>> entries_;
};

class DictVar;

/// Anything with no closer model. `constant`: which object it is can be relied on (it is in the code, or
/// guarded).
class ObjectVar : public VarOf<Kind::object> {
 public:
  bool constant = false;
  PyTypeObject* type = nullptr;  ///< of a new instance (pinned by the trace); null for existing ones
  Attributes attributes;         ///< read or written so far (the instance dict or slots)
  DictVar* dict_view = nullptr;  ///< its __dict__, once asked for
};

class NumberVar : public VarOf<Kind::number> {
 public:
  PyTypeObject* type = nullptr;  ///< int, float or bool
  Reg reg = kNoReg;              ///< where the prelude has it
  eager::Value graph_value;      ///< once an op used it: the graph's input; of sizes: the SymInt it is
  bool is_size = false;          ///< made from sizes: no prelude register
  bool specialized = false;      ///< guarded equal to the hint
  int op = 0;                    ///< what the prelude computes: left <op> right
  Var *left = nullptr, *right = nullptr;
};

class TensorVar : public VarOf<Kind::tensor> {
 public:
  eager::Tensor tensor;  ///< symbolic; undefined until an op needs it (existing tensors)
  PyRef proxy;           ///< the Python object that wraps `tensor`, given to op callables
  PyTypeObject* type = nullptr;
  Attributes attributes;  ///< set by user code
  bool written = false;   ///< changed in place
  bool gone = false;      ///< of a backward that was traced: its node is no longer in the graph
};

class TupleVar : public VarOf<Kind::tuple> {
 public:
  PyTypeObject* type = &PyTuple_Type;
  std::vector<Var*> items;
  bool loaded = true;  ///< false: existing and not read yet
};

class ListVar : public VarOf<Kind::list> {
 public:
  std::vector<Var*> items;  ///< all of them when loaded, else those appended
  bool loaded = true;
  bool assigned = false;  ///< existing, changed by more than appends: the epilogue stores all items
};

/// A key as dicts compare it: constants by value, other objects by identity.
struct Key {
  Py_hash_t hash;
  PyObject* value;  ///< a constant, borrowed from `var`; null: identity
  Var* var;
  friend bool operator==(const Key& a, const Key& b);
};
struct KeyHash {
  size_t operator()(const Key& key) const { return size_t(key.hash); }
};

/// An insertion-ordered table, for dicts and sets. Values are null for sets and for dict keys known to be
/// absent.
class Table {
 public:
  struct Entry {
    Key key;
    Var* value;
    bool present;
  };
  Entry* find(const Key& key);
  void set(const Key& key, Var* value);
  bool erase(const Key& key);
  void mark_absent(const Key& key);
  void clear();
  size_t size() const { return size_; }
  /// Present entries in order.
  std::vector<Entry> entries() const;

 private:
  std::vector<Entry> entries_;
  std::unordered_map<Key, size_t, KeyHash> index_;
  size_t size_ = 0;
};

class DictVar : public VarOf<Kind::dict> {
 public:
  Table table;
  PyTypeObject* type = &PyDict_Type;  ///< or OrderedDict, defaultdict
  Var* factory = nullptr;             ///< of a defaultdict
  bool loaded = true;  ///< false: existing, only some keys have been read (absent ones are entries that are
                       ///< not present)
  ObjectVar* view_of =
      nullptr;           ///< the __dict__ of this object: entries are its attributes, `table` is unused
  bool cleared = false;  ///< existing and emptied by the trace: the real object is not consulted any more
  bool written = false;
};

class SetVar : public VarOf<Kind::set> {
 public:
  Table table;
  PyTypeObject* type = &PySet_Type;  ///< or frozenset
};

class SliceVar : public VarOf<Kind::slice> {
 public:
  Var* parts[3];
};

class RangeVar : public VarOf<Kind::range> {
 public:
  Var* parts[3];
};

class FunctionVar : public VarOf<Kind::function> {
 public:
  PyRef code;
  DictVar* globals = nullptr;
  std::vector<Var*> defaults;  ///< positional, right-aligned
  Var* kw_defaults = nullptr;  ///< a DictVar, or null
  Var* annotations = nullptr;
  std::vector<Var*> closure;  ///< cells
  PyRef qualified_name;
  Attributes attributes;   ///< set by user code
  Var* wrapped = nullptr;  ///< new, and made to look like this one by functools.update_wrapper
  bool opened = false;     ///< existing: closure and defaults have been read
};

class CellVar : public VarOf<Kind::cell> {
 public:
  Var* contents = nullptr;  ///< null: empty
  bool loaded = true;
};

class MethodVar : public VarOf<Kind::method> {
 public:
  Var* function = nullptr;
  Var* self = nullptr;
};

class SuperVar : public VarOf<Kind::super> {
 public:
  PyTypeObject* after = nullptr;  ///< lookup starts behind this class in the MRO
  Var* self = nullptr;
  bool self_is_class = false;  ///< in a class method
};

class TracebackVar : public VarOf<Kind::traceback> {};

class PartialVar : public VarOf<Kind::partial> {
 public:
  Var* function = nullptr;
  std::vector<Var*> args;
  std::vector<std::pair<PyRef, Var*>> keywords;
};

struct Frame;

class IteratorVar : public VarOf<Kind::iterator> {
 public:
  enum class Form : uint8_t {
    sequence,
    constant,
    range,
    reversed,
    enumerate,
    zip,
    map,
    filter,
    keys,
    values,
    items,
    generator
  };
  Form form = Form::sequence;
  Var* over = nullptr;      ///< the tuple, list, dict or range
  int64_t index = 0;        ///< items given so far
  std::vector<Var*> inner;  ///< iterators of enumerate, zip, map, filter
  Var* function = nullptr;  ///< of map and filter
  int64_t start = 0;        ///< of enumerate
  bool strict = false;      ///< of zip
  bool exhausted = false;
  std::vector<Table::Entry> snapshot;  ///< of a dict or set, at the time of iter()
  Frame* frame = nullptr;              ///< of a generator
  Var* returned = nullptr;             ///< by a generator that has ended
};

class ViewVar : public VarOf<Kind::view> {
 public:
  DictVar* dict = nullptr;
  IteratorVar::Form form = IteratorVar::Form::keys;
};

/// An exception made by the traced code or by folding a builtin.
class ExceptionVar : public VarOf<Kind::exception> {
 public:
  PyTypeObject* type = nullptr;
  Var* args = nullptr;  ///< a TupleVar
  Var* cause = nullptr;
  Attributes attributes;
  BreakRecord record;    ///< the place that made it, for reports
  int raised_step = -1;  ///< the root step during which it was raised and caught
};

}  // namespace framejit::symbolic
