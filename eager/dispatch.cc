#include "eager/dispatch.h"

#include <bit>

#include "eager/autocast.h"
#include "eager/autograd/autograd_meta.h"
#include "eager/autograd/record.h"
#include "eager/error.h"
#include "eager/extension.h"
#include "eager/fixed_ints.h"
#include "eager/meta/derived.h"
#include "eager/meta/overlap.h"
#include "generated/ops/copy.h"

namespace framejit::eager {

namespace {

[[gnu::tls_model("initial-exec")]] thread_local Modes thread_modes;
[[gnu::tls_model("initial-exec")]] thread_local Recorder* thread_recorder = nullptr;

bool is_symbolic(const Value& value) {
  switch (value.tag()) {
    case Value::Tag::tensor:
      return value.impl()->node != nullptr;
    case Value::Tag::sym_int:
      return value.sym_int().is_symbolic();
    case Value::Tag::scalar_node:
      return true;
    case Value::Tag::int_list:
      for (SymInt size : value.int_list())
        if (size.is_symbolic()) return true;
      return false;
    case Value::Tag::tensor_list:
      for (const Tensor& tensor : value.tensor_list())
        if (tensor.defined() && tensor.is_symbolic()) return true;
      return false;
    default:
      return false;
  }
}

/// Whether a trace must take the call in: it reads a traced value, or makes one that differs from call to
/// call.
bool must_record(const Op& op, const Value* args) {
  if (op.kind == OpKind::creation || op.kind == OpKind::random) return true;
  for (size_t i = 0; i < op.schema.args.size(); ++i)
    if (is_symbolic(args[i])) return true;
  return false;
}

bool has_symbolic_size(const Value& value) {
  return (value.tag() == Value::Tag::sym_int || value.tag() == Value::Tag::int_list) && is_symbolic(value);
}

Value with_plain_sizes(const Value& value) {
  if (value.tag() == Value::Tag::sym_int) return value.integer();
  std::vector<SymInt> plain;
  for (SymInt size : value.int_list()) plain.push_back(size.expect());
  return plain;
}

/// Calls again with plain numbers where the op may not be given symbols; false if it was given none.
bool call_with_fixed_ints(const Op& op, const Value* args, Value* results) {
  std::vector<Value> plain;
  for (uint64_t mask = fixed_ints(op); mask; mask &= mask - 1) {
    const int i = std::countr_zero(mask);
    if (!has_symbolic_size(args[i])) continue;
    if (plain.empty()) plain.assign(args, args + op.schema.args.size());
    plain[size_t(i)] = with_plain_sizes(args[i]);
  }
  if (plain.empty()) return false;
  call(op, plain.data(), results);
  return true;
}

DeviceType device_of(const Op& op, const Value* args) {
  for (uint64_t mask = op.tensor_args; mask; mask &= mask - 1) {
    const Value& value = args[std::countr_zero(mask)];
    if (value.is_tensor()) return value.impl()->meta.device.type;
    if (value.tag() == Value::Tag::tensor_list)
      for (const Tensor& tensor : value.tensor_list())
        if (tensor.defined()) return tensor.device().type;
  }
  int device = op.schema.find("device");
  return device >= 0 && args[device].tag() == Value::Tag::device ? args[device].device().type
                                                                 : DeviceType::cpu;
}

/// New tensors made in inference mode can never take part in autograd; views of others still can.
void mark_inference(const Op& op, const Value* args, Value* results) {
  if (op.kind == OpKind::view && !args[0].impl()->is_inference) return;
  for (int i = 0; i < op.schema.result_count; ++i) {
    if (results[i].is_tensor()) results[i].impl()->is_inference = true;
    if (results[i].tag() == Value::Tag::tensor_list)
      for (const Tensor& tensor : results[i].tensor_list()) tensor->is_inference = true;
  }
}

[[noreturn]] void fail_without_kernel(const Op& op, const Value* args, DeviceType device) {
  std::string dtypes, existing;
  for (uint64_t mask = op.tensor_args; mask; mask &= mask - 1) {
    const Value& value = args[std::countr_zero(mask)];
    if (value.is_tensor())
      dtypes += (dtypes.empty() ? "" : ", ") + std::string(dtype_name(value.impl()->meta.dtype));
  }
  for (int other = 0; other < kDeviceTypeCount; ++other)
    if (op.kernels[size_t(other)])
      existing += (existing.empty() ? "" : ", ") + std::string(device_name({DeviceType(other), 0}));
  fail(ErrorType::not_implemented, "Could not run '", op.full_name, "' on device '", device_name({device, 0}),
       "'", dtypes.empty() ? "" : concat(" with arguments of dtype ", dtypes),
       ": it has no kernel for that device. ",
       existing.empty() ? "It has none at all." : concat("There are kernels for: ", existing, "."),
       " A kernel can be registered with framejit.library.");
}

/// As messages begin that say whose they are: `"sort" not implemented for ...`, `sort(): ...`.
bool names_an_op(const std::string& message) {
  return message.starts_with('"') || message.find("(): ") != std::string::npos ||
         message.starts_with("Could not run");
}

/// A derived row of a composite: the composite, then a copy into the written argument. Both are ordinary
/// calls. The composite's derivatives may save the argument, so they get what it was.
bool call_derived_composite(const Op& op, const Value* args, Value* results) {
  if (!op.functional || !op.functional->composite || op.kernels[int(DeviceType::cpu)] != nullptr)
    return false;
  const Tensor written = args[op.mutated].tensor();
  if (!written.is_symbolic()) check_writable(op, written);
  Value result;
  if (op.kind == OpKind::inplace && thread_modes.grad_enabled && args_requiring_grad(op, args)) {
    std::vector<Value> before(args, args + op.schema.args.size());
    before[0] = copy_with_history(args[0].tensor());
    op.functional->composite(before.data(), &result);
  } else {
    op.functional->composite(args, &result);
  }
  if (op.kind == OpKind::inplace) check_inplace_result(op, result.impl()->meta, args[0].impl()->meta);
  results[0] = ops::copy_(written, result.tensor());
  return true;
}

}  // namespace

Modes& modes() { return thread_modes; }

uint64_t pack(const Modes& modes) {
  uint64_t word =
      uint64_t(modes.grad_enabled) | uint64_t(modes.inference) << 1 | uint64_t(modes.anomaly) << 2;
  if (!modes.any_autocast) return word;
  int bit = 3;
  for (const Autocast& each : modes.autocast) {
    if (each.enabled) word |= (uint64_t(1) | uint64_t(each.dtype) << 1) << bit;
    bit += 6;
  }
  return word;
}

Recorder* Recorder::current() { return thread_recorder; }
Recorder* Recorder::exchange(Recorder* recorder) { return std::exchange(thread_recorder, recorder); }

void call(const Op& op, const Value* args, Value* results) {
  if (thread_recorder && call_with_fixed_ints(op, args, results)) return;
  if (op.autocast != AutocastRule::none && thread_modes.any_autocast)
    return call_with_autocast(op, args, results);
  if (op.extension) [[unlikely]]
    return extension_of(op)->call(op, args, results);
  if (op.composite) return op.composite(args, results);
  if (call_derived_composite(op, args, results)) return;
  uint64_t requiring = thread_modes.grad_enabled ? args_requiring_grad(op, args) : 0;
  if (requiring || op.mutated >= 0 || op.kind == OpKind::view)
    call_with_autograd(op, args, results, requiring);
  else
    call_below_autograd(op, args, results);
  if (thread_modes.inference && op.mutated < 0) mark_inference(op, args, results);
}

void call_below_autograd(const Op& op, const Value* args, Value* results) {
  if (thread_recorder && must_record(op, args)) return thread_recorder->record(op, args, results);
  call_kernel(op, args, results);
}

void call_kernel(const Op& op, const Value* args, Value* results) {
  DeviceType device = device_of(op, args);
  KernelFn kernel = op.kernels[int(device)];
  if (!kernel) fail_without_kernel(op, args, device);
  try {
    kernel(op, args, results);
  } catch (const Error& error) {
    // Helpers that several kernels share say which dtype is not supported, and which ones are, but not by
    // whom.
    if (error.type() != ErrorType::not_implemented || names_an_op(error.what())) throw;
    const std::string message = error.what();
    fail(ErrorType::not_implemented, "\"", op.schema.name,
         message.starts_with("not implemented") ? "\" " : "\": ", message);
  }
  if (op.mutated < 0) return;
  const TensorImpl& written = *args[op.mutated].impl();
  if (!hides_writes(written)) written.storage->bump_version();
}

KernelFn register_kernel(const Op& op, DeviceType device, KernelFn kernel) {
  // The registry hands out const rows; kernels are the one part that may change after start-up.
  return std::exchange(const_cast<Op&>(op).kernels[size_t(device)], kernel);
}

}  // namespace framejit::eager
