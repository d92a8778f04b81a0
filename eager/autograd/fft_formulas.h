// Derivatives of the Fourier transforms between real and complex numbers; defined in eager/composite/fft.cc.
#pragma once

#include "eager/tensor.h"

namespace framejit::eager::ops {

Tensor fft_r2c_backward(const Tensor& grad, const Dims& sizes, const Dims& dim, SymInt normalization);
Tensor fft_c2r_backward(const Tensor& grad, const Dims& sizes, const Dims& dim, SymInt normalization);

}  // namespace framejit::eager::ops
