// Contract: calling ops. A call goes through the layers
//   autocast (when on) -> autograd (when an input requires grad and grad mode is on) -> trace (when an input
//   is symbolic or a recorder is active) -> kernel of the device.
// Each layer is one function over boxed values; none knows a particular op.
#pragma once

#include "eager/op.h"

namespace framejit::eager {

/// Calls `op`. `args` holds schema.args.size() values, converted and defaulted; `results` result_count empty
/// values.
FRAMEJIT_API void call(const Op& op, const Value* args, Value* results);

/// Skips the autograd layer (used below it, and by formulas that are not to be differentiated).
FRAMEJIT_API void call_below_autograd(const Op& op, const Value* args, Value* results);
/// Runs the kernel for concrete arguments; a missing one raises NotImplementedError naming op, device and
/// dtype.
FRAMEJIT_API void call_kernel(const Op& op, const Value* args, Value* results);

/// Registers a kernel; later registration for the same device wins. Returns the old one.
FRAMEJIT_API KernelFn register_kernel(const Op& op, DeviceType device, KernelFn kernel);

/// Receives op calls while a graph is traced. One is current per thread; graph/trace.h implements it.
class FRAMEJIT_API Recorder {
 public:
  virtual ~Recorder() = default;
  /// Records `op` and makes symbolic results.
  virtual void record(const Op& op, const Value* args, Value* results) = 0;
  static Recorder* current();
  static Recorder* exchange(Recorder* recorder);  ///< returns the former
};

/// Autocast of one device.
struct Autocast {
  bool enabled = false;
  DType dtype = DType::float32;
};

/// Thread-local modes; `pack` makes one word of those that guards compare.
struct Modes {
  bool grad_enabled = true;
  bool inference = false;
  bool anomaly = false;
  bool saved_tensor_hooks = false;  ///< some are set (eager/autograd/saved_tensor.h)
  bool any_autocast = false;        ///< enabled for some device
  bool autocast_cache = true;       ///< a parameter is cast once per autocast region
  std::array<Autocast, kDeviceTypeCount> autocast{};
};
FRAMEJIT_API Modes& modes();
/// In 48 bits; the lowest three are grad mode, inference mode, anomaly mode.
FRAMEJIT_API uint64_t pack(const Modes& modes);

/// Sets grad mode for a scope.
class FRAMEJIT_API GradModeScope {
 public:
  explicit GradModeScope(bool enabled) : previous_(modes().grad_enabled) { modes().grad_enabled = enabled; }
  ~GradModeScope() { modes().grad_enabled = previous_; }

 private:
  bool previous_;
};

/// No autocast for a scope: what is inside has its dtypes already, or is compiled once for all modes.
class FRAMEJIT_API WithoutAutocast {
 public:
  WithoutAutocast() : previous_(modes().any_autocast) { modes().any_autocast = false; }
  ~WithoutAutocast() { modes().any_autocast = previous_; }

 private:
  bool previous_;
};

}  // namespace framejit::eager
