// constant_pad_nd, im2col and col2im.
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/images/patches.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"
#include "eager/meta/convolution.h"

namespace framejit::eager {

using namespace cpu;

/// args: self, pad, value.
void meta_constant_pad(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  const Dims pad = args[1].dims();
  const int rank = self.sizes.size();
  FRAMEJIT_CHECK(pad.size() % 2 == 0, "Length of pad must be even but instead it equals ", pad.size());
  FRAMEJIT_CHECK(
      pad.size() <= 2 * rank,
      "Length of pad should be no more than twice the number of dimensions of the input. Pad length is ",
      pad.size(), " while the input has ", rank, " dimensions.");
  Dims sizes = self.sizes;
  constexpr int64_t most = int64_t(1) << 60;  // sums of three such sizes fit
  for (int i = 0; i < pad.size(); ++i)
    FRAMEJIT_CHECK(pad.sym(i).hint() < most && pad.sym(i).hint() > -most, "pad: got ", pad.sym(i).str(),
                   " new elements, expected fewer than 2**60");
  for (int i = 0; i < pad.size() / 2; ++i) {
    const int dim = rank - 1 - i;
    const SymInt before = pad.sym(2 * i), after = pad.sym(2 * i + 1),
                 size = self.sizes.sym(dim) + before + after;
    FRAMEJIT_CHECK(size >= 0, "The input size ", self.sizes.sym(dim).str(), ", plus negative padding ",
                   before.str(), " and ", after.str(),
                   " resulted in a negative output size, which is invalid. Check dimension ", dim,
                   " of your input.");
    sizes[dim] = size.bits();
  }
  results.push_back(contiguous_meta(std::move(sizes), self.dtype, self.device));
}

/// Fills everything but the part of `sizes` that begins at element `start` of the contiguous `result`: what
/// lies before and between the rows of that part.
template <class T>
static void fill_around(const Tensor& result, const Dims& sizes, int64_t start, T* data, T value) {
  const int rank = result.dim();
  int64_t filled = 0;  // all before is filled, or kept
  const int64_t row = rank == 0 ? 1 : sizes[rank - 1];
  const Dims outer = rank == 0 ? Dims() : Dims(std::span(sizes.begin(), size_t(rank - 1)));
  const Dims steps = rank == 0 ? Dims() : Dims(std::span(result.strides().begin(), size_t(rank - 1)));
  for (int64_t offset : enumerate_offsets(outer.span(), steps.span())) {
    std::fill(data + filled, data + start + offset, value);
    filled = start + offset + row;
  }
  std::fill(data + filled, data + result.numel().expect(), value);
}

void constant_pad_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const Dims pad = args[1].dims();
  Tensor result = allocate_result(op, args);
  const Value number = args[2].tag() == Value::Tag::complex && !is_complex(self.dtype())
                           ? Value(args[2].real())  // the user's error
                           : args[2];
  // The part of self that is kept, and where it lies in the result.
  Dims sizes = self.sizes();
  int64_t from = 0, to = 0;
  for (int i = 0; i < pad.size() / 2; ++i) {
    const int dim = self.dim() - 1 - i;
    const int64_t cut = std::max<int64_t>(0, -pad[2 * i]);
    sizes[dim] -= cut + std::max<int64_t>(0, -pad[2 * i + 1]);
    from += cut * self.strides()[dim];
    to += std::max<int64_t>(0, pad[2 * i]) * result.strides()[dim];
  }
  const bool any = std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size > 0; });
  for_any_dtype(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T value = element_of<T>(number);
    T* data = result.data_as<T>();
    if (any)
      fill_around(result, sizes, to, data, value);
    else
      std::fill_n(data, result.numel().expect(), value);
  });
  if (any)
    copy_elements(reshaped_view(self, sizes, self.strides(), from),
                  reshaped_view(result, sizes, result.strides(), to));
  results[0] = std::move(result);
}

namespace {

/// kernel_size, dilation, padding and stride of im2col and col2im, and the sizes of the image.
struct ColumnArgs {
  Dims kernel, dilation, padding, stride, image;

