// Contract: parsed op signatures, "add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eager/value.h"

namespace framejit::eager {

enum class ArgType : uint8_t {
  tensor,  // Tensor      (a Python number is accepted where the row says `wrap = true`, and becomes a 0-dim
           // tensor)
  optional_tensor,       // Tensor?
  tensor_list,           // Tensor[]
  optional_tensor_list,  // Tensor?[]
  integer,               // int
  integer_list,          // int[], int[1] (accepts one int), int[]? ...
  real,                  // float
  boolean,               // bool
  scalar,                // Scalar: int, float or bool
  string,                // str
  dtype,                 // ScalarType
  device,                // Device
  generator,             // Generator
  real_list,             // float[]
  bool_list,             // bool[]
};

struct SchemaArg {
  std::string name;
  ArgType type;
  bool optional = false;  ///< `?`: None is allowed
  bool kw_only = false;
  bool mutated = false;  ///< `Tensor(a!)`: written by the op
  bool aliased = false;  ///< `Tensor(a)`: the result is a view of it
  int list_size = 0;     ///< of `int[2]`: one int is accepted and repeated
  std::optional<Value> default_value;
};

struct Schema {
  std::string name;      ///< "sum"
  std::string overload;  ///< "dim" of "sum.dim"; empty for the first
  std::vector<SchemaArg> args;
  int result_count =
      1;  ///< 0, 1 or more tensors (or one `Scalar`/`bool` for data-dependent ops such as item)
  bool returns_list = false;              ///< Tensor[]: results[0] is a tensor_list
  bool returns_number = false;            ///< Scalar or bool: results[0] is a Python number
  std::vector<std::string> result_names;  ///< named results make a named tuple: (values, indices)

  /// Raises Error(value) with the position on a malformed text.
  FRAMEJIT_API static Schema parse(const std::string& text);
  FRAMEJIT_API std::string str() const;
  int find(const std::string& arg_name) const;  ///< -1 when there is none
};

}  // namespace framejit::eager
