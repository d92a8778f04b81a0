// The overloads of one op name as Python calls them, made once from the parsed schemas of the op table.
#pragma once

#include <Python.h>

#include <span>
#include <string>
#include <vector>

#include "eager/op.h"

namespace framejit::bindings {

/// Upper bound of the arguments of a row; `make_overloads` checks it.
inline constexpr int kMaxArgs = 24;

struct Param {
  const eager::SchemaArg* arg;
  PyObject* name;                  ///< interned; "input" for a row's `self`, as in PyTorch
  std::vector<PyObject*> aliases;  ///< NumPy's names: axis, keepdims, x, ...
  bool wraps_number;               ///< a Tensor operand for which a Python number may stand
};

struct Signature {
  const eager::Op* op = nullptr;
  std::vector<Param> params;
  int positional = 0;      ///< the first so many may be given by position
  bool is_method = false;  ///< params[0] is the object the method is called on
  /// The last positional parameter may be given as several: the only one is an int[] (`x.view(2, 3)` means
  /// `x.view((2, 3))`), or it is a Tensor[] (`einsum('i,i', a, b)`).
  bool spreads_last = false;
  const eager::Op* out_op = nullptr;  ///< the derived row that takes `out` as one more argument; null: none
  /// `out=` of a function without such a row: the results are copied into the tensors given.
  bool copies_to_out = false;
  /// The argument that says what the results are made of, and `out` says if it does not; -1: none.
  int dtype_from_out = -1;
  /// Makes a tensor from no data: requires_grad=, layout=, pin_memory= and memory_format= are understood.
  bool is_factory = false;
};

struct Overloads {
  std::string name;
  bool is_method = false;
  std::vector<Signature> signatures;  ///< in the order in which they are tried
};

/// Of a name of the op table, seen as function or as method. Rows that are not visible in that form are left
/// out. Lives for ever; null when no row is left.
const Overloads* make_overloads(const std::string& name, bool is_method);
/// Of the rows given.
const Overloads* make_overloads(const std::string& name, std::span<const eager::Op* const> ops,
                                bool is_method);

/// "(Tensor input, int[1] dim, bool keepdim = False, *, dtype dtype = None)", as TypeErrors show it.
std::string signature_text(const Signature& signature);
/// "Tensor", "tuple of ints", ...: what PyTorch calls an argument type in messages.
std::string type_text(const eager::SchemaArg& arg);

/// Every name under which the op table has rows, aliases included; sorted.
std::vector<std::string> op_names();

}  // namespace framejit::bindings
