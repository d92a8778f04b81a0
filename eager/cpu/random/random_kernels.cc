#include "eager/cpu/random/random_kernels.h"

#include "eager/cpu/isa.h"

FRAMEJIT_CHOSEN_BY_ISA(cpu::RandomKernels, random_kernels, const RandomKernels& random_kernels())
