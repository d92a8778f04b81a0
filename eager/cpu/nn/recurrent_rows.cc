#include "eager/cpu/nn/recurrent_rows.h"

#include "eager/cpu/isa.h"

#define FRAMEJIT_DECLARE_RECURRENT_ROWS(isa)                     \
  namespace framejit::eager::isa {                               \
  extern const cpu::RecurrentRows<float> recurrent_rows_float;   \
  extern const cpu::RecurrentRows<double> recurrent_rows_double; \
  }
FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DECLARE_RECURRENT_ROWS)
#undef FRAMEJIT_DECLARE_RECURRENT_ROWS

namespace framejit::eager::cpu {

template <>
const RecurrentRows<float>& recurrent_rows<float>() {
  switch (chosen_isa()) {
#define FRAMEJIT_RECURRENT_ROWS(isa) \
  case Isa::isa:                     \
    return isa::recurrent_rows_float;
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_RECURRENT_ROWS)
#undef FRAMEJIT_RECURRENT_ROWS
  }
  __builtin_unreachable();
}

template <>
const RecurrentRows<double>& recurrent_rows<double>() {
  switch (chosen_isa()) {
#define FRAMEJIT_RECURRENT_ROWS(isa) \
  case Isa::isa:                     \
    return isa::recurrent_rows_double;
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_RECURRENT_ROWS)
#undef FRAMEJIT_RECURRENT_ROWS
  }
  __builtin_unreachable();
}

}  // namespace framejit::eager::cpu
