#include "framejit/bindings/python_op.h"

#include <bit>

#include "eager/autograd/record.h"
#include "eager/dispatch.h"
#include "framejit/bindings/autograd_node.h"
#include "framejit/bindings/results.h"
#include "framejit/bindings/tensor_object.h"
#include "generated/ops/copy.h"
#include "graph/trace.h"

namespace framejit::bindings {

using eager::DeviceType;
using eager::Op;
using eager::OpKind;
using eager::Tensor;
using eager::TensorMeta;
using eager::Value;

// --- functions ---------------------------------------------------------------------------------------------

void PythonOp::set(Layer layer, PyObject* borrowed) {
  functions_[size_t(layer)] = borrowed ? own_python(borrowed) : nullptr;
}

PyObject* PythonOp::kernel(DeviceType device) const {
  PyObject* own = device == DeviceType::cpu    ? get(Layer::cpu)
                  : device == DeviceType::cuda ? get(Layer::cuda)
                                               : nullptr;
  return own ? own : get(Layer::any_device);
}

namespace {

bool is_symbolic(const Value& value) {
  if (value.is_tensor()) return value.impl()->node != nullptr;
  if (value.tag() != Value::Tag::tensor_list) return false;
  for (const Tensor& tensor : value.tensor_list())
    if (tensor.defined() && tensor.is_symbolic()) return true;
  return false;
}

bool any_symbolic(const Op& op, const Value* args) {
  for (size_t i = 0; i < op.schema.args.size(); ++i)
    if (is_symbolic(args[i])) return true;
  return false;
}

DeviceType device_of(const Op& op, const Value* args) {
  for (uint64_t mask = op.tensor_args; mask; mask &= mask - 1) {
    const Value& value = args[std::countr_zero(mask)];
    if (value.is_tensor()) return value.tensor().device().type;
    if (value.tag() == Value::Tag::tensor_list && !value.tensor_list().empty())
      return value.tensor_list()[0].device().type;
  }
  return DeviceType::cpu;
}

/// A tensor that is written while gradients are recorded loses them silently: PyTorch forbids it for leaves.
void check_written(const Op& op, const Value* args) {
  if (!eager::modes().grad_enabled) return;
  for (size_t i = 0; i < op.schema.args.size(); ++i)
    if (op.schema.args[i].mutated && args[i].is_tensor())
      FRAMEJIT_CHECK(
          !args[i].impl()->requires_grad, op.full_name, ": argument '", op.schema.args[i].name,
          "' is written to and requires grad; an op of framejit.library that mutates its arguments "
          "has no derivative. Call it under no_grad(), or on a detached tensor.");
}

}  // namespace

// --- the call ----------------------------------------------------------------------------------------------

void PythonOp::call(const Op& op, const Value* args, Value* results) {
  WithGil gil;
  if (PyObject* composite = get(Layer::composite)) return call_python(composite, op, args, results);
  if (call_with_autocast(op, args, results)) return;
  const bool differentiate = eager::modes().grad_enabled && eager::args_requiring_grad(op, args);
  if (PyObject* autograd = get(Layer::autograd); autograd && differentiate)
    return call_python(autograd, op, args, results);
  if (op.mutated >= 0) check_written(op, args);
  if (op.mutated >= 0 && eager::Recorder::current() && any_symbolic(op, args))
    return call_through_twin(op, args, results);
  eager::call_below_autograd(op, args, results);
  if (differentiate && !op.schema.returns_number && op.schema.result_count > 0) link(op, args, results);
}

bool PythonOp::call_with_autocast(const Op& op, const Value* args, Value* results) const {
  if (!eager::modes().any_autocast) return false;
  const DeviceType device = device_of(op, args);
  const std::optional<eager::DType> dtype = autocast_[size_t(device)];
  if (!dtype || !eager::modes().autocast[size_t(device)].enabled) return false;
  auto cast = [&](const Tensor& tensor) {
    const bool eligible = tensor.defined() && eager::is_floating(tensor.dtype()) &&
                          tensor.dtype() != eager::DType::float64 && tensor.dtype() != *dtype;
    return eligible ? eager::ops::cast(tensor, *dtype) : tensor;
  };
  std::vector<Value> converted(args, args + op.schema.args.size());
  for (Value& value : converted) {
    if (value.is_tensor()) value = cast(value.tensor());
    if (value.tag() != Value::Tag::tensor_list) continue;
    std::vector<Tensor> list;
    for (const Tensor& tensor : value.tensor_list()) list.push_back(cast(tensor));
    value = std::move(list);
  }
  eager::WithoutAutocast inside;
  eager::call(op, converted.data(), results);
  return true;
}

void PythonOp::call_through_twin(const Op& op, const Value* args, Value* results) const {
  if (!twin)
    throw graph::Untraceable(op.full_name + " writes into lists of tensors, or returns what it writes");
  std::vector<Value> made(size_t(twin->schema.result_count));
  eager::call_below_autograd(*twin, args, made.data());
  int next = op.schema.result_count;
  std::move(made.begin(), made.begin() + next, results);
  eager::GradModeScope no_grad(false);
  for (size_t i = 0; i < op.schema.args.size(); ++i)
    if (op.schema.args[i].mutated) eager::ops::copy_(args[i].tensor(), made[size_t(next++)].tensor());
}

/// The Python side makes the node and sets it as the history of the results, which are objects that it shares
/// with us.
void PythonOp::link(const Op& op, const Value* args, Value* results) const {
  if (!get(Layer::link)) return;
  PyRef link = PyRef::borrow(get(Layer::link));
  as_eager_errors([&] {
    PythonArgs arguments = python_args(op, args);
    PyRef keywords = arguments.keywords ? std::move(arguments.keywords) : checked(PyDict_New());
    PyRef made = PyRef::steal(results_to_python(op, results));
    checked(PyObject_CallFunctionObjArgs(link.get(), arguments.positional.get(), keywords.get(), made.get(),
                                         nullptr));
  });
}

// --- kernel and shapes -------------------------------------------------------------------------------------

namespace {

void bump_versions(const Op& op, const Value* args) {
  for (size_t i = 0; i < op.schema.args.size(); ++i) {
    if (!op.schema.args[i].mutated || int(i) == op.mutated) continue;  // the dispatcher does that one
    if (args[i].is_tensor()) args[i].impl()->storage->bump_version();
    if (args[i].tag() == Value::Tag::tensor_list)
      for (const Tensor& tensor : args[i].tensor_list()) tensor->storage->bump_version();
  }
}

[[noreturn]] void fail_without_kernel(const Op& op, const Value* args, DeviceType device) {
  std::string dtypes, existing;
  for (uint64_t mask = op.tensor_args; mask; mask &= mask - 1)
    if (const Value& value = args[std::countr_zero(mask)]; value.is_tensor())
      dtypes += (dtypes.empty() ? "" : ", ") + std::string(eager::dtype_name(value.tensor().dtype()));
  for (int other = 0; other < eager::kDeviceTypeCount; ++other)
    if (python_op(op)->kernel(DeviceType(other)))
      existing += (existing.empty() ? "" : ", ") + eager::device_name({DeviceType(other), 0});
  eager::fail(eager::ErrorType::not_implemented, "Could not run '", op.full_name, "' on device '",
              eager::device_name({device, 0}), "'",
              dtypes.empty() ? "" : " with arguments of dtype " + dtypes,
              ": it has no kernel for that device. ",
              existing.empty() ? "It has none at all." : "There are kernels for: " + existing + ".",
              " Register one with framejit.library.register_kernel.");
}

void run_kernel(const Op& op, const Value* args, Value* results) {
  WithGil gil;
  const DeviceType device = device_of(op, args);
  PyObject* kernel = python_op(op)->kernel(device);
  if (!kernel) fail_without_kernel(op, args, device);
  eager::GradModeScope below_autograd(false);
  call_python(kernel, op, args, results);
  bump_versions(op, args);
}

Value without_data(const Value& value, graph::Tracer& tracer) {
  auto stand_in = [&](const Tensor& tensor) {
    return tensor.defined() ? tracer.tensor_input("x", graph::ValueMeta{tensor.meta()}) : Tensor();
  };
  if (value.is_tensor()) return stand_in(value.tensor());
  if (value.tag() != Value::Tag::tensor_list) return value;
  std::vector<Tensor> list;
  for (const Tensor& tensor : value.tensor_list()) list.push_back(stand_in(tensor));
  return list;
}

/// Calls the fake implementation on stand-ins, in a trace of its own over the same size symbols.
void infer(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  WithGil gil;
  PyObject* fake = python_op(op)->get(Layer::fake);
  if (!fake && op.schema.result_count == 0) return;
  if (!fake)
    eager::fail(
        eager::ErrorType::not_implemented, op.full_name,
        ": there is no fake implementation, so the shapes of its results are not known while tracing. "
        "Register one with framejit.library.register_fake.");
  auto* outer = dynamic_cast<graph::Tracer*>(eager::Recorder::current());
  graph::Tracer tracer(outer ? outer->graph().shapes : std::make_shared<eager::ShapeEnv>());
  eager::GradModeScope no_grad(false);
  std::vector<Value> stand_ins, made(size_t(op.schema.result_count));
  for (size_t i = 0; i < op.schema.args.size(); ++i) stand_ins.push_back(without_data(args[i], tracer));
  call_python(fake, op, stand_ins.data(), made.data());
  for (const Value& value : made) {
    if (value.is_tensor()) results.push_back(value.tensor().meta());
    if (value.tag() != Value::Tag::tensor_list) continue;
    for (const Tensor& tensor : value.tensor_list()) results.push_back(tensor.meta());
  }
}

// --- the functional twin of an op that writes --------------------------------------------------------------

/// What the op of a twin is: kept by the twin.
class TwinOf final : public eager::OpExtension {
 public:
  explicit TwinOf(const Op& original) : original(original) {}
  void call(const Op& op, const Value* args, Value* results) override {
    eager::call_below_autograd(op, args, results);
  }
  const Op& original;
};
const Op& original_of(const Op& twin) { return static_cast<TwinOf*>(eager::extension_of(twin))->original; }

void infer_twin(const Op& twin, const Value* args, std::vector<TensorMeta>& results) {
  const Op& op = original_of(twin);
  infer(op, args, results);
  for (size_t i = 0; i < op.schema.args.size(); ++i)
    if (op.schema.args[i].mutated) results.push_back(args[i].tensor().meta());
}

void run_twin(const Op& twin, const Value* args, Value* results) {
  const Op& op = original_of(twin);
  std::vector<Value> copies(args, args + op.schema.args.size());
  for (size_t i = 0; i < op.schema.args.size(); ++i)
    if (op.schema.args[i].mutated) copies[i] = eager::ops::clone(args[i].tensor());
  eager::call_kernel(op, copies.data(), results);
  int next = op.schema.result_count;
  for (size_t i = 0; i < op.schema.args.size(); ++i)
    if (op.schema.args[i].mutated) results[next++] = copies[i];
}

/// Null where there can be none.
const Op* make_twin(const Op& op) {
  Op twin;
  twin.schema = op.schema;
  twin.schema.overload += op.schema.overload.empty() ? "functionalized" : "_functionalized";
  twin.schema.result_names.clear();
  twin.is_function = false;
  if (op.schema.returns_list || op.schema.returns_number) return nullptr;
  for (eager::SchemaArg& arg : twin.schema.args) {
    if (!arg.mutated) continue;
    if (arg.type != eager::ArgType::tensor) return nullptr;
    arg.mutated = false;
    ++twin.schema.result_count;
  }
  twin.kind = OpKind::structural;
  twin.meta = infer_twin;
  twin.kernels.fill(run_twin);
  twin.extension = std::shared_ptr<eager::OpExtension>(std::make_shared<TwinOf>(op));
  return &eager::register_op(std::move(twin));
}

}  // namespace

Op& define_python_op(const std::string& text, bool draws) {
  Op op;
  op.schema = eager::Schema::parse(text);
  for (const eager::SchemaArg& arg : op.schema.args) {
    FRAMEJIT_CHECK_TYPE(!arg.aliased, not_implemented, "framejit.library: '", text,
                        "' returns a view of an argument; ops of one's own return new tensors");
    FRAMEJIT_CHECK_TYPE(arg.type != eager::ArgType::generator, not_implemented, "framejit.library: '", text,
                        "' takes a Generator, which ops of one's own cannot");
  }
  op.kind = op.schema.returns_number ? OpKind::data_dependent : draws ? OpKind::random : OpKind::structural;
  op.meta = infer;
  op.kernels.fill(run_kernel);
  auto extension = std::make_shared<PythonOp>();
  op.extension = std::shared_ptr<eager::OpExtension>(extension);
  Op& added = eager::register_op(std::move(op));
  const bool returns_argument = text.find('!', text.find("->")) != std::string::npos;
  if (added.mutated >= 0 && !returns_argument) extension->twin = make_twin(added);
  return added;
}

}  // namespace framejit::bindings
