#include "eager/pointwise_kernel.h"

#include <array>

#include "eager/allocate.h"
#include "eager/cpu/loops/tile_program.h"
#include "eager/error.h"
#include "eager/meta/pointwise.h"

namespace framejit::eager {

namespace {

constexpr int kMaxParams = 4;

void run(const Op& op, const Value* args, PointwiseTypes types, const Tensor& result) {
  cpu::TileCall tile = cpu::tile_call(op, types.compute, types.result);
  std::array<double, kMaxParams> params;
  tile.param_count = int(op.params.size());
  for (size_t i = 0; i < op.params.size(); ++i) params[i] = args[op.params[i]].real();
  tile.params = params.data();

  std::array<cpu::Number, cpu::kMaxOperands> numbers;
  std::array<cpu::Operand, cpu::kMaxOperands> operands;
  for (size_t i = 0; i < size_t(op.operand_count); ++i) {
    if (const TensorImpl* impl = args[i].is_tensor() ? args[i].impl() : nullptr) {
      operands[i].data =
          static_cast<char*>(impl->storage->data()) + impl->offset * int64_t(item_size(impl->meta.dtype));
      operands[i].dtype = impl->meta.dtype;
      operands[i].sizes = &impl->meta.sizes;
      operands[i].strides = &impl->meta.strides;
    } else {
      numbers[i] = cpu::to_number(args[i]);
      operands[i] = cpu::Operand(numbers[i].data(), numbers[i].dtype);
    }
  }
  cpu::run_pointwise(tile, operands.data(), result);
}

}  // namespace

void pointwise_into(const Op& op, const Value* args, const Tensor& result) {
  run(op, args, pointwise_types(op, args), result);
}

void pointwise_kernel(const Op& op, const Value* args, Value* results) {
  if (op.meta != meta_pointwise) {
    Tensor result = Tensor::empty(infer_single(op, args));
    pointwise_into(op, args, result);
    results[0] = std::move(result);
    return;
  }
  // As above, without copies of the meta data on the way: this is where the time of small ops goes.
  Tensor result(make_ref<TensorImpl>());
  PointwiseTypes types = pointwise_types(op, args);
  infer_layout(op, args, result->meta);
  result->meta.dtype = types.result;
  allocate_storage(*result.impl());
  run(op, args, types, result);
  results[0] = std::move(result);
}

}  // namespace framejit::eager
