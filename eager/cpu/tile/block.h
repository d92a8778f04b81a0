// The loop of every tile kernel, compiled once per instruction set. `tools/opgen` writes, for a row and a
// dtype:
//
//   template <unsigned kScalarMask>
//   void gelu_tanh_float32(const void* const* in, void* out, int64_t n, const double* p) {
//     using T = float;
//     tile_loop<T, T, 1, kScalarMask>(in, out, n, [p](auto& r, const auto& a) { r = <the row's expression>;
//     });
//   }
//
// The expression sees *blocks*: fixed-size Eigen arrays of `kBlock<T>` elements (a whole number of vector
// registers), so that Eigen always takes its vector path. Whole blocks are read and written in place; the
// rest of the tile goes through a padded copy, and the same code: a function that is there once is inlined, and
// then vectorised. An element's bits hence do not depend on where in a tile it lies, which is what makes fused and
// eager code agree.
//
// A kernel may throw eager::Error (integer division by zero); whoever runs tiles must hand that on to its
// caller. `out` may be one of the inputs (same address), otherwise they do not overlap.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "eager/cpu/tile/halves.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

template <class T>
inline constexpr int kBlock = std::max<int>(16, 64 / int(sizeof(T)));
template <class T>
using Block = Eigen::Array<T, kBlock<T>, 1>;
template <class T>
using BlockMap = Eigen::Map<const Block<T>>;

/// What elements of type S are in a block: halves are floats there.
template <class S>
using ComputedAs = std::conditional_t<is_half_type<S>, float, S>;

/// What the rule `real` gives of T.
template <class T>
using RealOf = typename Eigen::NumTraits<T>::Real;

/// Room for a block of which not all elements are there. Padding is 1, a value for which no function of the
/// table raises an error.
template <class T>
struct Padded {
  alignas(64) T elements[kBlock<ComputedAs<T>>];
  T* fill(const T* from, int64_t count) {
    std::fill(std::copy_n(from, count, elements), std::end(elements), T(1));
    return elements;
  }
};

/// Operand of a kernel: `n` contiguous elements...
template <class T, bool kScalar, bool kHalf = is_half_type<T>>
struct Operand {
  const T* data;
  explicit Operand(const void* memory) : data(static_cast<const T*>(memory)) {}
  BlockMap<T> at(int64_t i) const { return BlockMap<T>(data + i); }
  /// The last `count` elements, from i on, in a block of their own.
  Operand rest(int64_t i, int64_t count, Padded<T>&& block = {}) const {
    return Operand(block.fill(data + i, count));
  }
};
/// ... or one element, repeated.
template <class T, bool kHalf>
struct Operand<T, true, kHalf> {
  ComputedAs<T> value;
  explicit Operand(const void* memory) : value(*static_cast<const ComputedAs<T>*>(memory)) {}
  auto at(int64_t) const { return Block<ComputedAs<T>>::Constant(value); }
  const Operand& rest(int64_t, int64_t) const { return *this; }
};
/// Of complex numbers, whose constants Eigen would write out again and again, a block in memory.
template <class T>
requires(bool(Eigen::NumTraits<T>::IsComplex)) struct Operand<T, true, false> {
  Block<T> values;
  explicit Operand(const void* memory) { values.fill(*static_cast<const T*>(memory)); }
  BlockMap<T> at(int64_t) const { return BlockMap<T>(values.data()); }
  const Operand& rest(int64_t, int64_t) const { return *this; }
};
/// ... or halves, which are converted block by block.
template <class S>
struct Operand<S, false, true> {
  const S* data;
  explicit Operand(const void* memory) : data(static_cast<const S*>(memory)) {}
  Block<float> at(int64_t i) const {
    Block<float> block;
    convert_halves(data + i, block.data(), kBlock<float>);
    return block;
  }
  Operand rest(int64_t i, int64_t count, Padded<S>&& block = {}) const {
    return Operand(block.fill(data + i, count));
  }
};

/// Where a block of results goes. One that is computed already is moved as bytes: Eigen has no vectors of
/// some types, and would move it element by element.
template <class Out, int kSize>
struct Destination {
  using Result = Eigen::Array<Out, kSize, 1>;
  Out* out;
  [[gnu::always_inline]] void operator=(const Result& result) const {
    std::memcpy(static_cast<void*>(out), result.data(), sizeof(Result));
  }
  template <class Expression>
  [[gnu::always_inline]] void operator=(const Expression& expression) const {
    Eigen::Map<Result>{out} = expression;
  }
};

/// Of `n` elements, a multiple of a block's.
template <class Out, class T, class Body, class... Operands>
[[gnu::noinline, gnu::flatten]] void whole_blocks(Out* out, int64_t n, Body body, Operands... operands) {
  constexpr int block = kBlock<T>;
  for (int64_t i = 0; i < n; i += block) {
    if constexpr (is_half_type<Out>) {
      Eigen::Array<float, block, 1> result;
      body(result, operands.at(i)...);
      convert_halves(result.data(), out + i, block);
    } else {
      const Destination<Out, block> result{out + i};
      body(result, operands.at(i)...);
    }
  }
}
template <class Out, class T, class Body, class... Operands>
inline void tile_loop_over(Out* out, int64_t n, const Body& body, Operands... operands) {
  const int64_t count = n % kBlock<T>, whole = n - count;
  whole_blocks<Out, T>(out, whole, body, operands...);
  if (count == 0) return;
  alignas(64) Out results[kBlock<T>];
  whole_blocks<Out, T>(results, kBlock<T>, body, operands.rest(whole, count)...);
  std::copy_n(results, count, out + whole);
}

/// Runs `body(result, a, b...)` over `n` elements: `kArity` operands of type S, a result of type Out. Operand
/// i is a single element where bit i of kScalarMask is set, of halves a float.
template <class Out, class S, int kArity, unsigned kScalarMask, class Body>
inline void tile_loop(const void* const* in, void* out, int64_t n, const Body& body) {
  [&]<int... kIndex>(std::integer_sequence<int, kIndex...>) {
    tile_loop_over<Out, ComputedAs<S>>(static_cast<Out*>(out), n, body,
                                       Operand<S, ((kScalarMask >> kIndex) & 1) != 0>(in[kIndex])...);
  }
  (std::make_integer_sequence<int, kArity>());
}

/// `f` applied element by element: for what Eigen has no expression for. The loop is over a whole block and
/// the result is a block of its own, so that the compiler can vectorise it without checking for overlap.
template <class F, class A, class... More>
[[gnu::always_inline]] inline auto each(F f, const A& a, const More&... more) {
  constexpr int size = A::SizeAtCompileTime;
  Eigen::Array<decltype(f(a.coeff(0), more.coeff(0)...)), size, 1> result;
  for (int i = 0; i < size; ++i) result.coeffRef(i) = f(a.coeff(i), more.coeff(i)...);
  return result;
}

/// `!x` of bools in memory, as bytes: GCC does not vectorise it otherwise.
inline Block<bool> not_of_bools(const BlockMap<bool>& a) {
  Block<bool> result;
  const uint8_t* from = reinterpret_cast<const uint8_t*>(a.data());
  uint8_t* to = reinterpret_cast<uint8_t*>(result.data());
  for (int i = 0; i < kBlock<bool>; ++i) to[i] = from[i] ^ 1;
  return result;
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
