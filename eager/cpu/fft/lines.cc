#include "eager/cpu/fft/lines.h"

#include <algorithm>

#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {

namespace {

constexpr int64_t kElementsPerPiece = 1 << 14;
constexpr int64_t kCached = 1 << 17;  ///< elements that the L2 cache has room for

/// One side of a transform: an array whose lines along a dim have `length` elements.
template <class T>
struct Side {
  T* base;
  int64_t length, inner;
  int64_t parts;  ///< numbers per element: 2 where it is complex

  Side(const std::complex<T>* data, int64_t length, int64_t inner)
      : base(reinterpret_cast<T*>(const_cast<std::complex<T>*>(data))),
        length(length),
        inner(inner),
        parts(2) {}
  Side(const T* data, int64_t length, int64_t inner)
      : base(const_cast<T*>(data)), length(length), inner(inner), parts(1) {}

  /// Where lines begin, `count` from the first on.
  void offsets(int64_t first, int64_t count, int64_t* to) const {
    int64_t within = first % inner, begin = first / inner * length * inner;
    for (int64_t l = 0; l < count; ++l) {
      to[l] = (begin + within) * parts;
      if (++within == inner) within = 0, begin += length * inner;
    }
  }
  Lines<T> complex_lines(const int64_t* offsets, int64_t count, bool exchanged = false,
                         int64_t lines_ahead = 0) const {
    return {base, offsets, count, 2 * inner, 1, exchanged, lines_ahead * length * parts};
  }
  /// Real numbers, by themselves or taken for complex ones in pairs.
  Lines<T> real_lines(const int64_t* offsets, int64_t count, bool pairs, bool exchanged = false,
                      int64_t lines_ahead = 0) const {
    return {base,
            offsets,
            count,
            pairs ? 2 * inner : inner,
            pairs ? inner : 0,
            exchanged,
            lines_ahead * length * parts};
  }
};

/// Offsets of the lines of a block on both sides.
template <class T>
struct Block {
  int64_t from[kMostLanes], to[kMostLanes];
  int64_t count;
  int64_t ahead;  ///< lines to the block that comes next, where it should be asked for

  Block(const Side<T>& source, const Side<T>& target, int64_t first, int64_t count, int64_t ahead = 0)
      : count(count), ahead(ahead) {
    source.offsets(first, count, from);
    target.offsets(first, count, to);
  }
};

/// Calls `run(block)` for blocks of at most `most` lines; those of a block have one outer index where they
/// can.
template <class T, class Run>
void for_each_block(const RowShape& shape, const Side<T>& source, const Side<T>& target, int64_t most,
                    Run run) {
  const bool within = shape.inner >= most;
  const int64_t groups = within ? shape.outer : 1, lines = within ? shape.inner : shape.outer * shape.inner;
  const int64_t blocks = (lines + most - 1) / most;
  const bool foreseen = shape.inner != 1 || shape.outer * shape.length <= kCached;
  const int64_t grain = std::max<int64_t>(1, kElementsPerPiece / std::max<int64_t>(1, shape.length * most));
  parallel_for(groups * blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % blocks * most;
      const int64_t ahead = foreseen || first + 2 * most > lines ? 0 : most;
      run(Block<T>(source, target, i / blocks * lines + first, std::min(most, lines - first), ahead));
    }
  });
}

/// The lines one after the other; each uses all threads.
template <class T, class Run>
void for_each_line(const RowShape& shape, const Side<T>& source, const Side<T>& target, Run run) {
  for (int64_t line = 0; line < shape.outer * shape.inner; ++line) {
    ScratchScope scope;
    run(Block<T>(source, target, line, 1));
  }
}

template <class T>
T* take_block(const Plan<T>& plan) {
  return Scratch::of_thread().take_array<T>(plan.block_size());
}

/// One line in scratch memory.
template <class T>
struct Spare {
  std::complex<T>* data;
  int64_t zero = 0;
  explicit Spare(int64_t n) : data(Scratch::of_thread().take_array<std::complex<T>>(n)) {}
  Lines<T> lines(bool exchanged = false) { return {reinterpret_cast<T*>(data), &zero, 1, 2, 1, exchanged}; }
};

template <class T>
std::complex<T> turned(std::complex<T> x, std::complex<T> w) {
  return {w.real() * x.real() - w.imag() * x.imag(), w.real() * x.imag() + w.imag() * x.real()};
}

}  // namespace

template <class T>
void transform_lines(const RowShape& shape, const std::complex<T>* from, std::complex<T>* to, bool forward,
                     T factor) {
  const auto plan = plan_for<T>(shape.length);
  const Side<T> source(from, shape.length, shape.inner), target(to, shape.length, shape.inner);
  if (plan->by_line(shape.outer * shape.inner))
    return for_each_line(shape, source, target, [&](const Block<T>& b) {
      plan->transform_line(source.complex_lines(b.from, 1, !forward), target.complex_lines(b.to, 1, !forward),
                           factor);
    });
  for_each_block(shape, source, target, fft_kernels<T>().lanes, [&](const Block<T>& b) {
    ScratchScope scope;
    T *block = take_block(*plan), *scratch = take_block(*plan);
    const Lines<T> in = source.complex_lines(b.from, b.count, !forward, b.ahead);
    const Lines<T> out = target.complex_lines(b.to, b.count, !forward, b.ahead);
    plan->transform_block(block, scratch, &in, &out, factor);
  });
}

