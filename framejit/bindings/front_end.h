// Our own types as the symbolic executor sees them (symbolic/front_end.h).
#pragma once

#include "symbolic/front_end.h"

namespace framejit::bindings {

const symbolic::FrontEnd& front_end();

/// Makes the executor and the guards see tensors.
void install_front_end();

}  // namespace framejit::bindings
