// Each pass against its golden file.
#include <gtest/gtest.h>

#include "graph/parse.h"
#include "graph/passes/cse.h"
#include "graph/passes/dce.h"
#include "graph/passes/decompose.h"
#include "graph/passes/drop_aliases.h"
#include "graph/passes/fold.h"
#include "graph/passes/functionalize.h"
#include "graph/passes/infer_meta.h"
#include "graph/passes/pipeline.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "tests/cpp/golden.h"
#include "tests/cpp/graph/trace_util.h"

namespace framejit::graph {
namespace {

std::unique_ptr<Graph> read(const std::string& text) { return parse(text, {testing::ramp({3}, 1)}); }
std::string verified(const Graph& graph) {
  verify(graph);
  return print(graph);
}

/// What the caller of the pure graph has to do.
std::string recipe_text(const passes::Functional& functional) {
  using Source = passes::ResultRecipe::Source;
  std::string text;
  for (const auto& result : functional.results) {
    text += "result = " + std::string(result.source == Source::input ? "input " : "value ") +
            std::to_string(result.index);
    for (const auto& view : result.views) {
      text += " ." + view.op->full_name + "(";
      for (size_t i = 0; i < view.args.size(); ++i)
        text += (i ? ", " : "") + print(to_argument(view.args[i]));
      text += ")";
    }
    text += "\n";
  }
  for (const auto& mutation : functional.mutations)
    text += "input " + std::to_string(mutation.input) + " <- value " + std::to_string(mutation.value) + "\n";
  return text;
}

TEST(Passes, Dce) {
  framejit::testing::check_golden("graph/dce", [](const std::string& text) {
    auto graph = read(text);
    passes::dce(*graph);
    return verified(*graph);
  });
}

TEST(Passes, Cse) {
  framejit::testing::check_golden("graph/cse", [](const std::string& text) {
    auto graph = read(text);
    passes::cse(*graph);
    return verified(*graph);
  });
}

TEST(Passes, DropAliases) {
  framejit::testing::check_golden("graph/drop_aliases", [](const std::string& text) {
    auto graph = read(text);
    passes::drop_aliases(*graph);
    return verified(*graph);
  });
}

TEST(Passes, Fold) {
  framejit::testing::check_golden("graph/fold", [](const std::string& text) {
    auto graph = read(text);
    passes::fold(*graph);
    passes::dce(*graph);
    return verified(*graph);
  });
}

TEST(Passes, FoldComputesWhatEagerComputes) {
  auto graph =
      read("graph {\n  %k = constant 0 : float32[3]\n  %mul = mul(%k, 2) : float32[3]\n  return %mul\n}\n");
  passes::fold(*graph);
  EXPECT_EQ(testing::values(constants_of(*graph).back()), (std::vector<double>{2, 4, 6}));
}

TEST(Passes, Functionalize) {
  framejit::testing::check_golden("graph/functionalize", [](const std::string& text) {
    auto graph = read(text);
    auto functional = passes::functionalize(*graph);
    passes::dce(*functional.graph);
    return verified(*functional.graph) + recipe_text(functional);
  });
}

TEST(Passes, Decompose) {
  framejit::testing::check_golden(
      "graph/decompose", [](const std::string& text) { return verified(*passes::decompose(*read(text))); });
}

TEST(Passes, HiddenWritesAreNotDifferentiable) {
  auto differentiable = [](const std::string& body) {
    return passes::functionalize(
               *read("graph {\n  %x = input float32[2] grad\n  %y = input float32[2]\n" + body))
        .differentiable;
  };
  EXPECT_TRUE(differentiable("  %add_ = add_(%x, %y, 1) : float32[2] no_grad\n  return %y\n}\n"));
  EXPECT_TRUE(
      differentiable("  %add_ = add_(%y, 1, 1) : float32[2] no_grad\n  %mul = mul(%x, %y) : float32[2]\n"
                     "  return %mul\n}\n"));
  EXPECT_FALSE(
      differentiable("  %add_ = add_(%x, %y, 1) : float32[2] no_grad\n  %mul = mul(%x, %y) : float32[2]\n"
                     "  return %mul\n}\n"));
}

TEST(Passes, InferMetaAfterAnEdit) {
  auto graph = read(
      "graph {\n  %x = input float32[2, 1]\n  %y = input float32[3]\n  %sin = sin(%x) : float32[2, 1]\n"
      "  %exp = exp(%sin) : float32[2, 1]\n  return %exp\n}\n");
  Node* sin = graph->inputs[0]->users[0];
  sin->op = &eager::get_op("mul");
  graph->set_args(sin, {{NodeOutput{graph->inputs[0], 0}}, {NodeOutput{graph->inputs[1], 0}}});
  passes::infer_meta(*graph);
  EXPECT_EQ(print(graph->result->args[0].node_output()->node->meta[0]), "float32[2, 3]");
}

TEST(Passes, PipelineReportsItsStages) {
  std::vector<std::string> stages, changed;
  passes::ObserveStages observe([&](const passes::StageReport& report) {
    stages.push_back(report.stage);
    if (!report.text.empty()) changed.push_back(report.stage);
    EXPECT_GE(report.microseconds, 0);
  });
  auto graph = read("graph {\n  %x = input float32[2]\n  %sin = sin(%x) : float32[2]\n  return %x\n}\n");
  passes::simplify(graph);
  EXPECT_EQ(stages, (std::vector<std::string>{"decompose", "drop_aliases", "fold", "cse", "dce"}));
  EXPECT_EQ(changed, (std::vector<std::string>{"dce"}));
}

}  // namespace
}  // namespace framejit::graph
