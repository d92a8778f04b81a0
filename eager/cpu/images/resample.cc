// Resampling: each element of the result is a weighted sum of few elements of the input, dim by dim.
#include <array>
#include <cmath>
#include <optional>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loops/row_ops.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// Which elements of the input go into each of the result, along one dim, and with what weights.
template <class T>
struct Taps {
  int count = 1;  ///< for each place
  std::vector<int64_t> index;
  std::vector<T> weight;

  void add(int64_t i, T w) {
    index.push_back(i);
    weight.push_back(w);
  }
};

/// How a resampling goes along one dim. `scale` is the user's factor, 0 where the sizes say it.
struct Axis {
  int64_t input, output;
  double scale;
};

template <class T>
T source_step(const Axis& axis, bool align_corners) {
  if (align_corners) return axis.output > 1 ? T(axis.input - 1) / T(axis.output - 1) : T(0);
  return axis.scale > 0 ? T(1 / axis.scale) : T(axis.input) / T(axis.output);
}

/// Places are found in float whatever the dtype, as PyTorch does it.
template <class T>
void add_nearest(const Axis& axis, bool exact, Taps<T>& taps) {
  const float step = source_step<float>(axis, false);
  for (int64_t i = 0; i < axis.output; ++i) {
    int64_t at = int64_t(std::floor((float(i) + (exact ? 0.5f : 0.0f)) * step));
    if (axis.output == axis.input && axis.scale <= 0) at = i;
    if (axis.output == 2 * axis.input && !exact) at = i / 2;
    taps.add(std::min(at, axis.input - 1), T(1));
  }
}

template <class T>
void add_linear(const Axis& axis, bool align_corners, Taps<T>& taps) {
  const T step = source_step<T>(axis, align_corners);
  for (int64_t i = 0; i < axis.output; ++i) {
    const T place = align_corners ? step * T(i) : std::max(T(0), step * (T(i) + T(0.5)) - T(0.5));
    const int64_t left = std::min(int64_t(place), axis.input - 1), right = std::min(left + 1, axis.input - 1);
    const T part = std::clamp(place - T(left), T(0), T(1));
    taps.add(left, axis.output == axis.input ? T(1) : T(1) - part);
    taps.add(right, axis.output == axis.input ? T(0) : part);
  }
}

