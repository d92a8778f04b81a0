// Kernels in Python for rows of the op table: a dtype that a row lacks, a device, or another algorithm.
#include <map>

#include "eager/dispatch.h"
#include "framejit/bindings/autograd_node.h"
#include "framejit/bindings/python_op.h"

namespace framejit::bindings {

using eager::DeviceType;
using eager::DType;
using eager::Op;
using eager::Value;

namespace {

struct Replacement {
  std::shared_ptr<void> function;
  std::vector<DType> dtypes;
  eager::KernelFn original;
};
/// Guarded by the GIL.
using Replacements = std::map<std::pair<const Op*, DeviceType>, Replacement>;
Replacements& replacements() {
  static auto* instance = new Replacements;  // kernels may be called during program exit
  return *instance;
}

bool applies(const Replacement& replacement, const Op& op, const Value* args) {
  if (replacement.dtypes.empty()) return true;
  for (size_t i = 0; i < op.schema.args.size(); ++i) {
    if (!args[i].is_tensor()) continue;
    const auto& dtypes = replacement.dtypes;
    return std::find(dtypes.begin(), dtypes.end(), args[i].tensor().dtype()) != dtypes.end();
  }
  return false;
}

template <DeviceType device>
void python_kernel(const Op& op, const Value* args, Value* results) {
  eager::KernelFn original = nullptr;
  {
    WithGil gil;
    auto found = replacements().find({&op, device});
    if (found == replacements().end()) return eager::call_kernel(op, args, results);  // taken away just now
    const Replacement& replacement = found->second;
    if (applies(replacement, op, args)) {
      eager::GradModeScope below_autograd(false);
      return call_python(python_of(replacement.function), op, args, results);
    }
    original = replacement.original;
  }
  FRAMEJIT_CHECK_TYPE(original, not_implemented, "'", op.full_name,
                      "' has a kernel for some dtypes only, registered with framejit.library");
  original(op, args, results);
}

constexpr eager::KernelFn kKernels[] = {python_kernel<DeviceType::cpu>, python_kernel<DeviceType::cuda>,
                                        python_kernel<DeviceType::meta>};

}  // namespace

void replace_kernel(const Op& op, DeviceType device, PyObject* function, const std::vector<DType>& dtypes) {
  FRAMEJIT_CHECK(!op.composite, "'", op.full_name,
                 "' is made of other ops, which are what a kernel can be registered for");
  const auto key = std::pair(&op, device);
  auto found = replacements().find(key);
  if (!function) {
    if (found == replacements().end()) return;
    eager::register_kernel(op, device, found->second.original);
    replacements().erase(found);
    return;
  }
  FRAMEJIT_CHECK(found == replacements().end(), "'", op.full_name, "' has a Python kernel for ",
                 eager::device_name({device, 0}), " already");
  replacements()[key] = {own_python(function), dtypes, op.kernels[size_t(device)]};
  eager::register_kernel(op, device, kKernels[size_t(device)]);
}

}  // namespace framejit::bindings
