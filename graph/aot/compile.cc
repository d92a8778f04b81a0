#include "graph/aot/compile.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "eager/dispatch.h"
#include "eager/error.h"
#include "graph/aot/joint.h"
#include "graph/aot/partition.h"
#include "graph/aot/runtime.h"
#include "graph/custom_gradient.h"
#include "graph/passes/pipeline.h"
#include "graph/trace.h"

namespace framejit::graph::aot {
namespace {

using passes::Functional;

struct Compilers {
  std::mutex mutex;
  std::map<std::string, Compiler> by_name{{"aot_eager", interpret_pure}};
  static Compilers& instance() {
    static Compilers compilers;
    return compilers;
  }
};

bool any_requires_grad(const Graph& graph) {
  return std::any_of(graph.inputs.begin(), graph.inputs.end(),
                     [](const Node* input) { return input->meta[0].requires_grad; });
}

bool has_symbols(const Graph& graph) {
  return std::any_of(graph.symbol_sources.begin(), graph.symbol_sources.end(),
                     [](const Graph::SymbolSource& source) { return source.input >= 0; });
}

/// A stage that makes a graph.
template <class Make>
std::unique_ptr<Graph> made(const std::string& stage, Make make) {
  std::unique_ptr<Graph> graph;
  passes::run_stage(stage, graph, [&](auto& g) { g = make(); });
  return graph;
}

/// Moves out of `functional` what the call needs beside its graph.
CallPlan make_plan(Functional& functional) {
  CallPlan plan;
  plan.results = std::move(functional.results);
  plan.mutations = std::move(functional.mutations);
  plan.symbol_sources = functional.graph->symbol_sources;
  return plan;
}

/// Appends a copy into each mutated input, and drops results that nothing else uses.
void write_mutations(Graph& graph, CallPlan& plan) {
  static const eager::Op& copy = eager::get_op("copy_");
  std::vector<Argument> results = graph.result->args;
  for (const auto& mutation : plan.mutations) {
    Node* input = graph.inputs[size_t(mutation.input)];
    graph.call_op(copy, {{NodeOutput{input, 0}}, results[size_t(mutation.value)], {false}}, {input->meta[0]});
  }
  plan.mutations.clear();
  size_t used = 0;
  for (const auto& result : plan.results)
    if (result.source == passes::ResultRecipe::Source::value) used = std::max(used, size_t(result.index) + 1);
  results.resize(used);  // values of mutated inputs come last
  graph.output(std::move(results));
}

/// Whether the forward graph's results are the user's, one for one.
bool is_plain(const CallPlan& plan, const Graph& forward) {
  if (plan.results.size() != forward.result->args.size()) return false;
  for (size_t i = 0; i < plan.results.size(); ++i) {
    const auto& result = plan.results[i];
    if (result.source != passes::ResultRecipe::Source::value || size_t(result.index) != i ||
        !result.views.empty())
      return false;
  }
  return true;
}

std::shared_ptr<const Executable> compile_inference(Functional functional, const Compiler& compiler) {
  CallPlan plan = make_plan(functional);
  std::unique_ptr<Graph> graph = std::move(functional.graph);
  drop_custom_gradients(*graph);
  for (auto& node : graph->nodes) node->grad_mode = true;  // nothing is differentiated
  passes::simplify(graph);
  passes::run_stage("write_mutations", graph, [&](auto& g) { write_mutations(*g, plan); });
  plan.forward_results = int(graph->result->args.size());
  bool plain = is_plain(plan, *graph);
  auto forward = compiler(std::move(graph));
  return plain ? forward : std::make_shared<InferenceCall>(std::move(plan), std::move(forward));
}

/// The graph that `joint` was made of, to be called again for derivatives of derivatives. Null where another
/// call would give other values.
std::shared_ptr<const Forward> keep_forward(std::unique_ptr<Graph> graph, const CallPlan& plan,
                                            const Joint& joint) {
  const auto& nodes = graph->nodes;
  const bool draws = std::any_of(nodes.begin(), nodes.end(),
                                 [](const auto& node) { return node->is_call(eager::OpKind::random); });
  if (draws || !plan.mutations.empty()) return nullptr;
  auto forward = std::make_shared<Forward>();
  forward->input_count = graph->inputs.size();
  forward->result_count = graph->result->args.size();
  forward->differentiable_results = joint.differentiable_results;
  forward->differentiable_inputs = joint.differentiable_inputs;
  forward->executable = interpret(std::move(graph));
  return forward;
}

/// `joint` has been made from the graph of `functional`.
std::shared_ptr<const Executable> compile_training(Functional functional, Joint joint,
                                                   const Compiler& compiler) {
  CallPlan plan = make_plan(functional);
  auto forward_again = keep_forward(std::move(functional.graph), plan, joint);
  passes::simplify(joint.graph);
  for (const auto& mutation : plan.mutations) joint.mutated_inputs.push_back(mutation.input);
  Partition parts;
  parts.forward = made("partition: forward", [&] {
    parts = partition(joint);
    return std::move(parts.forward);
  });
  parts.backward = made("partition: backward", [&] { return std::move(parts.backward); });

  plan.forward_results = int(parts.forward->result->args.size());
  bool dynamic = has_symbols(*parts.forward);
  auto backward = std::make_shared<LazyExecutable>(std::move(parts.backward), compiler);
  auto forward = compiler(std::move(parts.forward));
  if (dynamic) backward->compile();
  TrainingCall::Gradients gradients{std::move(joint.differentiable_results),
                                    std::move(joint.differentiable_inputs),
                                    std::move(parts.saved),
                                    std::move(parts.symbols),
                                    std::move(backward),
                                    std::move(forward_again)};
  return std::make_shared<TrainingCall>(std::move(plan), std::move(forward), std::move(gradients));
}

std::shared_ptr<const Executable> compile_functional(Functional functional, bool training,
                                                     const Compiler& compiler) {
  if (!training) return compile_inference(std::move(functional), compiler);
  Joint joint;
  joint.graph = made("joint", [&] {
    joint = make_joint(*functional.graph);
    return std::move(joint.graph);
  });
  if (joint.differentiable_results.empty()) return compile_inference(std::move(functional), compiler);
  return compile_training(std::move(functional), std::move(joint), compiler);
}

}  // namespace

void register_compiler(const std::string& name, Compiler compiler) {
  std::lock_guard lock(Compilers::instance().mutex);
  Compilers::instance().by_name[name] = std::move(compiler);
}

std::shared_ptr<const Executable> compile(std::unique_ptr<Graph> graph, const Compiler& compiler) {
  auto shapes = graph->shapes;
  eager::ShapeEnvScope scope(shapes.get());
  eager::WithoutAutocast as_traced;
  graph = made("traced", [&] { return std::move(graph); });
  bool training = eager::modes().grad_enabled && any_requires_grad(*graph);
  Functional functional;
  try {
    functional.graph = made("functionalize", [&] {
      functional = passes::functionalize(*graph);
      return std::move(functional.graph);
    });
  } catch (const Untraceable&) {
    return interpret(std::move(graph));  // in-place through a view that has no inverse: as it was written
  }
  if (training && !functional.differentiable) return interpret(std::move(graph));
  std::vector<bool> is_written(graph->inputs.size());
  for (const auto& mutation : functional.mutations) is_written[size_t(mutation.input)] = true;
  bool mutates = !functional.mutations.empty();
  auto compiled = compile_functional(std::move(functional), training, compiler);
  if (!mutates) return compiled;
  return std::make_shared<AliasingCall>(std::move(compiled), interpret(std::move(graph)),
                                        std::move(is_written));
}

std::shared_ptr<const Executable> compile_graph(std::unique_ptr<Graph> graph, const std::string& backend) {
  if (backend == "eager") return interpret(std::move(graph));
  Compiler compiler;
  {
    std::lock_guard lock(Compilers::instance().mutex);
    auto& by_name = Compilers::instance().by_name;
    if (auto found = by_name.find(backend); found != by_name.end()) compiler = found->second;
  }
  if (compiler) return compile(std::move(graph), compiler);
  std::string known = "'eager'";
  for (const auto& [name, unused] : Compilers::instance().by_name) known += ", '" + name + "'";
  eager::fail(eager::ErrorType::value, "compile: unknown backend '", backend, "', expected one of ", known,
              ", or a callable that takes (GraphModule, example_inputs).");
}

}  // namespace framejit::graph::aot