  ColumnArgs(const Value* args, Dims image_sizes)
      : kernel(expanded_list(args[0].dims(), 2, "kernel_size")),
        dilation(expanded_list(args[1].dims(), 2, "dilation")),
        padding(expanded_list(args[2].dims(), 2, "padding")),
        stride(expanded_list(args[3].dims(), 2, "stride")),
        image(std::move(image_sizes)) {
    for (int d = 0; d < 2; ++d) {
      FRAMEJIT_CHECK(kernel.sym(d) > 0, "kernel size should be greater than zero, but got ",
                     sizes_text(kernel));
      FRAMEJIT_CHECK(dilation.sym(d) > 0, "dilation should be greater than zero, but got ",
                     sizes_text(dilation));
      FRAMEJIT_CHECK(padding.sym(d) >= 0, "padding should be non-negative, but got ", sizes_text(padding));
      FRAMEJIT_CHECK(stride.sym(d) > 0, "stride should be greater than zero, but got ", sizes_text(stride));
    }
  }
  SymInt places(int d) const {
    return window_places(image.sym(d), kernel.sym(d), stride.sym(d), padding.sym(d), dilation.sym(d));
  }
  SymInt count() const {
    const SymInt high = places(0), wide = places(1);
    FRAMEJIT_CHECK(high > 0 && wide > 0, "Given input with spatial size ", sizes_text(image),
                   ", kernel_size=", sizes_text(kernel), ", dilation=", sizes_text(dilation),
                   ", padding=", sizes_text(padding),
                   ", calculated shape of the array of sliding blocks as [", high.str(), ", ", wide.str(),
                   "], but its components must be at least one.");
    return high * wide;
  }
  Window window() const {
    return {spatial(image, 1),    spatial(kernel, 1),  spatial(stride, 1),
            spatial(dilation, 1), spatial(padding, 0), spatial({places(0).expect(), places(1).expect()}, 1)};
  }
};

/// Places of one row that a tap of the window meets in the image: `count` columns from `column` on, and the elements
/// of the image from `element` on, `window.stride[2]` apart. Before and behind them the tap meets padding.
struct TapRow {
  int64_t column, element, count, before, behind;
};
/// Calls `f` for the rows of each tap, in the order of the columns.
template <class F>
void for_each_tap_row(const Window& window, F f) {
  const Spatial &image = window.input, &places = window.output;
  const int64_t stride = window.stride[2];
  int64_t column = 0;
  for (int64_t ky = 0; ky < window.kernel[1]; ++ky)
    for (int64_t kx = 0; kx < window.kernel[2]; ++kx) {
      const int64_t start = kx * window.dilation[2] - window.padding[2];  // where the first place reads
      const int64_t first = std::clamp<int64_t>(start >= 0 ? 0 : (stride - 1 - start) / stride, 0, places[2]);
      const int64_t past = std::clamp<int64_t>((image[2] - start + stride - 1) / stride, first, places[2]);
      for (int64_t y = 0; y < places[1]; ++y, column += places[2]) {
        const int64_t row = y * window.stride[1] - window.padding[1] + ky * window.dilation[1];
        if (uint64_t(row) < uint64_t(image[1]))
          f(TapRow{column + first, row * image[2] + start + first * stride, past - first, first,
                   places[2] - past});
        else
          f(TapRow{column, 0, 0, 0, places[2]});
      }
    }
}

template <class T>
void read_tap_row(const T* image, const TapRow& row, int64_t stride, T* columns) {
  T* to = columns + row.column;
  std::fill_n(to - row.before, row.before, T(0));
  if (stride == 1)
    std::copy_n(image + row.element, row.count, to);
  else
    for (int64_t x = 0; x < row.count; ++x) to[x] = image[row.element + x * stride];
  std::fill_n(to + row.count, row.behind, T(0));
}
template <class T>
void add_tap_row(const T* columns, const TapRow& row, int64_t stride, T* image) {
  const T* from = columns + row.column;
  T* to = image + row.element;
  if (stride == 1)
    for (int64_t x = 0; x < row.count; ++x) to[x] = wrapping_sum(to[x], from[x]);
  else
    for (int64_t x = 0; x < row.count; ++x) to[x * stride] = wrapping_sum(to[x * stride], from[x]);
}

void check_rank(const TensorMeta& input, int batched, const char* what) {
  FRAMEJIT_CHECK(input.sizes.size() == batched || input.sizes.size() == batched - 1, "Expected ", batched - 1,
                 "D or ", batched, "D (batch mode) tensor ", what, ", but got: ", sizes_text(input.sizes));
}

}  // namespace

