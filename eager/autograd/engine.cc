#include "eager/autograd/engine.h"

#include <queue>
#include <unordered_map>

#include "eager/autograd/accumulate_grad.h"
#include "eager/autograd/autograd_meta.h"
#include "eager/autograd/formulas.h"
#include "eager/dispatch.h"
#include "eager/error.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"

namespace framejit::eager {

namespace {

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

class Engine {
 public:
  explicit Engine(BackwardPass pass) : pass_(std::move(pass)), captured_(pass_.captures.size()) {}

  std::vector<Tensor> run() {
    GradModeScope grad_mode(pass_.options.create_graph);
    count_dependencies();
    if (!pass_.captures.empty()) mark_needed();
    for (size_t i = 0; i < pass_.roots.size(); ++i) {
      GradNode* node = pass_.roots[i].node.get();
      receive(*node, pass_.roots[i].input, std::move(pass_.grads[i]));
    }
    for (size_t i = 0; i < pass_.roots.size(); ++i) {
      State& state = states_.at(pass_.roots[i].node.get());
      if (state.dependencies == 0 && !std::exchange(state.queued, true)) push(pass_.roots[i].node.get());
    }
    while (!ready_.empty()) {
      GradNode* node = ready_.top().node;
      ready_.pop();
      evaluate(*node);
    }
    return std::move(captured_);
  }

 private:
  struct State {
    int dependencies = 0;  ///< edges into the node that have not delivered yet
    bool needed = true;    ///< a captured node can be reached from it
    bool queued = false;
    std::vector<Tensor> grads;
  };
  struct Ready {
    uint64_t sequence;
    GradNode* node;
    bool operator<(const Ready& other) const { return sequence < other.sequence; }
  };

  /// Visits every node that can be reached from the roots.
  void count_dependencies() {
    std::vector<GradNode*> stack;
    for (const Edge& root : pass_.roots)
      if (states_.try_emplace(root.node.get()).second) stack.push_back(root.node.get());
    while (!stack.empty()) {
      GradNode* node = stack.back();
      stack.pop_back();
      for (const Edge& edge : node->edges) {
        if (!edge.node) continue;
        auto [state, is_new] = states_.try_emplace(edge.node.get());
        ++state->second.dependencies;
        if (is_new) stack.push_back(edge.node.get());
      }
    }
  }

  /// Depth first with an explicit stack: a node is needed when one of its successors is.
  void mark_needed() {
    for (auto& [node, state] : states_) state.needed = false;
    for (const Edge& capture : pass_.captures)
      if (auto found = states_.find(capture.node.get()); found != states_.end()) found->second.needed = true;
    struct Visit {
      GradNode* node;
      size_t next_edge;
    };
    std::unordered_map<GradNode*, bool> visited;
    std::vector<Visit> stack;
    for (const Edge& root : pass_.roots)
      if (visited.try_emplace(root.node.get()).second) stack.push_back({root.node.get(), 0});
    while (!stack.empty()) {
      Visit& top = stack.back();
      GradNode* next = nullptr;
      while (top.next_edge < top.node->edges.size() && !next) {
        next = top.node->edges[top.next_edge++].node.get();
        if (next && !visited.try_emplace(next).second) next = nullptr;
      }
      if (next) {
        stack.push_back({next, 0});
        continue;
      }
      bool& needed = states_.at(top.node).needed;
      for (const Edge& edge : top.node->edges)
        needed = needed || (edge.node && states_.at(edge.node.get()).needed);
      stack.pop_back();
    }
  }

  void push(GradNode* node) { ready_.push({node->sequence, node}); }

  void receive(GradNode& node, int input, Tensor grad) {
    State& state = states_.at(&node);
    if (state.grads.empty()) state.grads.resize(node.results.size());
    if (grad.defined()) add_to(state.grads[size_t(input)], std::move(grad));
  }

  void run_hooks(const std::vector<GradNode::Hook>& hooks, std::vector<Tensor>& grads) {
    // By index: a hook may remove itself.
    for (size_t i = 0; i < hooks.size(); ++i) {
      GradNode::Hook hook = hooks[i];
      Tensor& grad = grads[size_t(hook.input)];
      if (!grad.defined()) continue;
      Tensor replaced = hook.function(grad);
      if (!replaced.defined()) continue;
      FRAMEJIT_CHECK(replaced.sizes() == grad.sizes(), "hook has changed the size of value");
      grad = std::move(replaced);
    }
  }

