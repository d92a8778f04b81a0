// Contract: the graph IR.
//
// Tour of graph/
//   graph.h          Graph, Node, Argument: an FX-like list of nodes over the op table
//   trace.h          making graphs: a Recorder under the dispatcher, symbolic tensors and scalars
//   scalar_op.h      arithmetic on Python numbers that are only known when the graph runs
//   print.h parse.h  deterministic text form; parse(print(g)) == g
//   verify.h         every rule that a well-formed graph obeys
//   interpret.h      runs a graph node by node through the dispatcher (the oracle of every other way to run
//                    it, and, over symbolic tensors, the way to trace it again)
//   custom_gradient.h  derivatives that the user wrote
//   rehearsal.h      keeps a graph that writes in place and then fails from having written
//   passes/          one header, one function, one source file each; passes/pipeline.h strings them together
//   aot/             forward and backward graphs ahead of time; aot/compile.h is what the front end calls
// No CPython here. A graph owns its nodes; symbolic tensors point into it and must not outlive it.
#pragma once

#include <complex>
#include <list>
#include <map>
#include <memory>
#include <set>
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
  std::variant<std::monostate, NodeOutput, SymInt, double, bool, DType, eager::Device, std::string, List,
               std::complex<double>>
      value;

  const NodeOutput* node_output() const { return std::get_if<NodeOutput>(&value); }
  const SymInt* sym_int() const { return std::get_if<SymInt>(&value); }
  const List* list() const { return std::get_if<List>(&value); }
  bool is_none() const { return value.index() == 0; }
};

/// Equality by structure: sizes by expression (no guard), floating numbers by their bits.
FRAMEJIT_API bool same(const Argument& a, const Argument& b);
FRAMEJIT_API bool same(const std::vector<Argument>& a, const std::vector<Argument>& b);

/// Calls `visit(NodeOutput&)` or `visit(const NodeOutput&)` for every reference to a node, lists included.
template <class Arguments, class Visitor>
void for_each_node_output(Arguments& args, const Visitor& visit) {
  for (auto& arg : args) {
    if (auto* ref = std::get_if<NodeOutput>(&arg.value)) {
      visit(*ref);
    } else if (auto* list = std::get_if<Argument::List>(&arg.value)) {
      for_each_node_output(*list, visit);
    }
  }
}

enum class NodeKind : uint8_t {
  placeholder,  ///< an input: a tensor, or a Python scalar (then meta has no sizes and `is_scalar`)
  constant,     ///< a tensor known when tracing (held by the graph)
  call_op,      ///< `op` of the table
  call_opaque,  ///< a callable that the compiler does not look into (allow_in_graph): `opaque`
  scalar_op,    ///< arithmetic on Python numbers, see scalar_op.h; `target` names it: "add", "truediv", ...
  output,       ///< arguments are the results of the graph, in order
};

/// What is known of a node's result without running it.
struct ValueMeta {
  TensorMeta tensor;
  bool is_scalar = false;      ///< a Python number of type `tensor.dtype` (int64, float64, bool)
  bool requires_grad = false;  ///< placeholders: the input requires grad. Of other nodes it is not kept.
};

/// A callable that graphs hold but do not look into.
class OpaqueCall : public std::enable_shared_from_this<OpaqueCall> {
 public:
  virtual ~OpaqueCall() = default;
  /// Whether it is made of ops, which are recorded when the graph is traced again: see custom_gradient.h.
  virtual bool is_traceable() const { return false; }
  /// One value per result.
  virtual std::vector<eager::Value> call(const std::vector<eager::Value>& args) const = 0;
};

class Node {
 public:
  NodeKind kind;
  const eager::Op* op = nullptr;
  std::string name;             ///< unique in the graph: "add_3"
  std::string target;           ///< scalar_op and call_opaque
  std::vector<Argument> args;   ///< in schema order, complete
  std::vector<ValueMeta> meta;  ///< one per result; of a Tensor[] result one per entry
  eager::Tensor constant;
  std::shared_ptr<const OpaqueCall> opaque;
  /// False for what was recorded under no_grad (and by the autograd engine): not to be differentiated again.
  bool grad_mode = true;
  std::string stack_trace;  ///< "file:line in function: source text" of the user's line, for reports

