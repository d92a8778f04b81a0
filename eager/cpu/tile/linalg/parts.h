// Algorithms for real and for complex numbers alike: T is float, double or a complex type of them. Vectors of complex
// numbers are handled as vectors of their parts; products take two multiplications of these, by the parts of the
// other factor.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "eager/cpu/linalg/real_of.h"
#include "eager/cpu/tile/packet.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

template <class T>
using Real = cpu::RealOf<T>;
template <class T>
inline constexpr bool kIsComplex = Eigen::NumTraits<T>::IsComplex;
template <class T>
inline constexpr int kParts = kIsComplex<T> ? 2 : 1;

template <class T>
T conjugate(T x) {
  if constexpr (kIsComplex<T>)
    return {x.real(), -x.imag()};
  else
    return x;
}
template <class T>
Real<T> real_part(T x) {
  return Eigen::numext::real(x);
}
/// Elements as a sequence of their real and imaginary parts.
template <class T>
const Real<T>* parts(const T* x) {
  return reinterpret_cast<const Real<T>*>(x);
}
template <class T>
Real<T>* parts(T* x) {
  return reinterpret_cast<Real<T>*>(x);
}

/// One vector of parts, and the same with the two parts of each number exchanged.
template <class T>
Packet<Real<T>> load_parts(const T* x) {
  return load(parts(x));
}
template <class T>
Packet<Real<T>> flipped(Packet<Real<T>> x) {
  return packet::pcplxflip(Packet<T>(x)).v;
}

/// Of a vector of products of parts, real ones with real ones and imaginary ones with imaginary ones, and of one of mixed
/// ones: the number that they are the parts of.
template <class T>
T dot_of(Packet<Real<T>> alike, Packet<Real<T>> mixed, bool conjugates) {
  const T same = packet::predux(Packet<T>(alike)), other = packet::predux(Packet<T>(mixed));
  if (conjugates) return {same.real() + same.imag(), other.real() - other.imag()};
  return {same.real() - same.imag(), other.real() + other.imag()};
}

/// A number as a factor of vectors of parts.
template <class T>
struct Factor {
  Packet<Real<T>> real, imaginary;  ///< the latter of alternating signs; none where T is real

  explicit Factor(T x) : real(spread(real_part(x))) {
    if constexpr (kIsComplex<T>) imaginary = packet::pset1<Packet<T>>(T(-x.imag(), x.imag())).v;
  }
  Packet<Real<T>> times(Packet<Real<T>> x) const {
    const Packet<Real<T>> product = packet::pmul(x, real);
    if constexpr (kIsComplex<T>) return packet::pmadd(flipped<T>(x), imaginary, product);
    return product;
  }
};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
