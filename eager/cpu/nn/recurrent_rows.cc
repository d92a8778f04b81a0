#include "eager/cpu/nn/recurrent_rows.h"

#include "eager/cpu/isa.h"

FRAMEJIT_CHOSEN_BY_ISA(cpu::RecurrentRows<float>, recurrent_rows_float,
                       template <> const RecurrentRows<float>& recurrent_rows<float>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::RecurrentRows<double>, recurrent_rows_double,
                       template <> const RecurrentRows<double>& recurrent_rows<double>())
