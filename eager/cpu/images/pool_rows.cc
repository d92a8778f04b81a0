#include "eager/cpu/images/pool_rows.h"

#include "eager/cpu/isa.h"

#define FRAMEJIT_DECLARE_POOL_ROWS(isa)                \
  namespace framejit::eager::isa {                     \
  extern const cpu::PoolRows<float> pool_rows_float;   \
  extern const cpu::PoolRows<double> pool_rows_double; \
  }
FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DECLARE_POOL_ROWS)
#undef FRAMEJIT_DECLARE_POOL_ROWS

namespace framejit::eager::cpu {

template <>
const PoolRows<float>& pool_rows<float>() {
  switch (chosen_isa()) {
#define FRAMEJIT_POOL_ROWS(isa) \
  case Isa::isa:                \
    return isa::pool_rows_float;
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_POOL_ROWS)
#undef FRAMEJIT_POOL_ROWS
  }
  __builtin_unreachable();
}

template <>
const PoolRows<double>& pool_rows<double>() {
  switch (chosen_isa()) {
#define FRAMEJIT_POOL_ROWS(isa) \
  case Isa::isa:                \
    return isa::pool_rows_double;
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_POOL_ROWS)
#undef FRAMEJIT_POOL_ROWS
  }
  __builtin_unreachable();
}

}  // namespace framejit::eager::cpu
