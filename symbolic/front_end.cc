#include "symbolic/front_end.h"

namespace framejit::symbolic {

static const FrontEnd* installed = nullptr;

const FrontEnd* default_front_end() { return installed; }
void set_default_front_end(const FrontEnd* front_end) { installed = front_end; }

}  // namespace framejit::symbolic
