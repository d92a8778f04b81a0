// The backward node of every op of the table.
#pragma once

#include <string>
#include <vector>

#include "eager/autograd/saved_tensor.h"
#include "eager/op.h"

namespace framejit::eager {

class FRAMEJIT_API OpNode final : public GradNode {
 public:
  /// `needed`: the arguments that require grad.
  OpNode(const Op& op, const Value* args, uint64_t needed);

  std::vector<Tensor> apply(std::vector<Tensor> grads) override;
  std::string name() const override;
  void release_saved() override;

  /// Keeps the results that the formulas in use read; called after the op has run and `add_result`.
  void save_results(const Value* results);

  const Op& op() const { return op_; }
  bool needs(int arg) const { return needed_ >> arg & 1; }
  /// Whether the pass that runs the node has a use for the gradient of `arg`.
  bool wants(int arg) const;
  Value saved_arg(int arg) const;
  Tensor saved_result(int index) const;
  bool has_saved(int arg) const;
  bool has_saved_result(int index) const;
  /// The first edge of an argument; a tensor list has one per entry.
  size_t edge_of(int arg) const;

 private:
  Tensor for_formula(Tensor saved) const;
  /// `tensors_[first, first + count)` when it holds tensors, else `value`.
  struct SavedArg {
    int arg;
    int first = -1;
    int count = 0;
    bool is_list = false;
    Value value;
  };
  struct ListLength {
    int arg;
    int count;
  };
  void add_edges(const Value* args);
  void save_arg(int arg, const Value& value);
  /// Under the lock: `count` of the vector's entries from `first` on.
  std::vector<SavedTensor> kept(const std::vector<SavedTensor>& of, size_t first, size_t count) const;

  const Op& op_;
  const uint64_t needed_;
  /// Guards what `release_saved` frees: another pass may be reading it.
  mutable SpinLock mutex_;
  bool released_ = false;
  std::vector<SavedArg> args_;
  std::vector<SavedTensor> tensors_;
  std::vector<SavedTensor> results_saved_;  ///< by result number; empty where not kept
  std::vector<ListLength> lists_;
};

}  // namespace framejit::eager
