#include "eager/cpu/tile/linalg/orthogonal.h"

#include "eager/cpu/tile/linalg/dense.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

template <class T>
Qr<T> factored(const T* a, int64_t rows, int64_t columns) {
  const Rows<T> work = zero_rows<T>(columns, rows);
  transpose_into<T>({a, columns}, rows, columns, work);
  return Qr<T>(work, rows, columns);
}

}  // namespace

template <class T>
void qr(const T* a, int64_t rows, int64_t columns, int64_t count, T* q, T* r) {
  const cpu::ScratchScope scope;
  const Qr<T> factors = factored(a, rows, columns);
  for (int64_t i = 0; i < count; ++i) {
    std::fill_n(r + i * columns, std::min(i, columns), T(0));
    for (int64_t j = i; j < columns; ++j) r[i * columns + j] = factors.r(i, j);
  }
  if (q == nullptr) return;
  const Rows<T> of_q = take_rows<T>(count, rows);
  factors.form(count, of_q);
  transpose_into<T>({of_q.data, of_q.stride}, count, rows, {q, count});
}

template <class T>
void reflections(const T* a, int64_t rows, int64_t columns, T* factors, T* taus) {
  const cpu::ScratchScope scope;
  const Qr<T> qr = factored(a, rows, columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      factors[i * columns + j] = i > j && j < qr.reflections() ? qr.vector(j)[i] : qr.r(i, j);
  for (int64_t k = 0; k < qr.reflections(); ++k) taus[k] = qr.tau(k);
}

#define FRAMEJIT_INSTANTIATE(T)                                     \
  template void qr<T>(const T*, int64_t, int64_t, int64_t, T*, T*); \
  template void reflections<T>(const T*, int64_t, int64_t, T*, T*);
FRAMEJIT_INSTANTIATE(float)
FRAMEJIT_INSTANTIATE(double)
FRAMEJIT_INSTANTIATE(std::complex<float>)
FRAMEJIT_INSTANTIATE(std::complex<double>)
#undef FRAMEJIT_INSTANTIATE

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
