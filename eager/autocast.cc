#include "eager/autocast.h"

#include <unordered_map>

#include "eager/autograd/autograd.h"
#include "generated/ops/copy.h"

namespace framejit::eager {
namespace {

/// A parameter that was cast. Holds the original, so that its address stays its own.
struct CastOnce {
  Tensor original;
  uint32_t version;
  Tensor cast;
};
thread_local std::unordered_map<const TensorImpl*, CastOnce> cast_parameters;

/// float64 is left alone, as in PyTorch: whoever uses it wants its precision.
bool is_eligible(const Tensor& tensor) {
  return tensor.defined() && is_floating(tensor.dtype()) && tensor.dtype() != DType::float64 &&
         modes().autocast[size_t(tensor.device().type)].enabled;
}

/// Parameters are used several times in a region: the weights of a recurrent cell, of tied layers.
bool is_cached(const Tensor& tensor) {
  return modes().autocast_cache && modes().grad_enabled && !tensor.is_symbolic() && tensor.requires_grad() &&
         is_leaf(tensor) && !tensor->view;
}

Tensor cast_for(AutocastRule rule, const Tensor& tensor) {
  if (!is_eligible(tensor)) return tensor;
  bool low = rule == AutocastRule::low_precision;
  DType dtype = low ? modes().autocast[size_t(tensor.device().type)].dtype : DType::float32;
  if (tensor.dtype() == dtype) return tensor;
  if (!low || !is_cached(tensor)) return ops::cast(tensor, dtype);
  CastOnce& entry = cast_parameters[tensor.impl()];
  if (!entry.cast.defined() || entry.version != tensor.version() || entry.cast.dtype() != dtype)
    entry = {tensor, tensor.version(), ops::cast(tensor, dtype)};
  return entry.cast;
}

}  // namespace

void call_with_autocast(const Op& op, const Value* args, Value* results) {
  std::vector<Value> cast(args, args + op.schema.args.size());
  for (Value& arg : cast) {
    if (arg.is_tensor()) {
      arg = cast_for(op.autocast, arg.tensor());
    } else if (arg.tag() == Value::Tag::tensor_list) {
      std::vector<Tensor> list;
      for (const Tensor& tensor : arg.tensor_list()) list.push_back(cast_for(op.autocast, tensor));
      arg = std::move(list);
    }
  }
  WithoutAutocast inside;  // what a composite calls is part of it
  call(op, cast.data(), results);
}

void set_autocast(DeviceType device, Autocast autocast) {
  Modes& now = modes();
  now.autocast[size_t(device)] = autocast;
  now.any_autocast = false;
  for (const Autocast& each : now.autocast) now.any_autocast |= each.enabled;
  if (!now.any_autocast) clear_autocast_cache();
}

void set_autocast_cache(bool enabled) { modes().autocast_cache = enabled; }
void clear_autocast_cache() { cast_parameters.clear(); }

// Per device six bits, below them whether parameters are cached.
uint32_t autocast_word() {
  uint32_t word = modes().autocast_cache;
  int bit = 1;
  for (const Autocast& each : modes().autocast) {
    word |= (uint32_t(each.enabled) | uint32_t(each.dtype) << 1) << bit;
    bit += 6;
  }
  return word;
}

void set_autocast_word(uint32_t word) {
  if (word == autocast_word()) return;
  set_autocast_cache(word & 1);
  for (int device = 0; device < kDeviceTypeCount; ++device) {
    uint32_t bits = word >> (1 + 6 * device);
    set_autocast(DeviceType(device), {bool(bits & 1), DType(bits >> 1 & 31)});
  }
}

}  // namespace framejit::eager
