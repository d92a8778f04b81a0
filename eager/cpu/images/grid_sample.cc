// Images read at given places: each element of the result is a weighted sum of a few of an image's. Which ones, and
// the weights, are found once for a block of places and serve all channels.
#include <algorithm>
#include <array>

#include "eager/cpu/images/sample_rows.h"
#include "eager/cpu/isa.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"

FRAMEJIT_CHOSEN_BY_ISA(cpu::SampleRows<float>, sample_rows_float,
                       template <> const SampleRows<float>& sample_rows<float>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::SampleRows<double>, sample_rows_double,
                       template <> const SampleRows<double>& sample_rows<double>())

namespace framejit::eager {

using namespace cpu;

namespace {

/// Channels whose gradients one piece of work makes: enough to be worth finding the taps anew.
constexpr int64_t kChannels = 8;

/// Sizes of a call. The grid has x, the innermost dim of the images, first.
struct Sampling {
  int64_t images, channels, plane, places;
  int dims;
  std::array<SampledDim, 3> dim;  ///< from the outermost

  /// args: interpolation_mode, padding_mode, align_corners.
  Sampling(const Tensor& input, const Tensor& grid, const Value* args)
      : images(input.sizes()[0]), channels(input.sizes()[1]), plane(1), places(1), dims(input.dim() - 2) {
    for (int d = dims - 1; d >= 0; --d) {
      dim[size_t(d)] = {input.sizes()[d + 2], plane, SampleMode(args[0].integer()),
                        SamplePadding(args[1].integer()), args[2].boolean()};
      plane *= input.sizes()[d + 2];
      places *= grid.sizes()[d + 1];
    }
  }
  int64_t blocks(int64_t size) const { return (places + size - 1) / size; }
};

/// The taps of a block of places.
template <class T>
class Taps {
 public:
  using Rows = SampleRows<T>;
  using Offset = typename Rows::Offset;

  explicit Taps(const Sampling& sampling) : sampling_(sampling) {}

  /// Of places [first, first + n) of an image's grid. `slopes`: whether to find these too.
  void find(const T* grid, int64_t first, int64_t n, bool slopes = false) {
    const int dims = sampling_.dims;
    count = 1;
    for (int d = 0; d < dims; ++d) {
      const size_t at = size_t(d);
      rows_.taps(sampling_.dim[at], grid + first * dims + (dims - 1 - d), dims, n, dim_offsets_[at],
                 dim_weights[at], slopes ? dim_slopes[at] : nullptr);
      count *= sampling_.dim[at].taps();
    }
    const int64_t each = sampling_.dim[0].taps();
    if (dims == 2)
      return rows_.combine(dim_offsets_[0], dim_weights[0], each, dim_offsets_[1], dim_weights[1], each, n,
                           offsets, weights);
    rows_.combine(dim_offsets_[1], dim_weights[1], each, dim_offsets_[2], dim_weights[2], each, n,
                  inner_offsets_, inner_weights_);
    rows_.combine(dim_offsets_[0], dim_weights[0], each, inner_offsets_, inner_weights_, each * each, n,
                  offsets, weights);
  }

  int64_t count = 1;
  Offset offsets[Rows::kMostTaps * Rows::kPlaces];
  T weights[Rows::kMostTaps * Rows::kPlaces];
  T dim_weights[3][Rows::kMostDimTaps * Rows::kPlaces];
  T dim_slopes[3][Rows::kMostDimTaps * Rows::kPlaces];

