// Contract: the graph IR.
//
// Tour of graph/
//   graph.h          Graph, Node, Argument: an FX-like list of nodes over the op table
//   trace.h          making graphs: a Recorder under the dispatcher, symbolic tensors and scalars
//   print.h parse.h  deterministic text form; parse(print(g)) == g
//   verify.h         every rule that a well-formed graph obeys
//   interpret.h      runs a graph node by node through the dispatcher (the oracle of every other way to run
//   it) passes/          one header, one function, one source file each: functionalize, decompose, cse, fold,
//   dce aot/             forward and backward graphs ahead of time: joint trace, partition serialize.h graphs
//   to and from bytes
// No CPython here. A graph owns its nodes; symbolic tensors point into it and must not outlive it.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "eager/op.h"
#include "eager/size_expr.h"

namespace framejit::graph {

using eager::DType;
using eager::SymInt;
using eager::TensorMeta;

class Node;

/// One result of a node.
struct NodeOutput {
  Node* node = nullptr;
  int index = 0;
  friend bool operator==(NodeOutput, NodeOutput) = default;
};

/// An argument of a node. Sizes may be symbolic; lists nest one level.
struct Argument {
  using List = std::vector<Argument>;
  std::variant<std::monostate, NodeOutput, SymInt, double, bool, DType, eager::Device, std::string, List>
      value;
};

enum class NodeKind : uint8_t {
  placeholder,  ///< an input: a tensor, or a Python scalar (then meta has no sizes and `is_scalar`)
  constant,     ///< a tensor known when tracing (held by the graph)
  call_op,      ///< `op` of the table
  call_python,  ///< an opaque callable (allow_in_graph, custom ops); held through `python_target`
  scalar_op,    ///< arithmetic on Python scalars, target names it: "add", "mul", "truediv", ...
  output,       ///< arguments are the results of the graph, in order
};

/// What is known of a node's result without running it.
struct ValueMeta {
  TensorMeta tensor;
  bool is_scalar = false;  ///< a Python number of type `tensor.dtype` (int64, float64, bool)
  bool requires_grad = false;
};

class Node {
 public:
  NodeKind kind;
  const eager::Op* op = nullptr;
  std::string name;             ///< unique in the graph: "add_3"
  std::string target;           ///< scalar_op and call_python
  std::vector<Argument> args;   ///< in schema order, complete
  std::vector<ValueMeta> meta;  ///< one per result
  eager::Tensor constant;
  std::shared_ptr<void> python_target;
  std::string stack_trace;  ///< "file:line in function: source text" of the user's line, for reports

  int id = 0;                ///< dense, in graph order after Graph::renumber
  std::vector<Node*> users;  ///< each user once
};

class Graph {
 public:
  FRAMEJIT_API Graph();
  FRAMEJIT_API ~Graph();
  Graph(const Graph&) = delete;

  FRAMEJIT_API Node* placeholder(const std::string& name, ValueMeta meta);
  FRAMEJIT_API Node* constant(eager::Tensor tensor);
  /// Appends (or inserts before `insertion_point`) a call; the caller has inferred `meta`.
  FRAMEJIT_API Node* call_op(const eager::Op& op, std::vector<Argument> args, std::vector<ValueMeta> meta);
  FRAMEJIT_API Node* scalar_op(const std::string& target, std::vector<Argument> args, DType type);
  FRAMEJIT_API Node* call_python(std::shared_ptr<void> target, const std::string& name,
                                 std::vector<Argument> args, std::vector<ValueMeta> meta);
  FRAMEJIT_API Node* output(std::vector<Argument> results);

  FRAMEJIT_API void erase(Node* node);  ///< must have no users
  FRAMEJIT_API void replace_all_uses(NodeOutput from, NodeOutput to);
  FRAMEJIT_API void set_args(Node* node, std::vector<Argument> args);  ///< keeps `users` right
  FRAMEJIT_API void renumber();
  FRAMEJIT_API std::unique_ptr<Graph> clone() const;

  std::list<std::unique_ptr<Node>> nodes;                      ///< in execution order
  std::list<std::unique_ptr<Node>>::iterator insertion_point;  ///< end() to append
  std::vector<Node*> inputs;                                   ///< placeholders in order
  Node* result = nullptr;                                      ///< the output node
  std::vector<SymInt> symbols;  ///< symbol i is bound at run time from `symbol_sources[i]`
  /// Where a symbol's value is read at run time: size `dim` of tensor input `input`, or (dim == -1) the int
  /// input itself.
  struct SymbolSource {
    int input;
    int dim;
  };
  std::vector<SymbolSource> symbol_sources;
};

}  // namespace framejit::graph
