// What a derivative sees: generated from the `grad.x = "..."` keys of the op table.
#pragma once

#include <vector>

#include "eager/autograd/op_node.h"

namespace framejit::eager {

class FRAMEJIT_API BackwardContext {
 public:
  /// `grads`: of the results; undefined ones are made zeros here, as at least one is defined.
  BackwardContext(const OpNode& node, std::vector<Tensor> grads);

  /// Whether the gradient of argument `arg` is wanted.
  bool needs(int arg) const { return node_.wants(arg); }
  const Tensor& grad(int result) const { return grads_[size_t(result)]; }
  const std::vector<Tensor>& grads() const { return grads_; }
  /// A saved argument; of a tensor whose sizes alone are read, one without data.
  Value arg(int index) const { return node_.saved_arg(index); }
  Tensor result(int index) const { return node_.saved_result(index); }

  void set(int arg, Tensor grad) { gradients_[node_.edge_of(arg)] = std::move(grad); }
  void set(int arg, std::vector<Tensor> grads);

  std::vector<Tensor> take_gradients() { return std::move(gradients_); }

 private:
  const OpNode& node_;
  std::vector<Tensor> grads_;
  std::vector<Tensor> gradients_;  ///< by edge
};

}  // namespace framejit::eager
