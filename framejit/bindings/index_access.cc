#include "framejit/bindings/arg_reader.h"
#include "framejit/bindings/index.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_object.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/indexing.h"
#include "generated/ops/view.h"

namespace framejit::bindings {
namespace {

using eager::Tensor;
using eager::Value;
namespace ops = eager::ops;

/// The value of an assignment: a tensor or a number.
Value read_assigned(const Tensor& target, PyObject* object) {
  if (is_tensor(object)) return unwrap(object);
  Value number;
  FRAMEJIT_CHECK_TYPE(read_number(object, &number), type, "can't assign a ", Py_TYPE(object)->tp_name,
                      " to a Tensor of ", eager::dtype_name(target.dtype()), ". Try framejit.tensor(value)");
  return number;
}

/// Leading dimensions of size 1 that the target lacks are dropped: x[0, 0] = ones(1, 1, 4).
Tensor without_leading_ones(Tensor value, int dims) {
  while (value.dim() > dims && value.size(0) == 1) value = ops::select(value, 0, 0);
  return value;
}

void fill(const Tensor& view, const Value& number) {
  static const eager::Op& op = eager::get_op("fill_");
  const Value args[] = {view, number};
  Value ignored;
  eager::call(op, args, &ignored);
}

void assign(const Tensor& view, const Value& value) {
  if (value.is_tensor())
    ops::copy_(view, without_leading_ones(value.tensor(), view.dim()));
  else
    fill(view, value);
}

/// x[mask] = number, without the places of the mask being known.
bool assign_by_mask(const IndexPlan& plan, const Value& value) {
  const Tensor& mask = plan.indices[0];
  bool one_mask = plan.indices.size() == 1 && mask.defined() && mask.dtype() == eager::DType::bool_;
  bool one_number = !value.is_tensor() || value.tensor().dim() == 0;
  if (!one_mask || !one_number || mask.dim() > plan.view.dim()) return false;
  for (int i = 0; i < mask.dim(); ++i)
    if (!(mask.size(i) == plan.view.size(i))) return false;  // index_put_ says what is wrong
  Tensor wide = mask;
  while (wide.dim() < plan.view.dim()) wide = ops::unsqueeze(wide, wide.dim());
  ops::masked_fill_(plan.view, wide, value);
  return true;
}

/// What `index_put_` takes: of the target's dtype, which one number behind a mask is cast to and others must
/// have.
Tensor values_for(const IndexPlan& plan, const Value& value, const Tensor& target) {
  if (!value.is_tensor()) return ops::full(eager::Dims(), value, target.dtype(), target.device());
  const Tensor& values = value.tensor();
  bool cast = plan.only_masks && values.dtype() != target.dtype() && values.numel() == 1;
  return cast ? ops::cast(values, target.dtype()) : values;
}

}  // namespace

PyObject* tensor_subscript(PyObject* self, PyObject* index) {
  return guarded([&] {
    Tensor tensor = unwrap(self);
    IndexPlan plan = plan_index(tensor, index);
    if (plan.has_tensors) return wrap(ops::index(plan.view, plan.indices));
    return wrap(plan.view == tensor ? ops::alias(tensor) : plan.view);
  });
}

int tensor_assign_subscript(PyObject* self, PyObject* index, PyObject* object) {
  return guarded_status([&] {
    FRAMEJIT_CHECK_TYPE(object, type, "Tensor does not support deleting items");
    Tensor tensor = unwrap(self);
    Value value = read_assigned(tensor, object);
    IndexPlan plan = plan_index(tensor, index);
    if (!plan.has_tensors)
      assign(plan.view, value);
    else if (!assign_by_mask(plan, value))
      ops::index_put_(plan.view, plan.indices, values_for(plan, value, tensor));
  });
}

}  // namespace framejit::bindings
