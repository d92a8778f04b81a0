#include "eager/autograd/grad_node.h"

#include <atomic>

namespace framejit::eager {

namespace {

// Ordering only matters within one graph, and a graph is mostly built by one thread.
thread_local uint64_t next_sequence = 0;

/// Nodes whose last reference went while another node was being destroyed on this thread.
thread_local std::vector<GradNode*>* graveyard = nullptr;

}  // namespace

int64_t next_hook_id() {
  static std::atomic<int64_t> next{0};
  return next++;
}

GradNode::GradNode() : sequence(next_sequence++) {}
GradNode::~GradNode() = default;

int GradNode::add_result(const Tensor& result) {
  results.push_back({result.sizes(), result.dtype(), result.device()});
  return int(results.size()) - 1;
}

void GradNode::destroy() {
  unlink();
  if (graveyard) {
    graveyard->push_back(this);
    return;
  }
  std::vector<GradNode*> waiting;
  graveyard = &waiting;
  GradNode* node = this;
  while (node) {
    delete node;  // may add to `waiting`, through its edges and the tensors it saved
    node = nullptr;
    if (!waiting.empty()) {
      node = waiting.back();
      waiting.pop_back();
    }
  }
  graveyard = nullptr;
}

}  // namespace framejit::eager
