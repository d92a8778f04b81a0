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

/// Thread-local modes, one word so that guards can compare them at once.
struct Modes {
  bool grad_enabled = true;
  bool inference = false;
  bool anomaly = false;
};
FRAMEJIT_API Modes& modes();

/// Sets grad mode for a scope.
class FRAMEJIT_API GradModeScope {
 public:
  explicit GradModeScope(bool enabled) : previous_(modes().grad_enabled) { modes().grad_enabled = enabled; }
  ~GradModeScope() { modes().grad_enabled = previous_; }

 private:
  bool previous_;
};

}  // namespace framejit::eager
