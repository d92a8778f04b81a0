#include "eager/autograd/saved_tensor.h"

#include "eager/autograd/autograd.h"
#include "eager/dispatch.h"

namespace framejit::eager {
namespace {

thread_local std::vector<Ref<SavedTensorHooks>> hook_stack;
thread_local std::optional<std::string> forbidden;

}  // namespace

void push_saved_tensor_hooks(Ref<SavedTensorHooks> hooks) {
  FRAMEJIT_CHECK(!forbidden, *forbidden);
  hook_stack.push_back(std::move(hooks));
  modes().saved_tensor_hooks = true;
}

void pop_saved_tensor_hooks() {
  FRAMEJIT_CHECK(!hook_stack.empty(), "there are no saved tensor hooks to take away");
  hook_stack.pop_back();
  modes().saved_tensor_hooks = !hook_stack.empty();
}

std::optional<std::string> forbid_saved_tensor_hooks(std::optional<std::string> message) {
  FRAMEJIT_CHECK(!message || hook_stack.empty(), *message);
  return std::exchange(forbidden, std::move(message));
}

SavedTensor::SavedTensor(const Tensor& tensor, Edge history)
    : history_(std::move(history)), version_(tensor.version()) {
  FRAMEJIT_CHECK(
      !tensor->is_inference,
      "Inference tensors cannot be saved for backward. To work around you can make a clone to get a "
      "normal tensor and use it in autograd.");
  bool grad_leaf = tensor.requires_grad() && is_leaf(tensor);
  if (modes().saved_tensor_hooks && !tensor.is_symbolic()) {
    Ref<SavedTensorHooks> hooks = hook_stack.back();
    GradModeScope no_grad(false);
    packed_ = std::make_shared<Packed>(hooks, hooks->pack(grad_leaf ? tensor : without_history(tensor)));
    FRAMEJIT_CHECK(
        tensor.version() == version_,
        "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook "
        "can not be modified by in-place operations as this can lead to unexpected side-effects.");
    if (grad_leaf) history_ = gradient_edge(tensor);
    return;
  }
  tensor_ = grad_leaf ? tensor : without_history(tensor);
  if (grad_leaf) history_ = {};
}

void SavedTensor::check_version(const GradNode* producer, int number) const {
  if (tensor_.version() == version_) return;
  if (!producer) {
    producer = history_.node.get();
    number = history_.input;
  }
  std::string source = producer ? concat(", which is output ", number, " of ", producer->name(), ",") : ",";
  fail(ErrorType::runtime,
       "one of the variables needed for gradient computation has been modified by an inplace operation: [",
       dtype_name(tensor_.dtype()), " tensor ", sizes_text(tensor_.sizes()), "]", source, " is at version ",
       tensor_.version(), "; expected version ", version_, " instead. Hint: ",
       modes().anomaly
           ? "the backtrace further above shows the operation that failed to compute its gradient. The "
             "variable in question was changed in there or anywhere later. Good luck!"
           : "enable anomaly detection to find the operation that failed to compute its gradient, with "
             "framejit.autograd.set_detect_anomaly(True).");
}

Tensor SavedTensor::unpack(const GradNode* producer, int number) const {
  Edge history = producer ? Edge{Ref<GradNode>(const_cast<GradNode*>(producer)), number} : history_;
  bool linked = history.node && modes().grad_enabled;
  Tensor tensor = tensor_;
  if (packed_) {
    Tensor unpacked = packed_->hooks->unpack(packed_->value);
    if (!linked) return unpacked;
    if (const Tensor* leaf = history.node->leaf(); leaf && unpacked == *leaf) return unpacked;
    tensor = std::move(unpacked);
  } else {
    if (!tensor.defined()) return {};
    check_version(producer, number);
    if (!linked) return tensor;
  }
  Tensor result =
      without_history(tensor);  // no detach: a trace would record one and cut the second derivative
  set_history(result, history.node, history.input);
  return result;
}

}  // namespace framejit::eager