 private:
  const Sampling& sampling_;
  const Rows& rows_ = sample_rows<T>();
  Offset dim_offsets_[3][Rows::kMostDimTaps * Rows::kPlaces];
  Offset inner_offsets_[Rows::kMostTaps * Rows::kPlaces];
  T inner_weights_[Rows::kMostTaps * Rows::kPlaces];
};

/// Calls `run(image, first, n)` for all blocks of places of all images, on all threads.
template <class T, class Run>
void for_each_block(const Sampling& s, const Run& run) {
  constexpr int64_t kPlaces = SampleRows<T>::kPlaces;
  const int64_t blocks = s.blocks(kPlaces);
  parallel_for(s.images * blocks, std::max<int64_t>(1, 256 / (s.channels + 4)),
               [&](int64_t begin, int64_t end) {
                 Taps<T> taps(s);
                 for (int64_t b = begin; b < end; ++b) {
                   const int64_t first = b % blocks * kPlaces;
                   run(taps, b / blocks, first, std::min(kPlaces, s.places - first));
                 }
               });
}

template <class T>
void sample(const Sampling& s, const T* input, const T* grid, T* out) {
  const SampleRows<T>& rows = sample_rows<T>();
  for_each_block<T>(s, [&](Taps<T>& taps, int64_t image, int64_t first, int64_t n) {
    taps.find(grid + image * s.places * s.dims, first, n);
    for (int64_t c = image * s.channels; c < (image + 1) * s.channels; ++c)
      rows.gather(input + c * s.plane, taps.offsets, taps.weights, taps.count, n, out + c * s.places + first);
  });
}

/// Some channels of an image at a time, each written by one thread.
template <class T>
void image_gradients(const Sampling& s, const T* grad, const T* grid, T* out) {
  constexpr int64_t kPlaces = SampleRows<T>::kPlaces;
  const int64_t groups = (s.channels + kChannels - 1) / kChannels;
  parallel_for(s.images * groups, 1, [&](int64_t begin, int64_t end) {
    Taps<T> taps(s);
    for (int64_t g = begin; g < end; ++g) {
      const int64_t image = g / groups, first_channel = image * s.channels + g % groups * kChannels;
      const int64_t past = std::min(first_channel + kChannels, (image + 1) * s.channels);
      std::fill(out + first_channel * s.plane, out + past * s.plane, T(0));
      for (int64_t first = 0; first < s.places; first += kPlaces) {
        const int64_t n = std::min(kPlaces, s.places - first);
        taps.find(grid + image * s.places * s.dims, first, n);
        for (int64_t c = first_channel; c < past; ++c)
          sample_rows<T>().scatter(out + c * s.plane, taps.offsets, taps.weights, taps.count, n,
                                   grad + c * s.places + first);
      }
    }
  });
}

/// What the coordinate of dim `d` changes: the sum over taps of `sums` times the weights of the other dims times its
/// slope. `out`: the coordinates of a place lie side by side.
template <class T>
void coordinate_gradients(const Sampling& s, const Taps<T>& taps, const T* sums, int d, int64_t n, T* out) {
  constexpr int64_t kPlaces = SampleRows<T>::kPlaces;
  for (int64_t k = 0; k < taps.count; ++k) {
    int64_t rest = k;
    std::array<const T*, 3> factors{};
    for (int e = s.dims - 1; e >= 0; --e) {
      const size_t at = size_t(e);
      const int64_t tap = rest % s.dim[at].taps();
      rest /= s.dim[at].taps();
      factors[at] = (e == d ? taps.dim_slopes : taps.dim_weights)[at] + tap * kPlaces;
    }
    for (int64_t i = 0; i < n; ++i) {
      T product = sums[k * kPlaces + i] * factors[0][i] * factors[1][i];
      if (s.dims == 3) product *= factors[2][i];
      out[i * s.dims + (s.dims - 1 - d)] += product;
    }
  }
}

template <class T>
void grid_gradients(const Sampling& s, const T* grad, const T* input, const T* grid, T* out) {
  using Rows = SampleRows<T>;
  for_each_block<T>(s, [&](Taps<T>& taps, int64_t image, int64_t first, int64_t n) {
    taps.find(grid + image * s.places * s.dims, first, n, true);
    T sums[Rows::kMostTaps * Rows::kPlaces] = {};
    for (int64_t c = image * s.channels; c < (image + 1) * s.channels; ++c)
      sample_rows<T>().correlate(input + c * s.plane, taps.offsets, taps.count, n,
                                 grad + c * s.places + first, sums);
    T* to = out + (image * s.places + first) * s.dims;
    std::fill_n(to, n * s.dims, T(0));
    for (int d = 0; d < s.dims; ++d) coordinate_gradients(s, taps, sums, d, n, to);
  });
}

/// Calls `f(T())`; offsets into a plane must fit into an integer of that size.
template <class F>
void for_type(const Tensor& input, const Sampling& s, const F& f) {
  if (input.dtype() == DType::float64) return f(double());
  FRAMEJIT_CHECK_TYPE(input.dtype() == DType::float32, not_implemented,
                      "\"grid_sampler\" not implemented for '", dtype_name(input.dtype()),
                      "' on cpu; it exists for floating types");
  FRAMEJIT_CHECK(s.plane <= std::numeric_limits<int32_t>::max(),
                 "grid_sampler(): expected images of at most ", std::numeric_limits<int32_t>::max(),
                 " elements per channel, got ", s.plane, "; use float64, or cut them");
  f(float());
}

}  // namespace

/// args: images, grid, interpolation_mode, padding_mode, align_corners.
void meta_sample_images(const Op&, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &input = args[0].impl()->meta, &grid = args[1].impl()->meta;
  Dims sizes;
  sizes.push_back(input.sizes.sym(0));
  sizes.push_back(input.sizes.sym(1));
  for (int d = 1; d < grid.sizes.size() - 1; ++d) sizes.push_back(grid.sizes.sym(d));
  results.push_back(contiguous_meta(std::move(sizes), input.dtype, input.device));
}

void sample_images_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor input = contiguous(args[0].tensor()), grid = contiguous(args[1].tensor());
  Tensor result = allocate_result(op, args);
  const Sampling sampling(input, grid, args + 2);
  for_type(input, sampling, [&](auto zero) {
    using T = decltype(zero);
    sample(sampling, input.data_as<T>(), grid.data_as<T>(), result.data_as<T>());
  });
  results[0] = std::move(result);
}

/// args: grad, then as above, then whether the gradient of the images is needed, and that of the grid. What is not
/// is empty.
void meta_sample_images_gradients(const Op&, const Value* args, std::vector<TensorMeta>& results) {
  for (int i = 0; i < 2; ++i) {
    const TensorMeta& of = args[1 + i].impl()->meta;
    results.push_back(contiguous_meta(args[6 + i].boolean() ? of.sizes : Dims{0}, of.dtype, of.device));
  }
}

void sample_images_gradients_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor grad = contiguous(args[0].tensor()), input = contiguous(args[1].tensor()),
               grid = contiguous(args[2].tensor());
  std::vector<TensorMeta> metas;
  meta_sample_images_gradients(op, args, metas);
  const Tensor of_input = Tensor::empty(metas[0]), of_grid = Tensor::empty(metas[1]);
  const Sampling sampling(input, grid, args + 3);
  for_type(input, sampling, [&](auto zero) {
    using T = decltype(zero);
    if (args[6].boolean())
      image_gradients(sampling, grad.data_as<T>(), grid.data_as<T>(), of_input.data_as<T>());
    if (args[7].boolean())
      grid_gradients(sampling, grad.data_as<T>(), input.data_as<T>(), grid.data_as<T>(),
                     of_grid.data_as<T>());
  });
  results[0] = of_input;
  results[1] = of_grid;
}

}  // namespace framejit::eager
