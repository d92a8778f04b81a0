// fj.fft in terms of the three kernels of eager/cpu/fft/.
#include "eager/autograd/fft_formulas.h"
#include "eager/composite/support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/complex.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/fft.h"
#include "generated/ops/joining.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

constexpr int64_t kNone = 0, kByRoot = 1, kByCount = 2;

/// `norm` says which direction is divided: 'backward' (None), 'forward', or both by the root: 'ortho'.
int64_t normalization_of(const Value& norm, bool forward) {
  const std::string name = norm.is_none() ? "backward" : norm.string();
  if (name == "ortho") return kByRoot;
  FRAMEJIT_CHECK(name == "backward" || name == "forward", "Invalid normalization mode: \"", name, "\"");
  return (name == "forward") == forward ? kByCount : kNone;
}

Tensor as_complex(const char* name, const Tensor& x) {
  if (is_complex(x.dtype())) return x;
  const DType real = is_floating(x.dtype()) ? x.dtype() : default_dtype();
  FRAMEJIT_CHECK(item_size(real) >= 4, name, ": Unsupported dtype ", dtype_name(real));
  return cast(x, complex_type(real));
}
Tensor as_real(const char* name, const Tensor& x) {
  FRAMEJIT_CHECK(!is_complex(x.dtype()), name, " expects a real input tensor, but got ",
                 dtype_name(x.dtype()));
  if (!is_floating(x.dtype())) return cast(x, default_dtype());
  FRAMEJIT_CHECK(item_size(x.dtype()) >= 4, name, ": Unsupported dtype ", dtype_name(x.dtype()));
  return x;
}

/// Cut off, or continued with zeros.
Tensor resized(const Tensor& x, int dim, SymInt size) {
  FRAMEJIT_CHECK(size >= 1, "Invalid number of data points (", size.str(), ") specified");
  if (x.size(dim) == size) return x;
  if (x.size(dim) > size) return narrow(x, dim, 0, size);
  Dims sizes = x.sizes();
  sizes[dim] = (size - x.size(dim)).bits();
  return cat({x, zeros(sizes, x.dtype(), x.device())}, dim);
}

/// Which dims are transformed, and their sizes (-1: as they are).
struct Selection {
  Dims dims, sizes;
};

/// args: self, n, dim.
Selection one_dim_of(const Value* args) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK_TYPE(self.dim() > 0, index, "Dimension specified as ", args[2].integer(),
                      " but tensor has no dimensions");
  const int dim = wrap_dim(args[2].integer(), self.dim());
  return {Dims{dim}, Dims{args[1].is_none() ? int64_t(-1) : args[1].sym_int().bits()}};
}

/// args: self, s, dim. Sizes alone mean the last dims, nothing means all.
Selection several_dims_of(const Value* args) {
  const Tensor self = args[0].tensor();
  const std::optional<Dims> sizes = optional_dims(args[1]), dims = optional_dims(args[2]);
  Selection selection;
  FRAMEJIT_CHECK(!sizes || !dims || sizes->size() == dims->size(),
                 "When given, dim and shape arguments must have the same length");
  FRAMEJIT_CHECK(!sizes || sizes->size() <= self.dim(), "Got shape with ", sizes ? sizes->size() : 0,
                 " values but input tensor only has ", self.dim(), " dimensions.");
  const int count = dims ? dims->size() : sizes ? sizes->size() : self.dim();
  uint64_t seen = 0;
  FRAMEJIT_CHECK_TYPE(count == 0 || self.dim() > 0, index, "Dimension specified as ",
                      dims && count ? (*dims)[0] : 0, " but tensor has no dimensions");
  for (int i = 0; i < count; ++i) {
    const int dim = dims ? wrap_dim((*dims)[i], self.dim()) : self.dim() - count + i;
    FRAMEJIT_CHECK(!(seen >> dim & 1), "FFT dims must be unique");
    seen |= uint64_t(1) << dim;
    selection.dims.push_back(int64_t(dim));
    selection.sizes.push_back(sizes ? (*sizes)[i] : int64_t(-1));
  }
  return selection;
}

/// `x` with its dims of the sizes asked for; `but_last`: not the last one.
Tensor resized(Tensor x, const Selection& selection, bool but_last = false) {
  for (int i = 0; i < selection.dims.size() - (but_last ? 1 : 0); ++i) {
    const int dim = int(selection.dims[i]);
    const SymInt size = selection.sizes.sym(i);
    x = resized(x, dim, size == -1 ? x.size(dim) : size);
  }
  return x;
}

void complex_transform(const char* name, const Selection& selection, const Value* args, bool forward,
                       Value* results) {
  const Tensor x = resized(as_complex(name, args[0].tensor()), selection);
  results[0] =
      selection.dims.empty() ? x : _fft_c2c(x, selection.dims, normalization_of(args[3], forward), forward);
}

void check_some_dim(const char* name, const Selection& selection) {
  FRAMEJIT_CHECK(!selection.dims.empty(), name, " must transform at least one axis");
}

/// Of real to complex transforms; the inverse ones (ihfft) are conjugates.
void half_transform(const char* name, const Selection& selection, const Value* args, bool forward,
                    Value* results) {
  check_some_dim(name, selection);
  const Tensor x = resized(as_real(name, args[0].tensor()), selection);
  const Tensor half = _fft_r2c(x, selection.dims, normalization_of(args[3], forward));
  results[0] = forward ? half : conj(half);
}

