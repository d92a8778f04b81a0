// Contract: a row of the op table at run time.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eager/cpu/loops/tile_kernel.h"
#include "eager/schema.h"

namespace framejit::eager {

struct Op;
class BackwardContext;  // eager/autograd/backward_context.h

/// How an op computes; passes and the inductor ask this, never the name.
enum class OpKind : uint8_t {
  pointwise,   ///< one output element from the input elements at the same (broadcast) place; has tile kernels
  reduction,   ///< over dims; has a reduction kernel (eager/cpu/reduce)
  view,        ///< result shares the storage of its first argument
  matmul,      ///< mm, bmm, addmm, ... : GEMM templates
  creation,    ///< no tensor input: empty, full, arange
  random,      ///< draws from a generator
  structural,  ///< everything with its own kernel: cat, gather, index, embedding, ...
  composite,   ///< a C++ function over other ops; invisible to autograd and to traces
  data_dependent,  ///< result or its shape depends on data: item, nonzero, equal; breaks a trace
  inplace,         ///< derived row `add_`: runs `functional`, then writes into the first argument
  out,             ///< derived row `add.out`: runs `functional`, then writes into the last argument, `out`
};

/// Which dtype a pointwise op or a reduction computes and returns.
enum class DTypeRule : uint8_t {
  promote,        ///< common type of all operands
  promote_float,  ///< the same, integers become the default floating type (sin, true division, mean)
  boolean,        ///< operands promoted, result bool (comparisons)
  real,           ///< operands promoted, result of their real type: abs of complex numbers is real
  first,          ///< dtype of the first operand
  sum,            ///< integers and bool become int64 (sum, prod, cumsum) unless dtype= is given
  int64,          ///< always int64 (argmax)
  custom,         ///< the meta function decides
};

/// What becomes of floating arguments while autocast is on for their device.
enum class AutocastRule : uint8_t {
  none,           ///< nothing
  low_precision,  ///< cast to the dtype of autocast (matmul, convolutions)
  float32,        ///< cast to float32 (losses and other sums that need the range)
};

/// Infers the results without data. Works on symbolic sizes. Raises the user's error for bad shapes.
using MetaFn = void (*)(const Op& op, const Value* args, std::vector<TensorMeta>& results);
/// Computes. `args` are in schema order, complete, concrete; writes the results.
using KernelFn = void (*)(const Op& op, const Value* args, Value* results);
/// Fills in the gradients of the arguments from those of the results, in terms of differentiable ops.
using BackwardFn = void (*)(BackwardContext& context);
/// For kind composite, and as the optional decomposition of others: args -> results by calling ops.
using CompositeFn = void (*)(const Value* args, Value* results);

/// What the derivative with respect to one argument reads; nothing else is kept for backward.
struct Formula {
  uint8_t arg;             ///< the argument whose gradient this is
  uint64_t saved_args;     ///< arguments whose values it reads
  uint64_t saved_meta;     ///< tensor arguments of which it reads sizes or dtype only
  uint32_t saved_results;  ///< results it reads
};

/// The tile kernel for one compute dtype. A type without a kernel of its own borrows that of `wider_type`:
/// operands are converted to `dtype` and results rounded back after each op, so that a chain of ops gives
/// what the ops give one by one.
struct TileChoice {
  const TileKernel* kernel = nullptr;  ///< null: not supported
  DType dtype{};                       ///< that the kernel computes in
  explicit operator bool() const { return kernel; }
};

struct Op {
  uint16_t id = 0;  ///< dense, in table order
  Schema schema;
  std::string full_name;  ///< "sum.dim"
  OpKind kind = OpKind::structural;
  DTypeRule dtype_rule = DTypeRule::promote;
  AutocastRule autocast = AutocastRule::none;
  MetaFn meta = nullptr;            ///< null for composite
  CompositeFn composite = nullptr;  ///< kind composite
  CompositeFn decompose = nullptr;  ///< used while a graph is differentiated or lowered
  BackwardFn backward = nullptr;    ///< null: not differentiable
  std::vector<Formula> formulas;    ///< one per argument that has a gradient
  uint64_t differentiable = 0;      ///< which arguments have a gradient
  /// The formulas are analytic functions of saved values, as the derivatives of analytic functions are: they
  /// get complex values conjugated, which makes them PyTorch's gradients (conjugate Wirtinger derivatives).
  bool analytic = true;
  uint64_t tensor_args = 0;        ///< which arguments are tensors or lists of tensors
  int mutated = -1;                ///< the argument that the op writes, or -1
  const Op* functional = nullptr;  ///< of an in-place or out row: the op it runs
  const Op* inplace = nullptr;     ///< of a row that has a derived in-place form
  int operand_count = 0;           ///< pointwise: the leading Tensor arguments that are operands
  uint32_t unpromoted = 0;         ///< operands that take no part in promotion (the condition of `where`)
  std::vector<uint8_t> params;     ///< pointwise: the arguments handed to the tile kernel as p0, p1, ...
  /// `wrap = true`: the Value of a Tensor operand may be a Python number (sym_int, real, boolean,
  /// scalar_node), which promotion ranks below tensors of its category. At least one operand is a tensor.
  bool wraps_numbers = false;
  std::array<TileChoice, kDTypeCount> tiles{};  ///< pointwise: by compute dtype
  /// (device) -> kernel; all dtypes. Pointwise ops share one generic kernel.
  std::array<KernelFn, kDeviceTypeCount> kernels{};
  std::string doc;                   ///< first line is the summary
  bool is_function = true;           ///< callable as fj.name
  bool is_method = true;             ///< callable as Tensor.name
  std::vector<std::string> aliases;  ///< further Python names
  std::shared_ptr<void> extension;   ///< of an op registered at run time: what its functions need
  std::string python_module;         ///< "", "nn.functional", "linalg", "special", ... where fj exposes it
};

/// All rows in order of id.
FRAMEJIT_API std::span<const Op> all_ops();
/// The row "add" or "sum.dim"; null when there is none.
FRAMEJIT_API const Op* find_op(std::string_view full_name);
/// Overloads of a name, in the order in which they are tried.
FRAMEJIT_API std::span<const Op* const> find_overloads(std::string_view name);
/// As find_op; InternalError when there is none. For `static const Op& op = get_op("add");`
FRAMEJIT_API const Op& get_op(std::string_view full_name);
/// Adds an op at run time (framejit/library): found by name, but not a row of the table. `op.schema` and the
/// functions are set; the rest is derived. Raises when there is one of that name.
FRAMEJIT_API Op& register_op(Op op);

}  // namespace framejit::eager
