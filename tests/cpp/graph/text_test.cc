// print, parse, verify.
#include <gtest/gtest.h>

#include "eager/error.h"
#include "graph/parse.h"
#include "graph/print.h"
#include "graph/verify.h"

namespace framejit::graph {
namespace {

const char* kText = R"(graph {
  %x = input float32[s0, 4] grad
  %t = input float64[4, s0]{1, 4}
  %scale = input float64
  %n = input int64
  s0 = %x.size(0)
  s1 = %n
  %k = constant 0 : float32[4]
  %add = add(%x, %k, 1) : float32[s0, 4]
  %mul = mul(%add, s1) : float32[s0, 4]
  %truediv = scalar truediv(%scale, 2.0) : float64
  %mul_1 = mul(%mul, %truediv) : float32[s0, 4] no_grad
  %max = max.dim(%mul_1, 1, False) : float32[s0], int64[s0]
  %gelu = gelu(%mul_1, 'tanh') : float32[s0, 4]
  %cat = cat([%gelu, %x], 0) : float32[2*s0, 4]
  %view = view(%cat, [8*s0]) : float32[8*s0]
  %cast = cast(%view, float64) : float64[8*s0]
  return %max, %max#1, %cast, None, max(s0, 3) + 1, [%x], -0.0, 1e-05, inf
}
)";

std::vector<eager::Tensor> constants() { return {eager::Tensor::empty(eager::Dims{4}, DType::float32)}; }

TEST(GraphText, PrintsWhatItReads) {
  auto graph = parse(kText, constants());
  EXPECT_EQ(print(*graph), kText);
  EXPECT_EQ(print(*parse(print(*graph), constants_of(*graph))), kText);
  EXPECT_EQ(print(*graph->clone()), kText);
}

TEST(GraphText, VerifiesWhatItReads) {
  verify(*parse(kText, constants()));
  verify(*parse(kText, constants())->clone());
}

TEST(GraphText, LocationsAreComments) {
  auto graph = parse("graph {\n  %x = input float32[2]\n  %sin = sin(%x) : float32[2]\n  return %sin\n}\n");
  graph->nodes.begin()->get()->users[0]->stack_trace = "model.py:3 in f: x.sin()";
  std::string text = print(*graph, {.locations = true});
  EXPECT_NE(text.find("  # model.py:3 in f: x.sin()\n  %sin"), std::string::npos) << text;
  EXPECT_EQ(print(*parse(text)), print(*graph));
}

std::string parse_error(const std::string& text) {
  try {
    parse(text);
  } catch (const eager::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(GraphText, MalformedTextNamesTheLine) {
  EXPECT_EQ(parse_error("graph {\n  %x = input float32[2]\n  %y = frobnicate(%x) : float32[2]\n}"),
            "graph text, line 3: expected an op, got 'frobnicate(%x) : float32[2]'");
  EXPECT_EQ(parse_error("graph {\n  return %y\n}"),
            "graph text, line 2: expected a node defined above, got 'y'");
  EXPECT_EQ(parse_error("graph {\n}"), "graph text, line 2: expected a return statement, got ''");
}

std::string verify_error(const Graph& graph) {
  try {
    verify(graph);
  } catch (const eager::InternalError& error) {
    std::string text = error.what();
    return text.substr(0, text.find('\n'));
  }
  return "well-formed";
}

TEST(GraphVerify, FindsBrokenRules) {
  auto graph = parse("graph {\n  %x = input float32[2]\n  %sin = sin(%x) : float32[2]\n  return %sin\n}\n");
  EXPECT_EQ(verify_error(*graph), "well-formed");
  Node* sin = graph->inputs[0]->users[0];
  sin->args[0] = {1.5};
  EXPECT_EQ(verify_error(*graph), "internal error: malformed graph: sin: argument self cannot be 1.5");
  sin->args[0] = {NodeOutput{graph->inputs[0], 0}};
  graph->inputs[0]->users.push_back(graph->result);
  EXPECT_EQ(verify_error(*graph),
            "internal error: malformed graph: the users of x are not those that name it");
  graph->inputs[0]->users.pop_back();
  graph->set_args(sin, {{std::string("x")}});
  EXPECT_EQ(verify_error(*graph), "internal error: malformed graph: sin: argument self cannot be 'x'");
  graph->set_args(sin, {});
  EXPECT_EQ(verify_error(*graph), "internal error: malformed graph: sin has 0 arguments, sin takes 1");
  graph->set_args(sin, {{NodeOutput{graph->inputs[0], 1}}});
  EXPECT_EQ(verify_error(*graph),
            "internal error: malformed graph: sin uses a result of x that it does not have");
}

TEST(GraphEdit, UsersFollowArguments) {
  auto graph = parse(
      "graph {\n  %x = input float32[2]\n  %sin = sin(%x) : float32[2]\n  %cos = cos(%x) : float32[2]\n"
      "  %mul = mul(%sin, %sin) : float32[2]\n  return %mul, %cos\n}\n");
  Node *x = graph->inputs[0], *sin = x->users[0], *cos = x->users[1];
  graph->replace_all_uses({sin, 0}, {cos, 0});
  EXPECT_TRUE(sin->users.empty());
  EXPECT_EQ(cos->users.size(), 2u);
  graph->erase(sin);
  graph->insertion_point = cos->position;
  graph->call_op(eager::get_op("sin"), {{NodeOutput{x, 0}}}, cos->meta);
  EXPECT_EQ(
      print(*graph),
      "graph {\n  %x = input float32[2]\n  %sin_1 = sin(%x) : float32[2]\n  %cos = cos(%x) : float32[2]\n"
      "  %mul = mul(%cos, %cos) : float32[2]\n  return %mul, %cos\n}\n");
  verify(*graph);
  EXPECT_THROW(graph->erase(cos), eager::InternalError);
}

}  // namespace
}  // namespace framejit::graph