  void evaluate(GradNode& node) {
    State& state = states_.at(&node);
    std::vector<Tensor> grads = std::move(state.grads);
    grads.resize(node.results.size());
    auto* leaf = dynamic_cast<AccumulateGrad*>(&node);
    if (leaf) run_hooks(autograd_meta(leaf->variable()).hooks, grads);
    if (node.hooks) run_hooks(*node.hooks, grads);
    for (size_t i = 0; i < pass_.captures.size(); ++i)
      if (pass_.captures[i].node.get() == &node) captured_[i] = grads[size_t(pass_.captures[i].input)];

    std::vector<Tensor> gradients(node.edges.size());
    bool any = false;
    for (const Tensor& grad : grads) any = any || grad.defined();
    bool apply = any && state.needed && !(leaf && !pass_.captures.empty()) && leads_on(node);
    if (apply) {
      gradients = node.apply(std::move(grads));
      if (!pass_.options.retain_graph && !pass_.options.create_graph) node.release_saved();
    }
    deliver(node, std::move(gradients));
  }

  /// With captures, a captured node is not run when nothing behind it is captured.
  bool leads_on(const GradNode& node) const {
    if (pass_.captures.empty()) return true;
    for (const Edge& edge : node.edges)
      if (edge.node && states_.at(edge.node.get()).needed) return true;
    return false;
  }

  void deliver(const GradNode& node, std::vector<Tensor> gradients) {
    for (size_t i = 0; i < node.edges.size(); ++i) {
      const Edge& edge = node.edges[i];
      if (!edge.node) continue;
      State& state = states_.at(edge.node.get());
      if (state.needed && i < gradients.size() && gradients[i].defined()) {
        const GradientMeta& wanted = edge.node->results[size_t(edge.input)];
        receive(*edge.node, edge.input, fit(std::move(gradients[i]), node, i, wanted));
      }
      if (--state.dependencies == 0) push(edge.node.get());
    }
  }

  BackwardPass pass_;
  std::vector<Tensor> captured_;
  std::unordered_map<GradNode*, State> states_;
  std::priority_queue<Ready> ready_;  // the latest forward operation first
};

/// Edges of the outputs and the gradients to begin with.
BackwardPass make_pass(const std::vector<Tensor>& outputs, const std::vector<Tensor>& grads,
                       BackwardOptions options) {
  FRAMEJIT_CHECK(grads.empty() || grads.size() == outputs.size(), "got ", outputs.size(), " tensors and ",
                 grads.size(), " gradients");
  BackwardPass pass;
  pass.options = options;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& output = outputs[i];
    FRAMEJIT_CHECK(output.requires_grad(), "element ", i,
                   " of tensors does not require grad and does not have a grad_fn");
    Tensor grad = grads.empty() ? Tensor() : grads[i];
    if (!grad.defined()) {
      FRAMEJIT_CHECK(output.numel() == 1, "grad can be implicitly created only for scalar outputs");
      FRAMEJIT_CHECK(!is_complex(output.dtype()),
                     "grad can be implicitly created only for real scalar outputs but got ",
                     dtype_name(output.dtype()));
      grad = ops::ones(output.sizes(), output.dtype(), output.device());
    }
    FRAMEJIT_CHECK(grad.sizes() == output.sizes(), "Mismatch in shape: grad_output[", i, "] has a shape of ",
                   sizes_text(grad.sizes()), " and output[", i, "] has a shape of ",
                   sizes_text(output.sizes()), ".");
    if (grad.dtype() != output.dtype()) grad = ops::cast(grad, output.dtype());
    pass.roots.push_back(gradient_edge(output));
    pass.grads.push_back(std::move(grad));
  }
  return pass;
}

}  // namespace

std::vector<Tensor> run_backward(BackwardPass pass) { return Engine(std::move(pass)).run(); }

void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& grads, BackwardOptions options,
              const std::vector<Tensor>& inputs) {
  BackwardPass pass = make_pass(outputs, grads, options);
  for (const Tensor& input : inputs) {
    FRAMEJIT_CHECK(input.requires_grad(), "One of the differentiated Tensors does not require grad");
    pass.captures.push_back(gradient_edge(input));
  }
  std::vector<Tensor> gradients = run_backward(std::move(pass));
  GradModeScope grad_mode(options.create_graph);
  for (size_t i = 0; i < gradients.size(); ++i)
    if (gradients[i].defined()) accumulate_grad(inputs[i], std::move(gradients[i]));
}

std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grads, BackwardOptions options, bool allow_unused) {
  FRAMEJIT_CHECK_TYPE(!inputs.empty(), value, "`inputs` argument to `grad()` cannot be empty.");
  BackwardPass pass = make_pass(outputs, grads, options);
  for (const Tensor& input : inputs) {
    FRAMEJIT_CHECK(input.requires_grad(), "One of the differentiated Tensors does not require grad");
    pass.captures.push_back(gradient_edge(input));
  }
  std::vector<Tensor> gradients = run_backward(std::move(pass));
  for (size_t i = 0; i < gradients.size(); ++i)
    FRAMEJIT_CHECK(
        gradients[i].defined() || allow_unused, "The differentiated Tensor at index ", i,
        " appears to not have been used in the graph. Set allow_unused=True if this is the desired "
        "behavior.");
  return gradients;
}

}  // namespace framejit::eager
