// Tensors kept for backward, and the hooks that may keep them in another form.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "eager/autograd/grad_node.h"

namespace framejit::eager {

/// Packs what is saved for backward (to disk, to fewer bits, ...) and unpacks it when it is needed.
class FRAMEJIT_API SavedTensorHooks : public RefCounted {
 public:
  virtual std::shared_ptr<void> pack(const Tensor& tensor) = 0;
  virtual Tensor unpack(const std::shared_ptr<void>& packed) = 0;
};
/// Of this thread; the latest is used.
FRAMEJIT_API void push_saved_tensor_hooks(Ref<SavedTensorHooks> hooks);
FRAMEJIT_API void pop_saved_tensor_hooks();
/// With a message, setting hooks raises an error of that message. Returns the former one.
FRAMEJIT_API std::optional<std::string> forbid_saved_tensor_hooks(std::optional<std::string> message);

/// The error of a second pass over what the first has freed.
inline constexpr const char* kUsedTwice =
    "Trying to backward through the graph a second time (or directly access saved tensors after they have "
    "already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors "
    "after calling backward.";

/// A tensor kept for backward. Holds a copy of the handle's object without history, so that a node never owns
/// itself through a result of its own or through an input that an in-place op later made a successor.
class FRAMEJIT_API SavedTensor {
 public:
  SavedTensor() = default;
  SavedTensor(const Tensor& tensor, Edge history);
  /// Raises when the data has been changed since. `producer`: the node whose result it is, where `history`
  /// was left out because that node holds this object. Has a history only in grad mode.
  Tensor unpack(const GradNode* producer = nullptr, int number = 0) const;
  bool defined() const { return tensor_.defined() || packed_; }

 private:
  struct Packed {
    Ref<SavedTensorHooks> hooks;
    std::shared_ptr<void> value;
  };
  void check_version(const GradNode* producer, int number) const;

  Tensor tensor_;  ///< a leaf that requires grad itself, or a detached copy
  Edge history_;
  std::shared_ptr<const Packed> packed_;  ///< instead of tensor_
  uint32_t version_ = 0;
};

}  // namespace framejit::eager
