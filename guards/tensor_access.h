// Contract: how guards see tensors and modes. framejit/bindings installs it at import; until
// then nothing is a tensor. Plain function pointers, since a guard costs a few nanoseconds in all.
#pragma once

#include <Python.h>

#include <cstdint>

#include "eager/tensor.h"

namespace framejit::guards {

struct TensorAccess {
  /// The tensor inside an object whose exact type a `type` guard has already checked to be a tensor type;
  /// else null.
  const eager::TensorImpl* (*peek)(PyObject* object);
  /// Grad mode, inference mode, default dtype, autocast, ... packed: equal words, equal behaviour of ops.
  uint64_t (*global_state)();
  /// Python text for such a word: "grad_enabled=True".
  const char* (*describe_global_state)(uint64_t word);
};

const TensorAccess& tensor_access();
void set_tensor_access(const TensorAccess& access);

}  // namespace framejit::guards
