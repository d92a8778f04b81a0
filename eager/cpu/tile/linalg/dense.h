// What eager/cpu/linalg/dense.h describes, for float and double.
#pragma once

#include <cstdint>

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

template <class T>
bool eigh(T* a, int64_t n, bool vectors, T* values);
template <class T>
bool svd(const T* a, int64_t rows, int64_t columns, bool vectors, bool full, T* u, T* s, T* vh);

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
