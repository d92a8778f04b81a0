// Vector registers under short names, for loops that are written register by register: Eigen's, and vectors of GCC's
// for integers, of which Eigen has few operations.
#pragma once

#include <Eigen/Core>
#include <cstring>
#include <type_traits>

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace packet = Eigen::internal;

/// Integers wrap: they are computed with in their unsigned type.
template <class T, bool kIntegers = std::is_integral_v<T>>
struct PacketOf {
  using Type = typename packet::packet_traits<T>::type;
  static constexpr int kLanes = packet::unpacket_traits<Type>::size;
};
template <class T>
struct PacketOf<T, true> {
  static constexpr int kBytes = sizeof(typename packet::packet_traits<float>::type),
                       kLanes = kBytes / int(sizeof(T));
  typedef std::make_unsigned_t<T> Type __attribute__((vector_size(kBytes)));
};

template <class T>
using Packet = typename PacketOf<T>::Type;
template <class T>
inline constexpr int kLanes = PacketOf<T>::kLanes;

template <class T>
Packet<T> load(const T* from) {
  if constexpr (std::is_integral_v<T>) {
    Packet<T> value;
    std::memcpy(&value, from, sizeof value);
    return value;
  } else {
    return packet::ploadu<Packet<T>>(from);
  }
}
template <class T>
void put(T* to, const Packet<T>& value) {
  if constexpr (std::is_integral_v<T>)
    std::memcpy(to, &value, sizeof value);
  else
    packet::pstoreu(to, value);
}
template <class T>
Packet<T> spread(T value) {
  if constexpr (std::is_integral_v<T>)
    return Packet<T>{} + std::make_unsigned_t<T>(value);
  else
    return packet::pset1<Packet<T>>(value);
}
/// a b + c.
template <class T>
Packet<T> multiply_add(const Packet<T>& a, const Packet<T>& b, const Packet<T>& c) {
  if constexpr (std::is_integral_v<T>)
    return a * b + c;
  else
    return packet::pmadd(a, b, c);
}
template <class T>
T sum_of(const Packet<T>& x) {
  if constexpr (std::is_integral_v<T>) {
    std::make_unsigned_t<T> sum = 0;
    for (int i = 0; i < kLanes<T>; ++i) sum += x[i];
    return T(sum);
  } else {
    return packet::predux(x);
  }
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
