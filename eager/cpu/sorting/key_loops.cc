#include "eager/cpu/sorting/key_loops.h"

#include "eager/cpu/isa.h"

FRAMEJIT_CHOSEN_BY_ISA(cpu::AllKeyLoops, key_loops, const AllKeyLoops& key_loops())
