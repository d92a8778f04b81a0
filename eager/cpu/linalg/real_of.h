// The type of the parts of complex numbers.
#pragma once

#include <complex>

namespace framejit::eager::cpu {

template <class T>
struct RealPart {
  using Type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using Type = T;
};
/// T itself where it is real.
template <class T>
using RealOf = typename RealPart<T>::Type;

}  // namespace framejit::eager::cpu