/// args: input, kernel_size, dilation, padding, stride.
void meta_im2col(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& input = args[0].impl()->meta;
  check_rank(input, 4, "for input");
  const int rank = input.sizes.size();
  const ColumnArgs columns(args + 1, Dims(input.sizes.span().last(2)));
  Dims sizes;
  if (rank == 4) sizes.push_back(input.sizes.sym(0));
  sizes.push_back(input.sizes.sym(rank - 3) * columns.kernel.sym(0) * columns.kernel.sym(1));
  sizes.push_back(columns.count());
  results.push_back(contiguous_meta(std::move(sizes), input.dtype, input.device));
}

void im2col_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor input = contiguous(args[0].tensor());
  Tensor result = allocate_result(op, args);
  const Window window = ColumnArgs(args + 1, Dims(input.sizes().span().last(2))).window();
  const int64_t image = volume(window.input), column = volume(window.kernel) * volume(window.output);
  const int64_t planes = image == 0 ? 0 : input.numel().expect() / image;
  for_item_size(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = input.data_as<T>();
    T* to = result.data_as<T>();
    parallel_for(planes, std::max<int64_t>(1, 32768 / column), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        for_each_tap_row(window, [&](const TapRow& row) {
          read_tap_row(from + i * image, row, window.stride[2], to + i * column);
        });
      }
    });
  });
  results[0] = std::move(result);
}

/// args: input, output_size, kernel_size, dilation, padding, stride.
void meta_col2im(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& input = args[0].impl()->meta;
  check_rank(input, 3, "for input");
  const int rank = input.sizes.size();
  const Dims image = expanded_list(args[1].dims(), 2, "output_size");
  const ColumnArgs columns(args + 2, image);
  const SymInt taps = columns.kernel.sym(0) * columns.kernel.sym(1), rows = input.sizes.sym(rank - 2);
  FRAMEJIT_CHECK(
      floor_mod(rows, taps) == 0,
      "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
      "input.size(1)=",
      rows.str(), " and kernel_size=", sizes_text(columns.kernel), ".");
  const SymInt count = columns.count();
  FRAMEJIT_CHECK(input.sizes.sym(rank - 1) == count, "Given output_size=", sizes_text(image),
                 ", kernel_size=", sizes_text(columns.kernel), ", dilation=", sizes_text(columns.dilation),
                 ", padding=", sizes_text(columns.padding), ", stride=", sizes_text(columns.stride),
                 ", expected size of input's dimension 2 to match the calculated number of sliding blocks ",
                 count.str(), ", but got input.size(2)=", input.sizes.sym(rank - 1).str(), ".");
  Dims sizes;
  if (rank == 3) sizes.push_back(input.sizes.sym(0));
  sizes.push_back(floor_div(rows, taps));
  sizes.push_back(image.sym(0));
  sizes.push_back(image.sym(1));
  results.push_back(contiguous_meta(std::move(sizes), input.dtype, input.device));
}

void col2im_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor input = contiguous(args[0].tensor());
  Tensor result = allocate_result(op, args);
  const Window window = ColumnArgs(args + 2, Dims(result.sizes().span().last(2))).window();
  const int64_t image = volume(window.input), column = volume(window.kernel) * volume(window.output);
  const int64_t planes = image == 0 ? 0 : result.numel().expect() / image;
  for_any_dtype(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = input.data_as<T>();
    T* to = result.data_as<T>();
    parallel_for(planes, std::max<int64_t>(1, 32768 / column), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        std::fill_n(to + i * image, image, T(0));
        for_each_tap_row(window, [&](const TapRow& row) {
          add_tap_row(from + i * column, row, window.stride[2], to + i * image);
        });
      }
    });
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
