// The autocast layer of the dispatcher: floating arguments of ops whose row names a rule are cast before the
// op runs. Casts are ordinary ops, so gradients come back in the dtype of the original, and traces contain
// them.
#pragma once

#include "eager/dispatch.h"

namespace framejit::eager {

/// Calls `op` with its arguments cast as its rule and the modes of this thread say.
void call_with_autocast(const Op& op, const Value* args, Value* results);

/// Sets autocast of a device on this thread. Where none is left on, the cast parameters are forgotten.
FRAMEJIT_API void set_autocast(DeviceType device, Autocast autocast);
FRAMEJIT_API void set_autocast_cache(bool enabled);
FRAMEJIT_API void clear_autocast_cache();
/// All of it in one word (of 31 bits), and back.
FRAMEJIT_API uint32_t autocast_word();
FRAMEJIT_API void set_autocast_word(uint32_t word);

}  // namespace framejit::eager
