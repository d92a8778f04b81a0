// The node of a user's autograd.Function. It owns the `ctx` object, and keeps the saved tensors for it; `ctx`
// finds its node through a link that does not own.
#pragma once

#include <string>

#include "eager/autograd/saved_tensor.h"
#include "framejit/bindings/autograd_node.h"

namespace framejit::bindings {

class PythonFunctionNode final : public eager::GradNode {
 public:
  /// `backward(ctx, *grads)` returns one gradient, or a tuple of one per input; None where there is none.
  PythonFunctionNode(PyObject* backward, PyObject* ctx, std::string name);
  ~PythonFunctionNode() override;

  std::vector<eager::Tensor> apply(std::vector<eager::Tensor> grads) override;
  std::string name() const override { return name_; }
  void release_saved() override;
  void visit_python(const eager::PythonVisitor& visit) const override;
  void clear_python() override;

  /// Where backward gets zeros for an undefined gradient: results that are tensors, unless the user objects.
  void set_materialized(std::vector<bool> results) { materialized_ = std::move(results); }
  /// `number`: which result of this node it is; -1 for others.
  void save(const eager::Tensor& tensor, int number);
  std::vector<eager::Tensor> saved_tensors() const;
  PyObject* context() const { return python_of(context_); }  ///< borrowed
  PyObject* link() const { return python_of(link_); }        ///< borrowed

 private:
  std::vector<eager::Tensor> read_gradients(PyObject* result) const;

  struct Saved {
    eager::SavedTensor tensor;
    int number;
  };
  std::shared_ptr<void> backward_, context_, link_;
  std::string name_;
  std::vector<bool> materialized_;
  mutable eager::SpinLock mutex_;  // guards what follows
  std::vector<Saved> saved_;
  bool released_ = false;
};

}  // namespace framejit::bindings
