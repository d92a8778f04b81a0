// Contract: the Tensor handle and the object behind it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eager/dims.h"
#include "eager/dtype.h"
#include "eager/error.h"
#include "eager/ref.h"
#include "eager/storage.h"

namespace framejit::graph {
class Node;
}

namespace framejit::eager {

class Tensor;
class AutogradMeta;  // eager/autograd/autograd.h: grad, grad_fn, hooks; present only where needed
class ViewMeta;      // eager/autograd/view.h: base and how to redo the view

/// What a shape rule infers: everything of a tensor but its data.
struct TensorMeta {
  Dims sizes;
  Dims strides;  ///< in elements
  DType dtype = DType::float32;
  Device device;
};

/// The object behind `Tensor`. A *symbolic* tensor has no storage but a graph node: calling an op on it
/// records a node.
class FRAMEJIT_API TensorImpl final : public RefCounted {
 public:
  Ref<Storage> storage;
  int64_t offset = 0;  ///< in elements
  TensorMeta meta;
  bool requires_grad = false;  ///< of a leaf: as set by the user; of others: set with grad_fn
  bool is_inference = false;
  bool is_parameter = false;
  graph::Node* node = nullptr;  ///< symbolic tensors: the node (owned by its graph) whose value this is
  int node_output = 0;          ///< which result of `node`
  std::unique_ptr<AutogradMeta> autograd;
  std::unique_ptr<ViewMeta> view;
  /// The Python object that wraps this, borrowed, or what the bindings keep of a dead one (see
  /// set_py_releaser).
  void* py_object = nullptr;

  TensorImpl();
  ~TensorImpl() override;
  static void* operator new(size_t size);  // free list
  static void operator delete(void* memory);
};

FRAMEJIT_API bool view_requires_grad(const TensorImpl& impl);

/// A handle; copying it shares the tensor. Default-constructed: undefined.
class FRAMEJIT_API Tensor {
 public:
  Tensor() = default;
  explicit Tensor(Ref<TensorImpl> impl) : impl_(std::move(impl)) {}
  /// Uninitialised, contiguous, from the pool.
  static Tensor empty(const Dims& sizes, DType dtype, Device device = {});
  static Tensor empty(const TensorMeta& meta);  ///< strides as given (dense, any permutation)
  /// A view of `storage`. No autograd link: the view ops of the table make those.
  static Tensor from_storage(Ref<Storage> storage, int64_t offset, TensorMeta meta);

  bool defined() const { return bool(impl_); }
  TensorImpl* impl() const { return impl_.get(); }
  TensorImpl* operator->() const { return impl_.get(); }
  friend bool operator==(const Tensor& a, const Tensor& b) { return a.impl_ == b.impl_; }  ///< same object

  const TensorMeta& meta() const { return impl_->meta; }
  const Dims& sizes() const { return impl_->meta.sizes; }
  const Dims& strides() const { return impl_->meta.strides; }
  DType dtype() const { return impl_->meta.dtype; }
  Device device() const { return impl_->meta.device; }
  int dim() const { return impl_->meta.sizes.size(); }
  SymInt size(int d) const { return impl_->meta.sizes.sym(d); }
  int64_t offset() const { return impl_->offset; }
  SymInt numel() const;
  bool is_symbolic() const { return impl_->node != nullptr; }
  bool is_contiguous() const;
  /// A view also requires grad when its base has come to.
  bool requires_grad() const { return impl_->requires_grad || (impl_->view && view_requires_grad(*impl_)); }
  uint32_t version() const { return impl_->storage ? impl_->storage->version() : 0; }

  /// First element. The tensor is concrete.
  void* data() const {
    return static_cast<char*>(impl_->storage->data()) + impl_->offset * int64_t(item_size(dtype()));
  }
  template <class T>
  T* data_as() const {
    return static_cast<T*>(data());
  }

 private:
  friend class Value;
  Ref<TensorImpl> impl_;
};

/// `release` is called by ~TensorImpl when `py_object` is not null; it may be called without the GIL.
FRAMEJIT_API void set_py_releaser(void (*release)(void* py_object));

FRAMEJIT_API bool is_contiguous(const Dims& sizes, const Dims& strides);
FRAMEJIT_API Dims contiguous_strides(const Dims& sizes);
FRAMEJIT_API SymInt numel(const Dims& sizes);
FRAMEJIT_API std::string sizes_text(const Dims& sizes);  ///< "[2, 3]"

}  // namespace framejit::eager
