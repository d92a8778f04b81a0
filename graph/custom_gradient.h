// Derivatives that the user wrote (autograd.Function), in a graph.
//
// The front end traces `forward` without gradients and then `backward`, on tangents that stand for the
// gradients of its results. What the latter recorded is cut out of the graph and becomes the rule of one
// node, which takes the results of `forward` and gives them a history: an autograd node that runs the rule.
// Where the graph is differentiated (aot/joint.h) that history is followed and the node is gone; where it is
// not, the node is dropped.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/interpret.h"

namespace framejit::graph {

/// Arguments of the node: results of forward, then those inputs of forward that want a gradient, then what
/// the rule captured. Results: those of forward, with a history.
class FRAMEJIT_API CustomGradient final : public OpaqueCall {
 public:
  struct Rule {
    std::string name;  ///< of the autograd node
    std::unique_ptr<Graph>
        backward;  ///< inputs: a tangent for each result, then saved values; results: gradients
    size_t results = 0, inputs = 0;
    /// What each saved value is: the number of a result; -1: the next captured argument.
    std::vector<int> saved;
  };
  explicit CustomGradient(Rule rule) : rule_(std::move(rule)), backward_(*rule_.backward) {}

  std::vector<eager::Value> call(const std::vector<eager::Value>& args) const override;
  bool is_traceable() const override { return true; }
  /// Gives `results`, made by a call with `args`, their history. Nothing where no gradient is wanted.
  void link(const std::vector<eager::Tensor>& results, const std::vector<eager::Value>& args) const;
  size_t result_count() const { return rule_.results; }

 private:
  class Backward;
  bool wants_gradient(const std::vector<eager::Value>& args) const;

  Rule rule_;
  Interpreter backward_;
};

/// What has been recorded between `begin_gradient` and `end_gradient` becomes a rule.
struct GradientTangents {
  Node* node;
  std::vector<eager::Tensor> tensors;  ///< one for each of the results
};
FRAMEJIT_API GradientTangents begin_gradient(Tracer& tracer, const std::vector<eager::Tensor>& results);

struct TracedGradient {
  std::shared_ptr<const CustomGradient> rule;
  std::vector<eager::Value> captured;
};
/// `gradients`: one for each of `inputs`, undefined where there is none. Raises Untraceable where backward
/// writes into what it did not make. Tensors recorded in between must not be used any more.
FRAMEJIT_API TracedGradient end_gradient(Tracer& tracer, const std::string& name,
                                         const GradientTangents& tangents,
                                         const std::vector<eager::Tensor>& results,
                                         const std::vector<eager::Tensor>& inputs,
                                         const std::vector<eager::Tensor>& gradients);

/// Takes the nodes with rules out of a graph that is not going to be differentiated.
FRAMEJIT_API void drop_custom_gradients(Graph& graph);

}  // namespace framejit::graph
