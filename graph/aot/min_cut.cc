#include "graph/aot/min_cut.h"

#include <algorithm>

namespace framejit::graph::aot {

void FlowNetwork::add_edge(int from, int to, int64_t capacity) {
  edges_of_[size_t(from)].push_back(int(edges_.size()));
  edges_.push_back({to, capacity});
  edges_of_[size_t(to)].push_back(int(edges_.size()));
  edges_.push_back({from, 0});
}

/// Distance from `source` over edges with capacity left; -1 where none leads.
std::vector<int> FlowNetwork::levels(int source) const {
  std::vector<int> level(edges_of_.size(), -1), queue{source};
  level[size_t(source)] = 0;
  for (size_t at = 0; at < queue.size(); ++at) {
    for (int index : edges_of_[size_t(queue[at])]) {
      const Edge& edge = edges_[size_t(index)];
      if (edge.capacity == 0 || level[size_t(edge.to)] >= 0) continue;
      level[size_t(edge.to)] = level[size_t(queue[at])] + 1;
      queue.push_back(edge.to);
    }
  }
  return level;
}

int64_t FlowNetwork::push(int node, int sink, int64_t limit, const std::vector<int>& level,
                          std::vector<size_t>& next) {
  if (node == sink) return limit;
  auto& edges = edges_of_[size_t(node)];
  for (size_t& at = next[size_t(node)]; at < edges.size(); ++at) {
    Edge& edge = edges_[size_t(edges[at])];
    if (edge.capacity == 0 || level[size_t(edge.to)] != level[size_t(node)] + 1) continue;
    int64_t pushed = push(edge.to, sink, std::min(limit, edge.capacity), level, next);
    if (pushed == 0) continue;
    edge.capacity -= pushed;
    edges_[size_t(edges[at] ^ 1)].capacity += pushed;
    return pushed;
  }
  return 0;
}

std::vector<bool> FlowNetwork::source_side(int source, int sink) {
  std::vector<int> level = levels(source);
  while (level[size_t(sink)] >= 0) {
    std::vector<size_t> next(edges_of_.size(), 0);
    while (push(source, sink, kInfinite, level, next)) {
    }
    level = levels(source);
  }
  std::vector<bool> side;
  for (int distance : level) side.push_back(distance >= 0);
  return side;
}

}  // namespace framejit::graph::aot
