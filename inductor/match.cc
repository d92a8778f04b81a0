#include "inductor/match.h"

#include <algorithm>

namespace framejit::inductor {
namespace {

bool same_bits(const Dims& a, const Dims& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

/// A load of `second` from a buffer that `first` stores, and that store.
struct Link {
  const LoopOperand* store;
  const LoopOperand* load;
};

std::vector<Link> find_links(const LoopProgram& program, const Loop& first, const Loop& second) {
  auto buffer = [&](const LoopOperand& operand) { return program.tensors[size_t(operand.tensor)].buffer; };
  std::vector<Link> links;
  for (const LoopOperand& load : second.operands)
    for (const LoopOperand& store : first.operands)
      if (!load.written && store.written && buffer(load) == buffer(store)) links.push_back({&store, &load});
  return links;
}

/// Pairs dims of `from` with dims of `to` that step equally far through the same memory. -1: `from` does not
/// step. Nothing when a stepping dim has no partner: the load then sees other elements, or in another
/// arrangement.
std::optional<std::vector<int>> pair_dims(const Loop& from, const Dims& from_strides, const Loop& to,
                                          const Dims& to_strides) {
  std::vector<int> pairs(size_t(from.sizes.size()), -1);
  std::vector<bool> taken(size_t(to.sizes.size()));
  for (int d = 0; d < from.sizes.size(); ++d) {
    if (from_strides[d] == 0) continue;
    for (int e = 0; e < to.sizes.size() && pairs[size_t(d)] < 0; ++e) {
      bool equal = to_strides[e] == from_strides[d] && to.sizes[e] == from.sizes[d] && !taken[size_t(e)];
      if (!equal) continue;
      pairs[size_t(d)] = e;
      taken[size_t(e)] = true;
    }
    if (pairs[size_t(d)] < 0) return std::nullopt;
  }
  return pairs;
}

std::vector<int> missing(const std::vector<int>& pairs, int count) {
  std::vector<int> dims;
  for (int e = 0; e < count; ++e)
    if (std::find(pairs.begin(), pairs.end(), e) == pairs.end()) dims.push_back(e);
  return dims;
}

std::vector<int> identity(int count) {
  std::vector<int> dims(static_cast<size_t>(count));
  for (int d = 0; d < count; ++d) dims[size_t(d)] = d;
  return dims;
}

uint64_t image(uint64_t bits, const std::vector<int>& dims) {
  uint64_t result = 0;
  for (size_t d = 0; d < dims.size(); ++d)
    if ((bits >> d) & 1) result |= uint64_t(1) << dims[d];
  return result;
}

/// The space is that of `second`; every dim of `first` has a partner in it.
std::optional<Match> over_second(const Loop& first, const Loop& second, std::vector<int> first_dims) {
  uint64_t reduced = image(first.reduced, first_dims);
  bool both = first.has_reduction() && second.has_reduction();
  if (both && reduced != second.reduced) return std::nullopt;
  return Match{second.sizes, reduced | second.reduced, std::move(first_dims), identity(second.sizes.size())};
}

/// `second` runs over the kept dims of `first`, whose row values it reads.
std::optional<Match> over_first(const Loop& first, const Loop& second, const std::vector<int>& pairs) {
  if (second.has_reduction()) return std::nullopt;
  std::vector<int> second_dims(size_t(second.sizes.size()), -1);
  for (size_t d = 0; d < pairs.size(); ++d)
    if (pairs[d] >= 0) second_dims[size_t(pairs[d])] = int(d);
  return Match{first.sizes, first.reduced, identity(first.sizes.size()), std::move(second_dims), true};
}

std::optional<Match> match_link(const Loop& first, const Loop& second, const Link& link) {
  auto pairs = pair_dims(first, link.store->strides, second, link.load->strides);
  if (!pairs) return std::nullopt;
  std::vector<int> rest = missing(*pairs, second.sizes.size());
  for (int e : rest)
    if (link.load->strides[e] != 0) return std::nullopt;
  if (!link.store->row) {
    // One element for all of the second loop is computed again at each tile; other broadcasts would cost too
    // much.
    if (!rest.empty() && !first.sizes.empty()) return std::nullopt;
    return over_second(first, second, *pairs);
  }
  if (rest.empty()) return over_first(first, second, *pairs);
  // The second loop spreads a row value along dims which become the reduced dims of the first.
  size_t next = 0;
  for (int d = 0; d < first.sizes.size(); ++d) {
    if ((*pairs)[size_t(d)] >= 0) continue;
    if (next == rest.size() || second.sizes[rest[next]] != first.sizes[d]) return std::nullopt;
    (*pairs)[size_t(d)] = rest[next++];
  }
  if (next != rest.size()) return std::nullopt;
  return over_second(first, second, *pairs);
}

bool agrees(const Match& match, const Link& link) {
  int rank = match.sizes.size();
  return same_bits(move_strides(link.store->strides, match.first_dims, rank),
                   move_strides(link.load->strides, match.second_dims, rank));
}

}  // namespace

Dims move_strides(const Dims& strides, const std::vector<int>& dims, int rank) {
  Dims moved(rank);
  for (int d = 0; d < strides.size(); ++d)
    if (dims[size_t(d)] >= 0) moved[dims[size_t(d)]] = strides[d];
  return moved;
}

std::optional<Match> match_chain(const LoopProgram& program, const Loop& first, const Loop& second) {
  std::vector<Link> links = find_links(program, first, second);
  // A link between full values pairs every dim, so it says most about how the loops lie to each other.
  for (bool row : {false, true}) {
    for (const Link& link : links) {
      if (link.store->row != row) continue;
      auto match = match_link(first, second, link);
      bool all =
          match && std::all_of(links.begin(), links.end(), [&](const Link& l) { return agrees(*match, l); });
      if (!all) return std::nullopt;
      match->makes_rows_wait =
          !match->second_is_row &&
          std::any_of(links.begin(), links.end(), [](const Link& l) { return l.store->row && !l.load->row; });
      return match;
    }
  }
  return std::nullopt;
}

std::optional<Match> match_siblings(const Loop& first, const Loop& second) {
  for (const LoopOperand& a : first.operands) {
    for (const LoopOperand& b : second.operands) {
      if (a.written || b.written || a.tensor != b.tensor || a.row != b.row) continue;
      auto pairs = pair_dims(first, a.strides, second, b.strides);
      if (!pairs || first.sizes.size() != second.sizes.size()) continue;
      if (!missing(*pairs, second.sizes.size()).empty()) continue;
      if (auto match = over_second(first, second, *pairs)) return match;
    }
  }
  return std::nullopt;
}

std::optional<Loop> reshape_loop(const Loop& loop, const Dims& sizes) {
  if (loop.has_reduction() || eager::numel(loop.sizes).bits() != eager::numel(sizes).bits())
    return std::nullopt;
  Dims from = eager::contiguous_strides(loop.sizes);
  Loop result = loop;
  result.sizes = sizes;
  for (LoopOperand& operand : result.operands) {
    bool single =
        std::all_of(operand.strides.begin(), operand.strides.end(), [](int64_t s) { return s == 0; });
    if (!single && !same_bits(operand.strides, from)) return std::nullopt;
    operand.strides = single ? Dims(sizes.size()) : eager::contiguous_strides(sizes);
  }
  return result;
}

}  // namespace framejit::inductor
