// The node of a user's autograd.Function.
#pragma once

#include <string>

#include "framejit/bindings/autograd_node.h"

namespace framejit::bindings {

class PythonFunctionNode final : public eager::GradNode {
 public:
  /// `backward(node, *grads)` returns one gradient, or a tuple of one per input; None where there is none.
  PythonFunctionNode(Callback backward, std::string name)
      : backward_(std::move(backward)), name_(std::move(name)) {}

  std::vector<eager::Tensor> apply(std::vector<eager::Tensor> grads) override;
  std::string name() const override { return name_; }
  void release_saved() override { released_ = true; }

 private:
  std::vector<eager::Tensor> read_gradients(PyObject* result) const;

  Callback backward_;
  std::string name_;
  bool released_ = false;
};

}  // namespace framejit::bindings
