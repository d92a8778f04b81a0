// The models of builtins: how each is traced. A builtin without a row is folded when it is pure and its
// arguments are constants, recorded when the front end calls it an op, and a break otherwise.
#pragma once

#include <Python.h>

#include <string>

namespace framejit::symbolic {

class Executor;
class Var;
struct CallArgs;

using Builtin = Var* (*)(Executor& executor, const CallArgs& args);

/// "list.append" of a module, null where there is none; lives as long as the process.
PyObject* resolve_builtin(const char* module, const char* path);
/// The model of `callable` (a builtin function, a type, a method descriptor), or null.
Builtin find_builtin(PyObject* callable);
/// May it be called while tracing, on constants: no effects, same result each time?
bool is_pure(PyObject* callable);
/// print and the like: for the choice of the break's reason only.
bool is_output(PyObject* callable);

/// One row of a table of models.
struct BuiltinRow {
  const char* module;  ///< "builtins", "math", ...
  const char* path;    ///< "len", "list.append"
  Builtin model;
};
/// The tables; each ends with a row of nulls.
extern const BuiltinRow kFunctionModels[];
extern const BuiltinRow kTypeModels[];
extern const BuiltinRow kListModels[];
extern const BuiltinRow kDictModels[];
extern const BuiltinRow kSetModels[];
extern const BuiltinRow kObjectModels[];
extern const BuiltinRow kOperatorModels[];
extern const BuiltinRow kGeneratorModels[];

/// The function written in Python that is traced in place of `callable`, or null: see
/// framejit/compiler/in_python.py. Borrowed.
PyObject* find_in_python(PyObject* callable);
/// Numbers of NumPy, which never change, and its functions of them, which are pure.
bool is_numpy_scalar(PyTypeObject* type);
bool is_numpy_ufunc(PyTypeObject* type);

/// Are these the globals of that module? Its functions and objects stand for others and stay in the trace.
bool is_in_python(PyObject* globals);

}  // namespace framejit::symbolic
