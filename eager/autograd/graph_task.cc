#include "eager/autograd/graph_task.h"

#include <atomic>

#include "eager/autograd/anomaly.h"
#include "eager/autograd/autograd_meta.h"
#include "eager/autograd/formulas.h"
#include "eager/error.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/copy.h"

namespace framejit::eager {

namespace {

/// What runs on this thread; passes may be nested.
struct Running {
  GraphTask* task = nullptr;
  const GradNode* node = nullptr;
};
thread_local Running running;

class RunningScope {
 public:
  RunningScope(GraphTask* task, const GradNode* node) : previous_(running) { running = {task, node}; }
  ~RunningScope() { running = previous_; }

 private:
  Running previous_;
};

int64_t next_task_id() {
  static std::atomic<int64_t> next{0};
  return next++;
}

bool expandable(const Dims& from, const Dims& to) {
  int missing = to.size() - from.size();
  if (missing < 0) return false;
  for (int i = 0; i < from.size(); ++i)
    if (!(from.sym(i) == 1) && !(from.sym(i) == to.sym(i + missing))) return false;
  return true;
}

/// Brings a gradient into the shape and dtype of the value it belongs to: what broadcasting and promotion did
/// to the value is undone here, for all ops at once.
Tensor fit(Tensor grad, const GradNode& from, size_t index, const GradientMeta& wanted) {
  if (!(grad.sizes() == wanted.sizes)) {
    FRAMEJIT_CHECK(expandable(wanted.sizes, grad.sizes()), "Function ", from.name(),
                   " returned an invalid gradient at index ", index, " - got ", sizes_text(grad.sizes()),
                   " but expected shape compatible with ", sizes_text(wanted.sizes));
    grad = ops::sum_to_size(grad, wanted.sizes);
  }
  return grad.dtype() == wanted.dtype ? grad : ops::cast(grad, wanted.dtype);
}

/// Whether nobody else can see the elements of `grad`, so that a sum may be formed in it.
bool owned_alone(const Tensor& grad) {
  return grad->use_count() == 1 && grad->storage && grad->storage->use_count() == 1 && !grad->view &&
         grad.is_contiguous();
}

void add_to(Tensor& sum, Tensor grad) {
  if (!sum.defined())
    sum = std::move(grad);
  else if (!modes().grad_enabled && !grad.is_symbolic() && owned_alone(sum))
    ops::add_(sum, grad);
  else
    sum = ops::add(sum, grad);
}

void run_tensor_hooks(const HookList<TensorHook>& list, std::vector<Tensor>& grads) {
  auto hooks = list.snapshot();
  if (!hooks) return;
  for (const auto& hook : *hooks) {
    Tensor& grad = grads[size_t(hook.input)];
    if (!grad.defined()) continue;
    Tensor replaced = hook.function(grad);
    if (!replaced.defined()) continue;
    FRAMEJIT_CHECK(replaced.sizes() == grad.sizes(), "hook has changed the size of value");
    grad = std::move(replaced);
  }
}

void run_tensor_hooks(const GradNode& node, std::vector<Tensor>& grads) {
  if (const Tensor* leaf = node.leaf(); leaf && (*leaf)->autograd->hooks)
    run_tensor_hooks(*(*leaf)->autograd->hooks, grads);
  const NodeExtras* extras = node.find_extras();
  if (!extras) return;
  run_tensor_hooks(*extras->tensor_hooks, grads);
  run_tensor_hooks(*extras->retain_hooks, grads);
}

}  // namespace

const GradNode* current_node() { return running.node; }
int64_t current_pass() { return running.task ? running.task->id() : -1; }
bool is_wanted(const GradNode& node, const Edge& edge) {
  if (!running.task || running.node != &node || running.task->wants_all()) return true;
  return edge.node && running.task->will_run(*edge.node);
}
bool will_run(const GradNode& node) {
  FRAMEJIT_CHECK(running.task, "this can only be asked while a backward pass runs");
  return running.task->will_run(node);
}
void at_end_of_pass(std::function<void()> callback) {
  FRAMEJIT_CHECK(running.task, "Final callbacks can only be installed during backward pass.");
  running.task->at_end(std::move(callback));
}

// --- preparing ---------------------------------------------------------------------------------------------

GraphTask::GraphTask(BackwardPass pass)
    : pass_(std::move(pass)),
      id_(next_task_id()),
      modes_(modes()),
      own_device_(device_of_this_thread()),
      captured_(pass_.captures.size()),
      next_capture_(pass_.captures.size(), -1) {}

std::vector<Tensor> GraphTask::run() {
  GradModeScope grad_mode(pass_.options.create_graph);
  count_dependencies();
  select();
  start();
  work_until_done();
  RunningScope scope(this, nullptr);
  for (size_t i = 0; i < callbacks_.size(); ++i) callbacks_[i]();  // one may add another
  return std::move(captured_);
}

/// Visits every node that can be reached from the roots.
void GraphTask::count_dependencies() {
  std::vector<GradNode*> stack;
  for (const Edge& root : pass_.roots)
    if (nodes_.insert(root.node.get()).second) stack.push_back(root.node.get());
  while (!stack.empty()) {
    GradNode* node = stack.back();
    stack.pop_back();
    concurrent_ = concurrent_ || queue_of(*node) != own_device_;
    for (const Edge& edge : node->edges) {
      if (!edge.node) continue;
      auto [state, is_new] = nodes_.insert(edge.node.get());
      ++state->dependencies;
      if (is_new) stack.push_back(edge.node.get());
    }
  }
}

/// Says which nodes receive gradients and which run.
void GraphTask::select() {
  if (wants_all()) return;
  for (NodeState& state : nodes_.states()) state.needed = state.runs = false;
  for (const Edge& target : pass_.targets)
    if (NodeState* state = nodes_.find(target.node.get())) state->needed = state->runs = true;
  for (size_t i = pass_.captures.size(); i-- > 0;) {
    NodeState* state = nodes_.find(pass_.captures[i].node.get());
    if (!state) continue;
    state->needed = true;
    next_capture_[i] = std::exchange(state->first_capture, int(i));
  }
  mark_needed();
}

/// Depth first with an explicit stack: a node is needed, and runs, when one of its successors is needed.
void GraphTask::mark_needed() {
  struct Visit {
    NodeState* state;
    size_t next_edge;
  };
  std::vector<Visit> stack;
  auto visit = [&](const GradNode* node) {
    NodeState* state = nodes_.find(node);
    if (!std::exchange(state->visited, true)) stack.push_back({state, 0});
  };
  for (const Edge& root : pass_.roots) {
    visit(root.node.get());
    while (!stack.empty()) {
      Visit& top = stack.back();
      const auto& edges = top.state->node->edges;
      if (top.next_edge < edges.size()) {
        if (const GradNode* next = edges[top.next_edge++].node.get()) visit(next);
        continue;
      }
      for (const Edge& edge : edges)
        if (edge.node && nodes_.find(edge.node.get())->needed) top.state->needed = top.state->runs = true;
      stack.pop_back();
    }
  }
}

bool GraphTask::will_run(const GradNode& node) {
  NodeState* state = nodes_.find(&node);
  return state && state->needed;
}

void GraphTask::start() {
  auto lock = locked();
  for (size_t i = 0; i < pass_.roots.size(); ++i)
    receive(*nodes_.find(pass_.roots[i].node.get()), pass_.roots[i].input, std::move(pass_.grads[i]));
  for (const Edge& root : pass_.roots) {
    NodeState& state = *nodes_.find(root.node.get());
    if (state.dependencies == 0 && !std::exchange(state.queued, true)) push(state);
  }
}

// --- running -----------------------------------------------------------------------------------------------

DeviceType GraphTask::queue_of(const GradNode& node) const {
  DeviceType device = node.results.empty() ? DeviceType::cpu : node.results[0].device.type;
  return device == DeviceType::cuda ? device : own_device_;
}

std::unique_lock<std::mutex> GraphTask::locked() {
  return concurrent_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
}

void GraphTask::push(NodeState& state) {
  DeviceType device = queue_of(*state.node);
  queues_[size_t(device)].push({state.node->sequence, &state});
  ++outstanding_;
  if (device != own_device_) wake_device_thread(device, shared_from_this());
}

void GraphTask::work_until_done() {
  if (!concurrent_) {
    while (work(own_device_)) {
    }
    return;
  }
  std::unique_lock lock(mutex_);
  while (outstanding_ > 0 && !error_) {
    bool idle = queues_[size_t(own_device_)].empty();
    if (idle) {
      changed_.wait(lock);
      continue;
    }
    lock.unlock();
    work(own_device_);
    lock.lock();
  }
  if (error_) std::rethrow_exception(error_);
}

bool GraphTask::work(DeviceType device) {
  NodeState* state = nullptr;
  {
    auto lock = locked();
    Queue& queue = queues_[size_t(device)];
    if (queue.empty() || error_) return false;
    state = queue.top().state;
    queue.pop();
  }
  if (!concurrent_) {
    evaluate(*state);
    return true;
  }
  std::exception_ptr error;
  try {
    evaluate(*state);
  } catch (...) {
    error = std::current_exception();
  }
  std::lock_guard lock(mutex_);
  --outstanding_;
  if (error && !error_) error_ = error;
  changed_.notify_all();
  return true;
}

void GraphTask::evaluate(NodeState& state) {
  GradNode& node = *state.node;
  RunningScope scope(this, &node);
  std::vector<Tensor> grads = std::move(state.grads);
  grads.resize(node.results.size());
  std::vector<Tensor> gradients;
  bool any = false;
  for (const Tensor& grad : grads) any = any || grad.defined();
  if (any && state.needed) {
    run_tensor_hooks(node, grads);
    capture(state, grads);
    if (state.runs) gradients = apply(state, std::move(grads));
  }
  auto lock = locked();
  deliver(node, std::move(gradients));
}

void GraphTask::capture(const NodeState& state, const std::vector<Tensor>& grads) {
  if (state.first_capture < 0) return;
  auto lock = locked();
  for (int i = state.first_capture; i >= 0; i = next_capture_[size_t(i)])
    captured_[size_t(i)] = grads[size_t(pass_.captures[size_t(i)].input)];
}

std::vector<Tensor> GraphTask::apply(NodeState& state, std::vector<Tensor> grads) {
  GradNode& node = *state.node;
  const NodeExtras* extras = node.find_extras();
  if (extras)
    if (auto hooks = extras->pre_hooks->snapshot())
      for (const auto& hook : *hooks) hook.function(grads);
  auto after = extras ? extras->post_hooks->snapshot() : nullptr;
  std::vector<Tensor> kept = after ? grads : std::vector<Tensor>();

  std::vector<Tensor> gradients;
  if (!modes_.anomaly) {
    gradients = node.apply(std::move(grads));
  } else {
    try {
      gradients = node.apply(std::move(grads));
      if (anomaly_checks_nan()) check_for_nan(node, gradients);
    } catch (...) {
      report_anomaly(node);
      throw;
    }
  }
  if (!pass_.options.retain_graph && !pass_.options.create_graph) node.release_saved();
  if (after)
    for (const auto& hook : *after) hook.function(gradients, kept);
  return gradients;
}

void GraphTask::deliver(const GradNode& node, std::vector<Tensor> gradients) {
  for (size_t i = 0; i < node.edges.size(); ++i) {
    const Edge& edge = node.edges[i];
    if (!edge.node) continue;
    NodeState& state = *nodes_.find(edge.node.get());
    if (state.needed && i < gradients.size() && gradients[i].defined()) {
      const GradientMeta& wanted = edge.node->results[size_t(edge.input)];
      receive(state, edge.input, fit(std::move(gradients[i]), node, i, wanted));
    }
    if (--state.dependencies == 0) push(state);
  }
}

void GraphTask::receive(NodeState& state, int input, Tensor grad) {
  if (state.grads.empty()) state.grads.resize(state.node->results.size());
  if (grad.defined()) add_to(state.grads[size_t(input)], std::move(grad));
}

std::vector<Tensor> run_backward(BackwardPass pass) {
  return std::make_shared<GraphTask>(std::move(pass))->run();
}

}  // namespace framejit::eager
