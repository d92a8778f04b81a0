// What dense.h, factors.h and general.h of eager/cpu/linalg describe.
#pragma once

#include <complex>
#include <cstdint>

#include "eager/cpu/linalg/real_of.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

template <class T>
bool eigh(T* a, int64_t n, bool vectors, cpu::RealOf<T>* values);
template <class T>
bool eig(const T* a, int64_t n, std::complex<T>* values, std::complex<T>* vectors);
template <class T>
bool complex_eig(const T* a, int64_t n, T* values, T* vectors);
template <class T>
bool svd(const T* a, int64_t rows, int64_t columns, bool vectors, bool full, T* u, cpu::RealOf<T>* s, T* vh);
template <class T>
void exponential(const T* a, int64_t n, T* result);

template <class T>
int lu(const T* a, int64_t rows, int64_t columns, T* factors, int32_t* exchanges);
template <class T>
int solve(const T* a, int64_t n, const T* b, int64_t width, T* x);
template <class T>
int inverse(const T* a, int64_t n, T* x);
template <class T>
bool determinant(const T* a, int64_t n, T* diagonal);
template <class T>
void solve_triangular(const T* a, int64_t n, bool upper, bool unit, const T* b, int64_t width, T* x);
template <class T>
int cholesky(const T* a, int64_t n, bool upper, T* factor);
template <class T>
void qr(const T* a, int64_t rows, int64_t columns, int64_t count, T* q, T* r);
template <class T>
int64_t least_squares(const T* a, int64_t rows, int64_t columns, const T* b, int64_t width, double rcond,
                      T* x);
template <class T>
void reflections(const T* a, int64_t rows, int64_t columns, T* factors, T* taus);

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
