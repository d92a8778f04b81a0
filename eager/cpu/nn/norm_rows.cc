#include "eager/cpu/nn/norm_rows.h"

#include "eager/cpu/isa.h"

FRAMEJIT_CHOSEN_BY_ISA(cpu::NormRows<float>, norm_rows_float,
                       template <> const NormRows<float>& norm_rows<float>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::NormRows<double>, norm_rows_double,
                       template <> const NormRows<double>& norm_rows<double>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::LayerNormRows<float>, layer_norm_rows_float,
                       template <> const LayerNormRows<float>& layer_norm_rows<float>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::LayerNormRows<double>, layer_norm_rows_double,
                       template <> const LayerNormRows<double>& layer_norm_rows<double>())

namespace framejit::eager::cpu {

bool are_norm_rows(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const DType dtype = input.dtype();
  if (dtype != DType::float32 && dtype != DType::float64) return false;
  const auto fits = [&](const Tensor& t) {
    return !t.defined() || (t.dtype() == dtype && t.is_contiguous());
  };
  return input.is_contiguous() && input.numel() != 0 && fits(weight) && fits(bias);
}

}  // namespace framejit::eager::cpu
