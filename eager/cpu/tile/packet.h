// Eigen's vector registers under short names, for loops that are written register by register.
#pragma once

#include <Eigen/Core>

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace packet = Eigen::internal;

template <class T>
using Packet = typename packet::packet_traits<T>::type;
template <class T>
inline constexpr int kLanes = packet::unpacket_traits<Packet<T>>::size;

template <class T>
Packet<T> load(const T* from) {
  return packet::ploadu<Packet<T>>(from);
}
template <class T>
Packet<T> spread(T value) {
  return packet::pset1<Packet<T>>(value);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
