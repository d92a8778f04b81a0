#include "eager/autograd/grad_node.h"

#include <atomic>

#include "eager/autograd/anomaly.h"
#include "eager/dispatch.h"

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

GradNode::GradNode() : sequence(next_sequence++) {
  if (modes().anomaly) remember_place(*this);
}
GradNode::~GradNode() { delete find_extras(); }

int GradNode::add_result(const Tensor& result) {
  results.push_back({result.sizes(), result.dtype(), result.device()});
  return int(results.size()) - 1;
}

NodeExtras& GradNode::extras() {
  if (NodeExtras* there = find_extras()) return *there;
  auto made = std::make_unique<NodeExtras>();
  NodeExtras* expected = nullptr;
  if (extras_.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel))
    return *made.release();
  return *expected;  // another thread was faster
}

void GradNode::visit_python(const PythonVisitor& visit) const {
  const NodeExtras* extras = find_extras();
  if (!extras) return;
  extras->tensor_hooks->visit_python(visit);
  extras->pre_hooks->visit_python(visit);
  extras->post_hooks->visit_python(visit);
  if (extras->metadata && extras->metadata.use_count() == 1) visit(extras->metadata.get());
}

void GradNode::clear_python() {
  NodeExtras* extras = find_extras();
  if (!extras) return;
  extras->tensor_hooks->clear();
  extras->pre_hooks->clear();
  extras->post_hooks->clear();
  extras->metadata.reset();
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
