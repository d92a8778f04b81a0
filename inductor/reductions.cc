#include "inductor/reductions.h"

namespace framejit::inductor {
namespace {

struct Row {
  const char* op;
  ReduceKind kind;
};
constexpr Row kRows[] = {
    {"sum", ReduceKind::sum},   {"mean", ReduceKind::mean},     {"prod", ReduceKind::prod},
    {"amax", ReduceKind::amax}, {"amin", ReduceKind::amin},     {"any", ReduceKind::any},
    {"all", ReduceKind::all},   {"argmax", ReduceKind::argmax}, {"argmin", ReduceKind::argmin},
};

uint64_t dim_bit(const graph::Argument& argument, int rank) {
  int64_t dim = argument.sym_int()->expect();
  return uint64_t(1) << (dim < 0 ? dim + rank : dim);
}

}  // namespace

std::optional<ReduceKind> reduce_kind_of(const eager::Op& op) {
  static const std::map<const eager::Op*, ReduceKind> kinds = [] {
    std::map<const eager::Op*, ReduceKind> result;
    for (const Row& row : kRows) result[&eager::get_op(row.op)] = row.kind;
    return result;
  }();
  auto found = kinds.find(&op);
  if (found == kinds.end()) return std::nullopt;
  return found->second;
}

uint64_t reduced_dims(const graph::Node& node, int rank) {
  uint64_t all = rank == 64 ? ~uint64_t(0) : (uint64_t(1) << rank) - 1;
  if (rank == 0) return 0;
  const graph::Argument& dim = node.args[size_t(node.op->schema.find("dim"))];
  if (dim.is_none()) return all;
  if (!dim.list()) return dim_bit(dim, rank);
  uint64_t bits = 0;
  for (const graph::Argument& entry : *dim.list()) bits |= dim_bit(entry, rank);
  return bits ? bits : all;
}

}  // namespace framejit::inductor