/// Keys' kernel with a = -0.75, of a distance below 1 and of one from 1 to 2.
template <class T>
T cubic_near(T x) {
  return ((T(-0.75) + 2) * x - (T(-0.75) + 3)) * x * x + 1;
}
template <class T>
T cubic_far(T x) {
  constexpr T a = T(-0.75);
  return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

template <class T>
void add_cubic(const Axis& axis, bool align_corners, Taps<T>& taps) {
  const T step = source_step<T>(axis, align_corners);
  for (int64_t i = 0; i < axis.output; ++i) {
    const T place = align_corners ? step * T(i) : step * (T(i) + T(0.5)) - T(0.5);
    const T floor = std::floor(place), part = place - floor;
    const T weights[4] = {cubic_far(part + 1), cubic_near(part), cubic_near(1 - part), cubic_far(2 - part)};
    for (int k = 0; k < 4; ++k)
      taps.add(std::clamp<int64_t>(int64_t(floor) - 1 + k, 0, axis.input - 1), weights[k]);
  }
}

/// Tent, and Keys' kernel with a = -0.5, of any distance.
template <class T>
T tent(T x) {
  return std::max(T(0), 1 - std::abs(x));
}
template <class T>
T cubic_bell(T x) {
  constexpr T a = T(-0.5);
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : T(0);
}

/// A kernel that is 0 beyond `reach`, as wide as a place of the result where that is wider than an element of
/// the input. Places with fewer elements than others get taps of weight 0.
template <class T, class Kernel>
void add_antialiased(const Axis& axis, bool align_corners, T reach, Kernel kernel, Taps<T>& taps) {
  const T step = source_step<T>(axis, align_corners), width = std::max(step, T(1)), support = reach * width;
  taps.count = int(std::ceil(support)) * 2 + 1;
  std::vector<T> weights;
  for (int64_t i = 0; i < axis.output; ++i) {
    const T centre = step * (T(i) + T(0.5));
    const int64_t first = std::max<int64_t>(int64_t(centre - support + T(0.5)), 0);
    const int64_t past = std::min<int64_t>(int64_t(centre + support + T(0.5)), axis.input);
    weights.assign(size_t(taps.count), T(0));
    T total = 0;
    for (int64_t k = first; k < past; ++k) {
      const T weight = kernel((T(k) - centre + T(0.5)) / width);
      weights[size_t(k - first)] = weight;
      total += weight;
    }
    for (int k = 0; k < taps.count; ++k)
      taps.add(std::min(first + k, axis.input - 1), total == 0 ? T(0) : weights[size_t(k)] / total);
  }
}

template <class T>
Taps<T> make_taps(const Axis& axis, const std::string& mode, bool align_corners) {
  Taps<T> taps;
  if (mode == "linear-antialiased") {
    add_antialiased(axis, align_corners, T(1), tent<T>, taps);
    return taps;
  }
  if (mode == "cubic-antialiased") {
    add_antialiased(axis, align_corners, T(2), cubic_bell<T>, taps);
    return taps;
  }
  taps.count = mode == "linear" ? 2 : mode == "cubic" ? 4 : 1;
  if (mode == "linear")
    add_linear(axis, align_corners, taps);
  else if (mode == "cubic")
    add_cubic(axis, align_corners, taps);
  else
    add_nearest(axis, mode == "nearest-exact", taps);
  return taps;
}

/// Places of a row whose elements lie side by side.
template <class T>
void gather_elements(const Taps<T>& taps, int64_t count, const T* row, T* to) {
  const int64_t* index = taps.index.data();
  const T* weight = taps.weight.data();
  if (taps.count == 2) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = weight[2 * i] * row[index[2 * i]] + weight[2 * i + 1] * row[index[2 * i + 1]];
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    T sum = 0;
    for (int t = 0; t < taps.count; ++t) sum += *weight++ * row[*index++];
    to[i] = sum;
  }
}

/// Places that are rows of `inner` elements.
template <class T>
void gather_rows(const Taps<T>& taps, int64_t count, int64_t inner, const T* from, T* to) {
  const RowOps<T>& ops = RowOps<T>::get();
  ScratchScope scope;
  T* product = Scratch::of_thread().take_array<T>(inner);
  for (int64_t i = 0; i < count; ++i, to += inner)
    for (int t = 0; t < taps.count; ++t) {
      const size_t tap = size_t(i * taps.count + t);
      const T* row = from + taps.index[tap] * inner;
      ops.multiply(row, taps.weight[tap], inner, t == 0 ? to : product);
      if (t > 0) ops.add(to, product, inner, to);
    }
}

/// The transpose of both.
template <class T>
void scatter_rows(const Taps<T>& taps, int64_t count, int64_t inner, const T* from, T* to) {
  const RowOps<T>& ops = RowOps<T>::get();
  ScratchScope scope;
  T* product = Scratch::of_thread().take_array<T>(inner);
  for (int64_t i = 0; i < count; ++i, from += inner)
    for (int t = 0; t < taps.count; ++t) {
      const size_t tap = size_t(i * taps.count + t);
      T* sum = to + taps.index[tap] * inner;
      if (inner == 1) {
        *sum += taps.weight[tap] * *from;
        continue;
      }
      ops.multiply(from, taps.weight[tap], inner, product);
      ops.add(sum, product, inner, sum);
    }
}

/// `from` is outer x input x inner, `to` outer x output x inner; or from one with the sizes of the result to
/// one with those of the input, adding up, where `transposed`.
template <class T>
void apply(const Taps<T>& taps, const Axis& axis, int64_t outer, int64_t inner, bool transposed,
           const T* from, T* to) {
  const int64_t from_size = (transposed ? axis.output : axis.input) * inner,
                to_size = (transposed ? axis.input : axis.output) * inner;
  parallel_for(outer, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, to_size)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t o = begin; o < end; ++o) {
                   const T* source = from + o * from_size;
                   T* target = to + o * to_size;
                   if (transposed) {
                     std::fill_n(target, to_size, T(0));
                     scatter_rows(taps, axis.output, inner, source, target);
                   } else if (inner == 1) {
                     gather_elements(taps, axis.output, source, target);
                   } else {
                     gather_rows(taps, axis.output, inner, source, target);
                   }
                 }
               });
}

