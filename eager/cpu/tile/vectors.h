// Vectors of 64 bytes, whatever the width of a register is: sums side by side in them have the same bits on every
// instruction set.
#pragma once

#include <cstring>

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

template <class T>
struct Vector {
  typedef T Type __attribute__((vector_size(64)));
  static constexpr int kLanes = 64 / int(sizeof(T));
  static Type load(const T* from) {
    Type value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static void store(Type value, T* to) { std::memcpy(to, &value, sizeof value); }
};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