// Real lines of even length n are taken for complex ones of length n / 2, with even elements as real parts;
// what belongs to even and to odd elements is separated afterwards.

template <class T>
void transform_real_lines(const RowShape& shape, const T* from, std::complex<T>* to, T factor) {
  const int64_t n = shape.length, half = n / 2;
  const bool pairs = n % 2 == 0;
  const auto plan = plan_for<T>(pairs ? half : n), whole = plan_for<T>(n);
  const FftKernels<T>& kernels = fft_kernels<T>();
  const Side<T> source(from, n, shape.inner), target(to, half + 1, shape.inner);
  if (plan->by_line(shape.outer * shape.inner))
    return for_each_line(shape, source, target, [&](const Block<T>& b) {
      Spare<T> spare(plan->size());
      plan->transform_line(source.real_lines(b.from, 1, pairs), spare.lines(), factor);
      std::complex<T>* out = to + b.to[0] / 2;
      for (int64_t k = 0; k <= half; ++k) {
        std::complex<T> x = spare.data[k % plan->size()];
        if (pairs) {
          const std::complex<T> y = std::conj(spare.data[(half - k) % half]);
          const std::complex<T> w = k == half ? std::complex<T>(-1) : whole->roots()[size_t(k)];
          const std::complex<T> even = (x + y) * T(0.5), odd = turned((x - y) * T(0.5), w);
          x = {even.real() + odd.imag(), even.imag() - odd.real()};
        }
        out[k * shape.inner] = x;
      }
    });
  for_each_block(shape, source, target, kernels.lanes, [&](const Block<T>& b) {
    ScratchScope scope;
    T *block = take_block(*plan), *scratch = take_block(*plan);
    const Lines<T> in = source.real_lines(b.from, b.count, pairs, false, b.ahead);
    T* result = plan->transform_block(block, scratch, &in);
    if (pairs) kernels.split_real(half, whole->roots().data(), result);
    kernels.store(target.complex_lines(b.to, b.count, false, b.ahead), half + 1, result, factor);
  });
}

template <class T>
void restore_real_lines(const RowShape& shape, const std::complex<T>* from, T* to, T factor) {
  const int64_t n = shape.length, half = n / 2;
  const bool pairs = n % 2 == 0;
  const auto plan = plan_for<T>(pairs ? half : n), whole = plan_for<T>(n);
  const FftKernels<T>& kernels = fft_kernels<T>();
  const Side<T> source(from, half + 1, shape.inner), target(to, n, shape.inner);
  if (plan->by_line(shape.outer * shape.inner))
    return for_each_line(shape, source, target, [&](const Block<T>& b) {
      Spare<T> spare(plan->size());
      const auto at = [&](int64_t k) {
        const std::complex<T> x = from[b.from[0] / 2 + k * shape.inner];
        return k == 0 || 2 * k == n ? std::complex<T>(x.real()) : x;
      };
      for (int64_t k = 0; k < plan->size(); ++k) {
        if (!pairs) {
          spare.data[k] = k <= half ? at(k) : std::conj(at(n - k));
          continue;
        }
        const std::complex<T> x = at(k), y = std::conj(at(half - k));
        const std::complex<T> odd = turned(x - y, std::conj(whole->roots()[size_t(k)]));
        spare.data[k] = {x.real() + y.real() - odd.imag(), x.imag() + y.imag() + odd.real()};
      }
      plan->transform_line(spare.lines(true), target.real_lines(b.to, 1, pairs, true), factor);
    });
  for_each_block(shape, source, target, kernels.lanes, [&](const Block<T>& b) {
    ScratchScope scope;
    T *block = take_block(*plan), *scratch = take_block(*plan);
    kernels.load(source.complex_lines(b.from, b.count, false, b.ahead), half + 1, block);
    if (pairs)
      kernels.join_real(half, whole->roots().data(), block);
    else
      kernels.mirror(n, block);
    const Lines<T> out = target.real_lines(b.to, b.count, pairs, true, b.ahead);
    plan->transform_block(block, scratch, nullptr, &out, factor);
  });
}

#define FRAMEJIT_INSTANTIATE(T)                                                                      \
  template void transform_lines(const RowShape&, const std::complex<T>*, std::complex<T>*, bool, T); \
  template void transform_real_lines(const RowShape&, const T*, std::complex<T>*, T);                \
  template void restore_real_lines(const RowShape&, const std::complex<T>*, T*, T);
FRAMEJIT_INSTANTIATE(float)
FRAMEJIT_INSTANTIATE(double)
#undef FRAMEJIT_INSTANTIATE

}  // namespace framejit::eager::cpu
