// The text form of graphs, deterministic and readable by parse.h:
//
//   graph {
//     %x = input float32[s0, 4] grad
//     %n = input int64
//     s0 = %x.size(0)
//     s1 = %n
//     %add = add(%x, s1, 1) : float32[s0, 4]
//     %max = max.dim(%add, 0, False) : float32[4], int64[4]
//     %k = constant 0 : float32[4]
//     return %max, %max#1
//   }
//
// Types show strides where they are not contiguous (`float32[2, 3]{1, 2}`) and the device unless it is the
// CPU. A Python number has no brackets. Constants are numbered; their data is not in the text.
#pragma once

#include <string>

#include "graph/graph.h"

namespace framejit::graph {

struct PrintOptions {
  bool locations = false;  ///< a comment `# file:line ...` before the nodes of each user line
};
FRAMEJIT_API std::string print(const Graph& graph, PrintOptions options = {});
FRAMEJIT_API std::string print(const Node& node);
FRAMEJIT_API std::string print(const Argument& argument);
FRAMEJIT_API std::string print(const ValueMeta& meta);
/// "0.5", "1e-05", "inf": what reads back as the same bits, and never as an int.
FRAMEJIT_API std::string print_real(double value);

/// The tensors of the constant nodes, in order: what `parse` needs beside the text.
FRAMEJIT_API std::vector<eager::Tensor> constants_of(const Graph& graph);

}  // namespace framejit::graph
