// Eigenvalues and exponentials of general matrices, compiled once per instruction set (tile/linalg).
#pragma once

#include <complex>
#include <cstdint>

#include "eager/cpu/linalg/real_of.h"

namespace framejit::eager::cpu {

/// Eigenvalues of a matrix of finite elements and, unless null, eigenvectors of length 1 as columns; false where it does
/// not converge. T: float, double or a complex type of them.
template <class T>
using EigFn = bool (*)(const T* a, int64_t n, std::complex<RealOf<T>>* values,
                       std::complex<RealOf<T>>* vectors);

/// The exponential of a matrix that is not empty. The same types.
template <class T>
using ExponentialFn = void (*)(const T* a, int64_t n, T* result);

/// Those of the chosen instruction set.
template <class T>
EigFn<T> eig_function();
template <class T>
ExponentialFn<T> exponential_function();

}  // namespace framejit::eager::cpu
