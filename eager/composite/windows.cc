// Windows of signal processing.
#include <numbers>

#include "eager/composite/support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/special.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

/// What a window is made of: the places 0 ... n - 1 in units of the period, from 0 to 1. Windows of fewer
/// than two samples are ones.
struct Window {
  Tensor places;
  DType dtype;
  SymInt length;
  bool trivial;

  /// args: window_length, periodic, ... dtype, device; `dtype_at` is where the dtype is.
  Window(const char* name, const Value* args, int dtype_at)
      : dtype(dtype_or(args[dtype_at], default_dtype())), length(args[0].sym_int()), trivial(length <= 1) {
    FRAMEJIT_CHECK(is_floating(dtype), name, " expects floating point dtypes, got: ", dtype_name(dtype));
    FRAMEJIT_CHECK(length >= 0, name,
                   " requires non-negative window_length, got window_length=", length.str());
    const std::optional<Device> device = optional_device(args[dtype_at + 1]);
    if (trivial) {
      places = ones(one_dim(length), dtype, device);
      return;
    }
    const SymInt period = args[1].boolean() ? length : length - 1;
    places = arange(Value(0), Value(length), Value(1), DType::float64, device) / Value(period);
  }
  Tensor wave(int periods) const { return cos(places * (2 * std::numbers::pi * periods)); }
  Tensor finished(const Tensor& values) const { return trivial ? places : cast(values, dtype); }
};

}  // namespace

void hann_window_composite(const Value* args, Value* results) {
  const Window window("hann_window", args, 2);
  results[0] = window.finished(rsub(window.wave(1) * 0.5, 0.5));
}
/// args: window_length, periodic, alpha, beta, dtype, device.
void hamming_window_composite(const Value* args, Value* results) {
  const Window window("hamming_window", args, 4);
  results[0] = window.finished(rsub(window.wave(1) * args[3], args[2]));
}
void bartlett_window_composite(const Value* args, Value* results) {
  const Window window("bartlett_window", args, 2);
  results[0] = window.finished(rsub(abs(window.places * 2 - 1), 1));
}
void blackman_window_composite(const Value* args, Value* results) {
  const Window window("blackman_window", args, 2);
  results[0] = window.finished(window.wave(2) * 0.08 - window.wave(1) * 0.5 + 0.42);
}

/// args: window_length, periodic, beta, dtype, device.
void kaiser_window_composite(const Value* args, Value* results) {
  const Window window("kaiser_window", args, 3);
  const Tensor distance = window.places * 2 - 1;
  const Tensor inside = sqrt(clamp_min(rsub(square(distance), 1), 0));
  const Tensor height = full({}, args[2], DType::float64), arch = inside * height;
  // i0(arch) / i0(height), each without its exponential, which overflows
  results[0] = window.finished(special_i0e(arch) / special_i0e(height) * exp(abs(arch) - abs(height)));
}

}  // namespace framejit::eager