/// Weights of bytes, as in Pillow and PyTorch: multiples of the finest power of two for which the largest of them takes
/// 16 bits with its sign. Sums of their products with bytes are exact.
template <class T>
void round_weights(Taps<T>& taps) {
  T largest = 0;
  for (const T weight : taps.weight) largest = std::max(largest, weight);
  int bits = 0;
  while (bits < 22 && std::floor(std::ldexp(largest, bits + 1) + T(0.5)) < 32768) ++bits;
  for (T& weight : taps.weight) weight = std::ldexp(std::round(std::ldexp(weight, bits)), -bits);
}

/// Weighted sums of bytes are bytes after each dim.
template <class T>
void round_to_bytes(const Tensor& tensor) {
  T* values = tensor.data_as<T>();
  for (int64_t i = 0, count = tensor.numel().expect(); i < count; ++i)
    values[i] = std::clamp(std::floor(values[i] + T(0.5)), T(0), T(255));
}

/// args: self, sizes of the result's spatial dims, mode, align_corners, scales.
template <class T>
Tensor resample(const Value* args, bool transposed) {
  constexpr DType type = std::is_same_v<T, double> ? DType::float64 : DType::float32;
  const Dims sizes = args[1].dims();
  const std::vector<double>& scales = args[4].real_list();
  Tensor current = contiguous_as(args[0].tensor(), type);
  // The last dim first; its transpose last.
  for (int step = 0; step < sizes.size(); ++step) {
    const int d = transposed ? step : sizes.size() - 1 - step, dim = current.dim() - sizes.size() + d;
    const int64_t before = current.sizes()[dim], after = sizes[d];
    const Axis axis{transposed ? after : before, transposed ? before : after,
                    scales.empty() ? 0 : scales[size_t(d)]};
    const bool bytes = args[0].impl()->meta.dtype == DType::uint8;
    Taps<T> taps = make_taps<T>(axis, args[2].string(), args[3].boolean());
    if (bytes) round_weights(taps);
    Dims next_sizes = current.sizes();
    next_sizes[dim] = after;
    const Tensor next = Tensor::empty(next_sizes, type);
    const RowShape shape = row_shape(current.sizes(), dim);
    apply(taps, axis, shape.outer, shape.inner, transposed, current.data_as<T>(), next.data_as<T>());
    if (bytes) round_to_bytes<T>(next);
    current = next;
  }
  return current;
}

void run(const Op& op, const Value* args, bool transposed, Value* results) {
  const DType type = infer_single(op, args).dtype;  // checks the arguments
  // Integers are only moved ('nearest'), or bytes; double has these numbers.
  const bool single = is_floating(type) && type != DType::float64;
  const Tensor result = single ? resample<float>(args, transposed) : resample<double>(args, transposed);
  results[0] = contiguous_as(result, type);
}

}  // namespace

/// args: self, sizes of the result's spatial dims, mode, ...
void meta_resample(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  const Dims spatial = args[1].dims();
  const std::string& mode = args[2].string();
  const bool moves = mode[0] == 'n';
  FRAMEJIT_CHECK_TYPE(
      is_floating(self.dtype) || self.dtype == DType::uint8 || (moves && self.dtype != DType::bool_),
      not_implemented, "\"interpolate\" with mode '", mode, "' not implemented for '", dtype_name(self.dtype),
      "'");
  Dims sizes(self.sizes.span().first(2));
  for (int d = 0; d < spatial.size(); ++d) {
    FRAMEJIT_CHECK(spatial.sym(d) > 0 && self.sizes.sym(d + 2) > 0,
                   "Input and output sizes should be greater than 0, but got input ", sizes_text(self.sizes),
                   " and output ", sizes_text(spatial));
    sizes.push_back(spatial.sym(d));
  }
  results.push_back(contiguous_meta(std::move(sizes), self.dtype, self.device));
}

void resample_kernel(const Op& op, const Value* args, Value* results) { run(op, args, false, results); }
void resample_backward_kernel(const Op& op, const Value* args, Value* results) {
  run(op, args, true, results);
}

}  // namespace framejit::eager
