// The one argument binder of all ops, driven by the parsed schemas.
//
// It takes a vectorcall's arguments and fills in the values of the first overload that they fit: positional,
// keyword and defaulted arguments, NumPy's names, one int for an int list, ints spread over positional
// arguments, out=, and the keywords that every factory understands. While a graph is traced, the symbolic
// executor calls the same op objects on wrapped symbolic tensors and SymNumbers, so traced code binds by the
// same rules.
#pragma once

#include <Python.h>

#include <new>
#include <vector>

#include "framejit/bindings/signature.h"

namespace framejit::bindings {

/// The values of one call, made on the stack: only as many slots as the op has arguments are ever touched.
class ArgValues {
 public:
  ArgValues() = default;
  ArgValues(const ArgValues&) = delete;
  ~ArgValues() { clear(); }

  /// Makes `count` empty values.
  void reset(int count) {
    clear();
    for (; count_ < count; ++count_) new (data() + count_) eager::Value();
  }
  eager::Value* data() { return reinterpret_cast<eager::Value*>(storage_); }
  eager::Value& operator[](int i) { return data()[i]; }

 private:
  void clear() {
    while (count_ > 0) data()[--count_].~Value();
  }

  int count_ = 0;
  alignas(eager::Value) unsigned char storage_[kMaxArgs * sizeof(eager::Value)];
};

struct CallArgs {
  PyObject* const* args;
  Py_ssize_t count;   ///< positional
  PyObject* kwnames;  ///< null or a tuple; their values follow the positional ones

  Py_ssize_t keyword_count() const { return kwnames ? PyTuple_GET_SIZE(kwnames) : 0; }
};

/// What a call asks for beside the op's own arguments. Objects are borrowed from the call.
struct BoundCall {
  const Signature* signature = nullptr;
  ArgValues values;
  eager::Tensor out;                ///< for the row's own `out` argument; undefined: none was given
  std::vector<eager::Tensor> outs;  ///< what the results are copied into; empty: none was given
  bool requires_grad = false;
};

/// Binds the call to the first overload that it fits. Throws TypeError (eager::Error or PythonError) when
/// there is none.
void bind(const Overloads& overloads, const CallArgs& call, BoundCall* bound);

/// As bind, for one overload; false when the call does not fit it.
bool try_bind(const Signature& signature, const CallArgs& call, BoundCall* bound);

/// Fills defaults into the values from `first` on; false when one of them has no default.
bool fill_defaults(const Signature& signature, int first, ArgValues* values);

/// As bind, for calls in the order of arguments of old programs, with a warning (old_orders.cc).
bool bind_old_order(const Overloads& overloads, const CallArgs& call, BoundCall* bound);

// bind_errors.cc
[[noreturn]] void fail_to_bind(const Overloads& overloads, const CallArgs& call);

/// Index of the keyword that names `param`, or -1.
Py_ssize_t find_keyword(const CallArgs& call, const Param& param);
/// Keywords that factories take beside their schema's.
bool is_factory_keyword(PyObject* name);

}  // namespace framejit::bindings
