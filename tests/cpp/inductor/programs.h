// Functions over tensors, traced into graphs and compiled: what the tests of the inductor share.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "eager/operators.h"
#include "generated/ops.h"
#include "graph/executable.h"
#include "graph/trace.h"
#include "inductor/compile.h"

namespace framejit::inductor {

using eager::Dims;
using eager::DType;
using eager::SymInt;
using eager::Tensor;
using eager::Value;
using Function = std::function<std::vector<Value>(const std::vector<Value>&)>;

/// `dynamic`: bit i of entry k is dim i of input k.
std::unique_ptr<graph::Graph> trace(const Function& function, const std::vector<Value>& inputs,
                                    const std::vector<uint64_t>& dynamic = {});

std::vector<Value> run(const graph::Executable& executable, const std::vector<Value>& inputs);

Tensor random_floats(const Dims& sizes, std::mt19937& random);

/// Fails the test unless both have the same type, shape, strides and elements: the same bits when `tolerance`
/// is 0.
void expect_same(const Tensor& got, const Tensor& expected, double tolerance, const std::string& what);

/// Compiles `function` and compares with the graph run op by op.
void expect_compiles(const Function& function, const std::vector<Value>& inputs, double tolerance = 0,
                     const std::vector<uint64_t>& dynamic = {});

}  // namespace framejit::inductor
