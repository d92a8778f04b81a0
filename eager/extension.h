// Contract: ops that are made at run time (framejit.library). They are no rows of the table; found by name,
// they have the layers that whoever made them gave them.
#pragma once

#include "eager/op.h"

namespace framejit::eager {

/// What `Op::extension` of an op registered at run time points to.
class FRAMEJIT_API OpExtension {
 public:
  virtual ~OpExtension() = default;
  /// Takes a call over from the dispatcher, where autograd would have its turn.
  virtual void call(const Op& op, const Value* args, Value* results) = 0;
};
inline OpExtension* extension_of(const Op& op) { return static_cast<OpExtension*>(op.extension.get()); }

/// Takes the names of an op registered at run time out of the registry. The op itself stays: graphs and
/// Python objects may hold it.
FRAMEJIT_API void unregister_op(const Op& op);

}  // namespace framejit::eager
