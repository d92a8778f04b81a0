// Minimum cut of a directed graph with capacities (Dinic's algorithm).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace framejit::graph::aot {

class FlowNetwork {
 public:
  static constexpr int64_t kInfinite = INT64_MAX / 4;

  explicit FlowNetwork(int nodes) : edges_of_(size_t(nodes)) {}
  void add_edge(int from, int to, int64_t capacity);
  /// Which nodes are on the source's side of a minimum cut.
  std::vector<bool> source_side(int source, int sink);

 private:
  struct Edge {
    int to;
    int64_t capacity;  ///< what is left of it; the reverse edge is at index ^ 1
  };
  std::vector<int> levels(int source) const;
  int64_t push(int node, int sink, int64_t limit, const std::vector<int>& level, std::vector<size_t>& next);

  std::vector<Edge> edges_;
  std::vector<std::vector<int>> edges_of_;
};

}  // namespace framejit::graph::aot