  int id = 0;                ///< dense, in graph order after Graph::renumber; before that unique
  std::vector<Node*> users;  ///< each user once, in the order in which they came
  std::list<std::unique_ptr<Node>>::iterator position;  ///< in Graph::nodes

  bool is_call(eager::OpKind op_kind) const { return kind == NodeKind::call_op && op->kind == op_kind; }
};

/// Whether the node writes into one of its arguments.
FRAMEJIT_API bool is_mutating(const Node& node);
/// Whether the node may not be erased, merged or moved although nobody uses its results.
FRAMEJIT_API bool has_effect(const Node& node);

class Graph {
 public:
  FRAMEJIT_API Graph();
  FRAMEJIT_API ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Inputs come first, whatever the insertion point.
  FRAMEJIT_API Node* placeholder(const std::string& name, ValueMeta meta);
  FRAMEJIT_API Node* constant(eager::Tensor tensor);
  /// Calls are inserted before `insertion_point`; the caller has inferred `meta`.
  FRAMEJIT_API Node* call_op(const eager::Op& op, std::vector<Argument> args, std::vector<ValueMeta> meta);
  FRAMEJIT_API Node* scalar_op(const std::string& target, std::vector<Argument> args, DType type);
  FRAMEJIT_API Node* call_opaque(std::shared_ptr<const OpaqueCall> callee, const std::string& name,
                                 std::vector<Argument> args, std::vector<ValueMeta> meta);
  /// Makes the output node, or gives the one that exists new arguments.
  FRAMEJIT_API Node* output(std::vector<Argument> results);

  /// A copy of a node of another graph, with the arguments given; not for inputs and outputs.
  FRAMEJIT_API Node* copy(const Node& node, std::vector<Argument> args);

  FRAMEJIT_API void erase(Node* node);  ///< must have no users
  FRAMEJIT_API void replace_all_uses(NodeOutput from, NodeOutput to);
  FRAMEJIT_API void set_args(Node* node, std::vector<Argument> args);  ///< keeps `users` right
  FRAMEJIT_API void move_before(Node* node, Node* place);
  FRAMEJIT_API void renumber();
  FRAMEJIT_API std::unique_ptr<Graph> clone() const;
  FRAMEJIT_API std::string unique_name(const std::string& wish);

  std::list<std::unique_ptr<Node>> nodes;                      ///< in execution order
  std::list<std::unique_ptr<Node>>::iterator insertion_point;  ///< end() to append
  std::vector<Node*> inputs;                                   ///< placeholders in order
  Node* result = nullptr;                                      ///< the output node
  /// Where the value of symbol i is read at run time: size `dim` of tensor input `input`, or (dim == -1) the
  /// int input itself; input == -1: the graph does not use the symbol.
  struct SymbolSource {
    int input = -1;
    int dim = -1;
  };
  std::vector<SymbolSource> symbol_sources;
  /// The symbols' hints and the guards that the trace relied on. Passes enter its scope, and may add guards.
  std::shared_ptr<eager::ShapeEnv> shapes;

 private:
  Node* insert(NodeKind kind, const std::string& name, std::vector<Argument> args,
               std::vector<ValueMeta> meta);
  std::map<std::string, int> next_suffix_;
  int next_id_ = 0;
};

/// Values of the symbols for one call: a number, or, while a graph is traced again, an expression.
FRAMEJIT_API std::vector<SymInt> bind_symbols(const Graph& graph, const eager::Value* inputs);
/// The numbers of the size symbols in it.
FRAMEJIT_API void collect_symbols(SymInt size, std::set<int>& symbols);
FRAMEJIT_API void collect_symbols(const std::vector<Argument>& args, std::set<int>& symbols);
/// `size` with its symbols replaced.
FRAMEJIT_API SymInt substitute(SymInt size, const std::vector<SymInt>& symbols);

}  // namespace framejit::graph
