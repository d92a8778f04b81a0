// Fourier transforms of all lines of a contiguous array along one of its dims, in parallel.
#pragma once

#include "eager/cpu/fft/plan.h"
#include "eager/cpu/kernel_support.h"

namespace framejit::eager::cpu {

/// `shape`: the lines of the longer side. What is left out of half of a spectrum are conjugates of what is
/// there. `to` may be `from`.
template <class T>
void transform_lines(const RowShape& shape, const std::complex<T>* from, std::complex<T>* to, bool forward,
                     T factor);
/// Real lines to the first shape.length / 2 + 1 elements of their transforms.
template <class T>
void transform_real_lines(const RowShape& shape, const T* from, std::complex<T>* to, T factor);
/// The way back, unscaled but for `factor`. Imaginary parts that a real line cannot have are not read.
template <class T>
void restore_real_lines(const RowShape& shape, const std::complex<T>* from, T* to, T factor);

}  // namespace framejit::eager::cpu
