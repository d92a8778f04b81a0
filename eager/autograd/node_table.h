// What a backward pass knows of each node: a hash table over one array, as most of the time of a pass over
// small tensors would otherwise go into allocating entries.
#pragma once

#include <vector>

#include "eager/autograd/grad_node.h"

namespace framejit::eager {

struct NodeState {
  GradNode* node;
  int dependencies = 0;    ///< edges into the node that have not delivered yet
  int first_capture = -1;  ///< of a chain
  bool needed = true;      ///< its gradients lead to something that is wanted
  bool runs = true;        ///< it is to be applied, not only to receive gradients
  bool visited = false;
  bool queued = false;
  std::vector<Tensor> grads;
};

class NodeTable {
 public:
  NodeTable() : slots_(64) {}

  /// Addresses change with the next insertion. Second: whether it is new.
  std::pair<NodeState*, bool> insert(GradNode* node) {
    if (states_.size() * 2 >= slots_.size()) grow();
    size_t slot = place_of(node);
    if (slots_[slot]) return {&states_[slots_[slot] - 1], false};
    states_.push_back({node});
    slots_[slot] = uint32_t(states_.size());
    return {&states_.back(), true};
  }
  NodeState* find(const GradNode* node) {
    uint32_t number = slots_[place_of(node)];
    return number ? &states_[number - 1] : nullptr;
  }
  std::vector<NodeState>& states() { return states_; }

 private:
  size_t place_of(const GradNode* node) const {
    size_t mask = slots_.size() - 1;
    size_t slot = (reinterpret_cast<uintptr_t>(node) >> 4) * 0x9E3779B97F4A7C15ull >> 20 & mask;
    while (slots_[slot] && states_[slots_[slot] - 1].node != node) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    slots_.assign(slots_.size() * 4, 0);
    for (size_t i = 0; i < states_.size(); ++i) slots_[place_of(states_[i].node)] = uint32_t(i + 1);
  }

  std::vector<NodeState> states_;
  std::vector<uint32_t> slots_;  // a power of two; 1 + index into states_, 0: free
};

}  // namespace framejit::eager