/// Of complex to real transforms; the forward ones (hfft) are of the conjugate.
void whole_transform(const char* name, const Selection& selection, const Value* args, bool forward,
                     Value* results) {
  check_some_dim(name, selection);
  const int last = int(selection.dims.back());
  const SymInt asked = selection.sizes.sym(selection.sizes.size() - 1);
  Tensor x = resized(as_complex(name, args[0].tensor()), selection, /*but_last=*/true);
  const SymInt size = asked == -1 ? (x.size(last) - 1) * 2 : asked;
  FRAMEJIT_CHECK(size >= 1, "Invalid number of data points (", size.str(), ") specified");
  x = resized(x, last, floor_div(size, 2) + 1);
  results[0] = _fft_c2r(forward ? conj(x) : x, selection.dims, normalization_of(args[3], forward), size);
}

}  // namespace

void fft_fft_composite(const Value* args, Value* results) {
  complex_transform("fft", one_dim_of(args), args, true, results);
}
void fft_ifft_composite(const Value* args, Value* results) {
  complex_transform("ifft", one_dim_of(args), args, false, results);
}
void fft_rfft_composite(const Value* args, Value* results) {
  half_transform("rfft", one_dim_of(args), args, true, results);
}
void fft_ihfft_composite(const Value* args, Value* results) {
  half_transform("ihfft", one_dim_of(args), args, false, results);
}
void fft_irfft_composite(const Value* args, Value* results) {
  whole_transform("irfft", one_dim_of(args), args, false, results);
}
void fft_hfft_composite(const Value* args, Value* results) {
  whole_transform("hfft", one_dim_of(args), args, true, results);
}

void fft_fftn_composite(const Value* args, Value* results) {
  complex_transform("fftn", several_dims_of(args), args, true, results);
}
void fft_ifftn_composite(const Value* args, Value* results) {
  complex_transform("ifftn", several_dims_of(args), args, false, results);
}
void fft_rfftn_composite(const Value* args, Value* results) {
  half_transform("rfftn", several_dims_of(args), args, true, results);
}
void fft_ihfftn_composite(const Value* args, Value* results) {
  half_transform("ihfftn", several_dims_of(args), args, false, results);
}
void fft_irfftn_composite(const Value* args, Value* results) {
  whole_transform("irfftn", several_dims_of(args), args, false, results);
}
void fft_hfftn_composite(const Value* args, Value* results) {
  whole_transform("hfftn", several_dims_of(args), args, true, results);
}

// --- frequencies, shifts
// ------------------------------------------------------------------------------------------

/// args: n, d, dtype, device.
void fft_fftfreq_composite(const Value* args, Value* results) {
  const int64_t n = args[0].integer(), positive = (n + 1) / 2;
  const DType dtype = dtype_or(args[2], default_dtype());
  const std::optional<Device> device = optional_device(args[3]);
  const Tensor numbers =
      cat({arange(0, positive, 1, dtype, device), arange(-(n / 2), 0, 1, dtype, device)}, 0);
  results[0] = numbers * (1.0 / (double(n) * args[1].real()));
}
void fft_rfftfreq_composite(const Value* args, Value* results) {
  const int64_t n = args[0].integer();
  const Tensor numbers =
      arange(0, n / 2 + 1, 1, dtype_or(args[2], default_dtype()), optional_device(args[3]));
  results[0] = numbers * (1.0 / (double(n) * args[1].real()));
}

namespace {

/// Rolls each dim by half of its size, rounded down (up for the inverse).
Tensor shifted(const Value* args, bool inverse) {
  const Tensor self = args[0].tensor();
  Dims dims = args[1].is_none() ? Dims() : *optional_dims(args[1]), shifts;
  if (args[1].is_none())
    for (int d = 0; d < self.dim(); ++d) dims.push_back(int64_t(d));
  for (int64_t& dim : dims) {
    dim = wrap_dim(dim, self.dim());
    shifts.push_back(floor_div(self.size(int(dim)) + (inverse ? 1 : 0), 2));
  }
  return dims.empty() ? self : roll(self, shifts, dims);
}

}  // namespace

void fft_fftshift_composite(const Value* args, Value* results) { results[0] = shifted(args, false); }
void fft_ifftshift_composite(const Value* args, Value* results) { results[0] = shifted(args, true); }

// --- derivatives
// --------------------------------------------------------------------------------------------------

namespace ops {

/// What is not in the first half of the result has no gradient; the argument is real.
Tensor fft_r2c_backward(const Tensor& grad, const Dims& sizes, const Dims& dim, SymInt normalization) {
  const int last = wrap_dim(dim.back(), sizes.size());
  return real(_fft_c2c(resized(grad, last, sizes.sym(last)), dim, normalization, /*forward=*/false));
}

/// The middle elements of the half count twice: as themselves, and as the conjugates that were left out.
Tensor fft_c2r_backward(const Tensor& grad, const Dims& sizes, const Dims& dim, SymInt normalization) {
  const int last = wrap_dim(dim.back(), sizes.size());
  const Tensor half = _fft_r2c(grad, dim, normalization);
  const SymInt length = half.size(last), doubled = grad.size(last) - length;
  if (!(doubled > 0)) return half;
  return cat({narrow(half, last, 0, 1), narrow(half, last, 1, doubled) * 2,
              narrow(half, last, doubled + 1, length - doubled - 1)},
             last);
}

}  // namespace ops

}  // namespace framejit::eager
