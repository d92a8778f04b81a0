// Contract: what is a tensor and which callable is which op. symbolic/ asks this table and nothing else, so
// that NumPy arrays and torch tensors can follow. framejit/bindings implements it for our own types.
//
// How ops are traced: the executor wraps symbolic tensors and symbolic numbers as Python objects (`wrap`),
// calls the *real* callable on them, and unwraps what comes back. Argument parsing, overloads, indexing and
// operator protocols are therefore those of eager code; the dispatcher sees symbolic tensors and records.
#pragma once

#include <Python.h>

#include "eager/value.h"
#include "symbolic/breaks.h"

namespace framejit::symbolic {

/// What the executor may do with a callable that is not a Python function.
enum class CallableRole : uint8_t {
  unknown,          ///< nothing is known: a break when called on anything traced
  op,               ///< an op, or a C function that only calls ops: may be called on wrapped symbolic values
  data,             ///< needs the data of a tensor: break `break_id`
  grad_mode_query,  ///< is_grad_enabled()
  grad_mode_set,    ///< set_grad_enabled(bool) and the like, as a plain function without result
  autocast_query,   ///< reads autocast, as a constant
  autocast_set,     ///< sets autocast, from constants
  is_compiling,     ///< constant True while tracing
  disabled,         ///< marked with compiler.disable
};

struct CallableInfo {
  CallableRole role = CallableRole::unknown;
  BreakId break_id = BreakId::unknown_call;  ///< of data
};

class FrontEnd {
 public:
  virtual ~FrontEnd() = default;

  /// Instances of `type` (exact or a subclass whose traced behaviour is that of a tensor, such as Parameter)
  /// are tensors.
  virtual bool is_tensor_type(PyTypeObject* type) const = 0;
  /// The tensor behind an object of a tensor type. `object` is borrowed.
  virtual eager::Tensor unwrap(PyObject* object) const = 0;
  /// New reference: a Python object for a tensor (symbolic or real), of class `type` (null: the plain one).
  virtual PyObject* wrap(const eager::Tensor& tensor, PyTypeObject* type) const = 0;

  /// `callable` is borrowed: a builtin function, a method descriptor, a type or any other non-Python
  /// callable.
  virtual CallableInfo classify(PyObject* callable) const = 0;
  /// May `name` of a tensor be read from a wrapped symbolic tensor (shape, dtype, ndim, T, ...)? False: a
  /// break.
  virtual bool is_traceable_attribute(PyTypeObject* type, PyObject* name) const = 0;

  /// New reference: an object that the op argument binders take as a Python number. `number` is a symbolic
  /// int or a scalar node. Its type is private: the executor never lets it out of the trace.
  virtual PyObject* wrap_number(const eager::Value& number) const = 0;
  /// True and the value when `object` is one of those.
  virtual bool unwrap_number(PyObject* object, eager::Value* number) const = 0;

  /// Sets the Python exception for the C++ exception that is being handled.
  virtual void set_error() const = 0;

  /// Immutable values with value equality that may be baked into a trace: dtype, device, ...
  virtual bool is_constant_type(PyTypeObject* type) const = 0;
};

/// The front end of this process; framejit/bindings sets it at import. Null before that.
const FrontEnd* default_front_end();
void set_default_front_end(const FrontEnd* front_end);

}  // namespace framejit::symbolic
