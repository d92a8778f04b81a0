#include "graph/passes/view_inverse.h"

#include "eager/autograd/op_node.h"
#include "eager/dispatch.h"
#include "graph/trace.h"

namespace framejit::graph::passes {
namespace {

using eager::Tensor;
using eager::Value;

Tensor scatter(const eager::Op& op, const ViewCall& view, const Tensor& whole, const Tensor& part) {
  std::vector<Value> args{whole, part};
  args.insert(args.end(), view.args.begin(), view.args.end());
  Value result;
  eager::call(op, args.data(), &result);
  return result.tensor();
}

}  // namespace

Tensor put_back(const ViewCall& view, const Tensor& whole, const Tensor& part) {
  if (const eager::Op* counterpart = eager::find_op(view.op->schema.name + "_scatter"))
    return scatter(*counterpart, view, whole, part);
  if (!view.op->backward) return part;  // detach
  auto bytes = [](const Tensor& tensor) {
    return tensor.numel() * SymInt(int64_t(eager::item_size(tensor.dtype())));
  };
  if (view.op->schema.returns_list || !(bytes(part) == bytes(whole)))
    throw Untraceable("an in-place op on the result of " + view.op->full_name);
  std::vector<Value> args{whole};
  args.insert(args.end(), view.args.begin(), view.args.end());
  eager::Ref<eager::OpNode> derivative(new eager::OpNode(*view.op, args.data(), /*needed=*/1));
  derivative->add_result(part);
  return derivative->apply({part})[0];
}

}  // namespace framejit::graph::passes
