#include "eager/cpu/nn/norm_rows.h"

#include "eager/cpu/isa.h"

#define FRAMEJIT_DECLARE_NORM_ROWS(isa)                \
  namespace framejit::eager::isa {                     \
  extern const cpu::NormRows<float> norm_rows_float;   \
  extern const cpu::NormRows<double> norm_rows_double; \
  }
FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DECLARE_NORM_ROWS)
#undef FRAMEJIT_DECLARE_NORM_ROWS

namespace framejit::eager::cpu {

template <>
const NormRows<float>& norm_rows<float>() {
  switch (chosen_isa()) {
#define FRAMEJIT_NORM_ROWS(isa) \
  case Isa::isa:                \
    return isa::norm_rows_float;
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_NORM_ROWS)
#undef FRAMEJIT_NORM_ROWS
  }
  __builtin_unreachable();
}
template <>
const NormRows<double>& norm_rows<double>() {
  switch (chosen_isa()) {
#define FRAMEJIT_NORM_ROWS(isa) \
  case Isa::isa:                \
    return isa::norm_rows_double;
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_NORM_ROWS)
#undef FRAMEJIT_NORM_ROWS
  }
  __builtin_unreachable();
}

bool are_norm_rows(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const DType dtype = input.dtype();
  if (dtype != DType::float32 && dtype != DType::float64) return false;
  const auto fits = [&](const Tensor& t) {
    return !t.defined() || (t.dtype() == dtype && t.is_contiguous());
  };
  return input.is_contiguous() && input.numel() != 0 && fits(weight) && fits(bias);
}

}  // namespace framejit::eager::cpu
