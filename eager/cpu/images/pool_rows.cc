#include "eager/cpu/images/pool_rows.h"

#include "eager/cpu/isa.h"

FRAMEJIT_CHOSEN_BY_ISA(cpu::PoolRows<float>, pool_rows_float,
                       template <> const PoolRows<float>& pool_rows<float>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::PoolRows<double>, pool_rows_double,
                       template <> const PoolRows<double>& pool_rows<double>())
