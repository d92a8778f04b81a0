// Resampling: each element of the result is a weighted sum of few elements of the input, dim by dim.
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loops/row_ops.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// Which elements of the input go into each place of the result, along one dim, and with what weights.
template <class T>
struct Taps {
  std::vector<int64_t> start{0};  ///< of each place, its first tap; then the number of taps
  std::vector<int64_t> index;
  std::vector<T> weight;

  void add(int64_t i, T w) {
    index.push_back(i);
    weight.push_back(w);
  }
  void end_place() { start.push_back(int64_t(index.size())); }
  int64_t places() const { return int64_t(start.size()) - 1; }
  int64_t count(int64_t place) const { return start[size_t(place) + 1] - start[size_t(place)]; }

  /// Which places each of `elements` elements goes to, in their order.
  Taps transposed(int64_t elements) const {
    Taps result;
    result.start.assign(size_t(elements) + 1, 0);
    for (const int64_t i : index) ++result.start[size_t(i) + 1];
    std::partial_sum(result.start.begin(), result.start.end(), result.start.begin());
    result.index.resize(index.size());
    result.weight.resize(index.size());
    std::vector<int64_t> next = result.start;
    for (int64_t place = 0; place < places(); ++place)
      for (int64_t t = start[size_t(place)]; t < start[size_t(place) + 1]; ++t) {
        const size_t to = size_t(next[size_t(index[size_t(t)])]++);
        result.index[to] = place;
        result.weight[to] = weight[size_t(t)];
      }
    return result;
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
    taps.end_place();
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
    taps.end_place();
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
    taps.end_place();
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
/// the input.
template <class T, class Kernel>
void add_antialiased(const Axis& axis, bool align_corners, T reach, Kernel kernel, Taps<T>& taps) {
  const T step = source_step<T>(axis, align_corners), width = std::max(step, T(1)), support = reach * width;
  std::vector<T> weights;
  for (int64_t i = 0; i < axis.output; ++i) {
    const T centre = step * (T(i) + T(0.5));
    const int64_t first = std::max<int64_t>(int64_t(centre - support + T(0.5)), 0);
    const int64_t past = std::min<int64_t>(int64_t(centre + support + T(0.5)), axis.input);
    weights.clear();
    for (int64_t k = first; k < past; ++k) weights.push_back(kernel((T(k) - centre + T(0.5)) / width));
    const T total = std::accumulate(weights.begin(), weights.end(), T(0));
    for (int64_t k = first; k < past; ++k)
      taps.add(k, total == 0 ? T(0) : weights[size_t(k - first)] / total);
    taps.end_place();
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
  if (mode == "linear")
    add_linear(axis, align_corners, taps);
  else if (mode == "cubic")
    add_cubic(axis, align_corners, taps);
  else
    add_nearest(axis, mode == "nearest-exact", taps);
  return taps;
}

/// Places [begin, end) of a row whose elements lie side by side, all with kCount taps; any number of them if that is 0.
template <int kCount, class T>
void gather_places(const Taps<T>& taps, int64_t begin, int64_t end, const T* row, T* to) {
  const int64_t* start = taps.start.data();
  const int64_t* index = taps.index.data() + start[begin];
  const T* weight = taps.weight.data() + start[begin];
  for (int64_t i = begin; i < end; ++i) {
    const int64_t count = kCount > 0 ? kCount : start[i + 1] - start[i];
    T sum = count > 0 ? weight[0] * row[index[0]] : T(0);
    for (int64_t t = 1; t < count; ++t) sum += weight[t] * row[index[t]];
    to[i] = sum;
    index += count;
    weight += count;
  }
}

/// Places of rows whose elements lie side by side. Most have as many taps as the one in the middle.
template <class T>
class ElementGather {
 public:
  explicit ElementGather(const Taps<T>& taps) : taps_(taps), begin_(taps.places() / 2), end_(begin_) {
    if (taps.places() == 0) return;
    const int64_t count = taps.count(begin_);
    while (begin_ > 0 && taps.count(begin_ - 1) == count) --begin_;
    while (end_ < taps.places() && taps.count(end_) == count) ++end_;
    inner_ = count == 1   ? gather_places<1, T>
             : count == 2 ? gather_places<2, T>
             : count == 3 ? gather_places<3, T>
             : count == 4 ? gather_places<4, T>
                          : gather_places<0, T>;
  }
  void row(const T* from, T* to) const {
    gather_places<0>(taps_, 0, begin_, from, to);
    if (begin_ < end_) inner_(taps_, begin_, end_, from, to);
    gather_places<0>(taps_, end_, taps_.places(), from, to);
  }

 private:
  const Taps<T>& taps_;
  int64_t begin_, end_;
  void (*inner_)(const Taps<T>&, int64_t, int64_t, const T*, T*) = nullptr;
};

/// Places that are rows of `inner` elements.
template <class T>
void gather_rows(const Taps<T>& taps, int64_t inner, const T* from, T* to) {
  const RowOps<T>& ops = RowOps<T>::get();
  ScratchScope scope;
  T* product = Scratch::of_thread().take_array<T>(inner);
  for (int64_t i = 0; i < taps.places(); ++i, to += inner) {
    const size_t first = size_t(taps.start[size_t(i)]), past = size_t(taps.start[size_t(i) + 1]);
    if (first == past) std::fill_n(to, inner, T(0));
    for (size_t tap = first; tap < past; ++tap) {
      const T* row = from + taps.index[tap] * inner;
      const T weight = taps.weight[tap];
      if (tap == first) {
        ops.multiply(row, weight, inner, to);
      } else if (weight == T(1)) {
        ops.add(to, row, inner, to);
      } else {
        ops.multiply(row, weight, inner, product);
        ops.add(to, product, inner, to);
      }
    }
  }
}

/// `from` is outer x elements x inner, `to` outer x places x inner.
template <class T>
void apply(const Taps<T>& taps, int64_t elements, int64_t outer, int64_t inner, const T* from, T* to) {
  const int64_t from_size = elements * inner, to_size = taps.places() * inner;
  const ElementGather<T> gather(taps);
  parallel_for(outer, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, to_size)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t o = begin; o < end; ++o)
                   if (inner == 1)
                     gather.row(from + o * from_size, to + o * to_size);
                   else
                     gather_rows(taps, inner, from + o * from_size, to + o * to_size);
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
    if (transposed) taps = taps.transposed(axis.input);
    Dims next_sizes = current.sizes();
    next_sizes[dim] = after;
    const Tensor next = Tensor::empty(next_sizes, type);
    const RowShape shape = row_shape(current.sizes(), dim);
    apply(taps, before, shape.outer, shape.inner, current.data_as<T>(), next.data_as<T>());
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
