// Automatic differentiation: the public interface.
//
// Tour of eager/autograd/
//   autograd.h          what users and bindings call: backward, grad, hooks, detach, requires_grad_
//   autograd_meta.h     what a tensor carries when it takes part: grad, grad_fn, hooks; its base when it is a view
//   hooks.h             lists of hooks that may change while they run
//   grad_node.h         GradNode, the vertex of the backward graph; edges; destruction without recursion
//   op_node.h           the one node class of all ops of the table, with the values its derivative reads
//   saved_tensor.h      one such value: version check, hooks that pack it
//   backward_context.h  what a generated derivative sees of its node; formulas.h, *_formulas.h: what it calls
//   accumulate_grad.h   the node of a leaf: adds into .grad
//   view.h              views: in-place writes through a view give the base a new history
//   record.h            the autograd layer of the dispatcher: runs an op and links its results
//   engine.h            the backward pass: backward.cc (arguments), graph_task.h (one pass while it runs),
//                       node_table.h, device_threads.cc
//   anomaly.h           where the forward call of a failing node was
// Everything computes through ops of the table, so that a backward pass over symbolic tensors is recorded
// like any other code, and a pass in grad mode can be differentiated again.
#pragma once

#include <functional>
#include <vector>

#include "eager/autograd/grad_node.h"
#include "eager/tensor.h"

namespace framejit::eager {

struct BackwardOptions {
  bool retain_graph = false;  ///< keep saved values for another pass
  bool create_graph = false;  ///< make the gradients differentiable; implies retain_graph
};

/// Adds the gradients of `outputs` to `.grad` of the leaves (or of `inputs` only, where given). An undefined
/// entry of `grads` stands for 1 and needs an output of one element.
FRAMEJIT_API void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& grads,
                           BackwardOptions options = {}, const std::vector<Tensor>& inputs = {});
/// The gradients of `outputs` with respect to `inputs`. One that does not depend is an error, or undefined
/// with `allow_unused`.
FRAMEJIT_API std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                                      const std::vector<Tensor>& grads, BackwardOptions options = {},
                                      bool allow_unused = false);

/// The same from places in the graph, whose tensors need not be there any more.
FRAMEJIT_API void backward(const std::vector<Edge>& outputs, const std::vector<Tensor>& grads,
                           BackwardOptions options, const std::vector<Tensor>& inputs);
FRAMEJIT_API std::vector<Tensor> grad(const std::vector<Edge>& outputs, const std::vector<Edge>& inputs,
                                      const std::vector<Tensor>& grads, BackwardOptions options,
                                      bool allow_unused);

/// Shares data and version, has no history.
FRAMEJIT_API Tensor detach(const Tensor& self);
/// The same for what autograd keeps itself: a trace does not see it.
FRAMEJIT_API Tensor without_history(const Tensor& self);
/// Raises for non-leaves that are to lose it and for dtypes without gradients.
FRAMEJIT_API void set_requires_grad(const Tensor& self, bool requires_grad);
FRAMEJIT_API bool is_leaf(const Tensor& self);
FRAMEJIT_API Tensor get_grad(const Tensor& self);                    ///< undefined when there is none
FRAMEJIT_API void set_grad(const Tensor& self, const Tensor& grad);  ///< checks sizes and dtype
FRAMEJIT_API Ref<GradNode> grad_fn(const Tensor& self);              ///< null for leaves
FRAMEJIT_API int output_number(const Tensor& self);                  ///< which result of grad_fn
FRAMEJIT_API void retain_grad(const Tensor& self);                   ///< `.grad` of a non-leaf
FRAMEJIT_API bool retains_grad(const Tensor& self);
/// The tensor this is a view of; undefined for others.
FRAMEJIT_API Tensor view_base(const Tensor& self);
/// Makes `result` output `number` of `node`.
FRAMEJIT_API void set_history(const Tensor& result, const Ref<GradNode>& node, int number);
/// The edge through which a gradient of `self` flows; no node when it does not require grad.
FRAMEJIT_API Edge gradient_edge(const Tensor& self);

/// `python`: the callable behind the hook, if it is one, which the list then owns.
FRAMEJIT_API HookHandle register_hook(const Tensor& self, TensorHook hook, std::shared_ptr<void> python = {});
FRAMEJIT_API HookHandle register_post_accumulate_hook(const Tensor& self, PostAccumulateHook hook,
                                                      std::shared_ptr<void> python = {});
/// Python objects that belong to hooks and nodes which this tensor, held by one reference, alone keeps alive.
FRAMEJIT_API void visit_python(const TensorImpl& impl, const PythonVisitor& visit);
FRAMEJIT_API void clear_python(TensorImpl& impl);

}  // namespace framejit::eager
