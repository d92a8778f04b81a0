// Short-time Fourier transforms.
#include "eager/composite/support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/complex.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/fft.h"
#include "generated/ops/padding.h"
#include "generated/ops/reduction.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

/// What stft and istft have in common. args: self, n_fft, hop_length, win_length, window.
struct Frames {
  int64_t length, hop;
  Tensor window;  ///< of `length` elements, the given one in their middle

  Frames(const char* name, const Value* args, DType real, Device device) : length(args[1].integer()) {
    hop = args[2].is_none() ? length / 4 : args[2].integer();
    const int64_t given = args[3].is_none() ? length : args[3].integer();
    FRAMEJIT_CHECK(length > 0, name, ": expected n_fft > 0, but got n_fft=", length);
    FRAMEJIT_CHECK(hop > 0, name, ": expected hop_length > 0, but got hop_length=", hop);
    FRAMEJIT_CHECK(given > 0 && given <= length, name,
                   ": expected 0 < win_length <= n_fft, but got win_length=", given);
    window = args[4].is_none() ? ones(Dims{given}, real, device) : args[4].tensor();
    FRAMEJIT_CHECK(window.dim() == 1 && window.size(0) == given, name,
                   ": expected a 1D window tensor of size equal to win_length=", given,
                   ", but got window with size ", sizes_text(window.sizes()));
    if (given == length) return;
    const int64_t left = (length - given) / 2;
    window = constant_pad_nd(window, Dims{left, length - given - left}, 0);
  }
};

Tensor with_batch_dim(const Tensor& x, int rank) { return x.dim() == rank - 1 ? unsqueeze(x, 0) : x; }

}  // namespace

/// args: ..., center, pad_mode, normalized, onesided, return_complex.
void stft_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(
      (is_floating(self.dtype()) || is_complex(self.dtype())) && (self.dim() == 1 || self.dim() == 2),
      "stft: expected a 1D or 2D tensor of floating or complex values, but got ", dtype_name(self.dtype()),
      " ", sizes_text(self.sizes()));
  const Frames frames("stft", args, real_type(self.dtype()), self.device());
  const bool complex_input = is_complex(self.dtype()) || is_complex(frames.window.dtype());
  const bool return_complex = args[9].is_none() ? complex_input : args[9].boolean();
  FRAMEJIT_CHECK(
      !args[9].is_none() || complex_input,
      "stft requires the return_complex parameter be given for real inputs, and will further require that "
      "return_complex=True in a future PyTorch release.");
  const bool onesided = args[8].is_none() ? !complex_input : args[8].boolean();
  FRAMEJIT_CHECK(!onesided || !complex_input, "Cannot have onesided output if window or input is complex");
  Tensor x = with_batch_dim(self, 2);
  if (args[5].boolean()) {
    const int64_t half = frames.length / 2;
    x = squeeze(pad(unsqueeze(x, 1), Dims{half, half}, args[6].string()), one_dim(1));
  }
  FRAMEJIT_CHECK(x.size(1) >= frames.length, "stft: expected 0 < n_fft <= ", x.size(1).str(),
                 ", but got n_fft=", frames.length);
  x = unfold(x, 1, frames.length, frames.hop) * frames.window;
  const std::optional<std::string> norm =
      args[7].boolean() ? std::optional<std::string>("ortho") : std::nullopt;
  Tensor result = onesided ? fft_rfft(x, std::nullopt, -1, norm) : fft_fft(x, std::nullopt, -1, norm);
  result = transpose(result, 1, 2);
  if (self.dim() == 1) result = squeeze(result, one_dim(0));
  results[0] = return_complex ? result : view_as_real(result);
}

/// Frames are added where they overlap, and divided by the sum of the squared windows there.
/// args: ..., center, normalized, onesided, length, return_complex.
void istft_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(is_complex(self.dtype()),
                 "istft requires a complex-valued input tensor matching the output from "
                 "stft with return_complex=True.");
  FRAMEJIT_CHECK(self.dim() == 2 || self.dim() == 3,
                 "istft: expected a tensor with 2 or 3 dimensions, but got ", self.dim());
  const Frames frames("istft", args, real_type(self.dtype()), self.device());
  const Tensor x = transpose(with_batch_dim(self, 3), 1, 2);
  const bool complex_result = args[9].boolean();
  const bool onesided = args[7].is_none() ? !(x.size(2) == frames.length) : args[7].boolean();
  const std::optional<std::string> norm =
      args[6].boolean() ? std::optional<std::string>("ortho") : std::nullopt;
  const SymInt half = frames.length / 2 + 1;  // all that a real result depends on
  const Tensor whole = onesided || complex_result ? x : narrow(x, -1, 0, half);
  const Tensor frame = complex_result && !onesided ? fft_ifft(whole, std::nullopt, -1, norm)
                                                   : fft_irfft(whole, frames.length, -1, norm);
  const Tensor parts = frame * frames.window;
  const SymInt count = x.size(1), total = (count - 1) * frames.hop + frames.length;
  auto added = [&](const Tensor& windows, SymInt batch) {
    return unfold_backward(windows, Dims{batch.bits(), total.bits()}, 1, frames.length, frames.hop);
  };
  const Tensor squares = expand(frames.window * frames.window, Dims{1, count.bits(), frames.length});
  Tensor sums = added(parts, x.size(0)), weights = added(squares, 1);
  const SymInt start = args[5].boolean() ? frames.length / 2 : 0;
  SymInt end = total - start;
  if (!args[8].is_none()) end = start + args[8].sym_int();
  const SymInt known = sym_min(end, total);
  sums = narrow(sums, 1, start, known - start);
  weights = narrow(weights, 1, start, known - start);
  if (!weights.is_symbolic())
    FRAMEJIT_CHECK(item(amin(abs(weights))).real() > 1e-11,
                   "istft: window overlap add min: 1, got one below 1e-11");
  Tensor result = sums / weights;
  if (end > known) result = constant_pad_nd(result, Dims{0, (end - known).bits()}, 0);
  results[0] = self.dim() == 2 ? squeeze(result, one_dim(0)) : result;
}

}  // namespace framejit::eager
