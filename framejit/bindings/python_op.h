// Ops whose layers are Python functions: what framejit.library makes of a schema (python_op.cc), and kernels
// in Python for rows of the op table (python_kernel.cc).
//
// A call goes through the layers that have been set:
//   composite (its ops are seen instead, nothing below runs) -> autocast -> autograd: a function of its own,
//   or the kernel and then `link`, which makes the backward node -> the trace, with result shapes by `fake`
//   -> the kernel of the device.
// An op that writes into arguments is recorded as its functional twin, which returns their new values, and
// copies of those.
#pragma once

#include <Python.h>

#include <array>
#include <memory>
#include <optional>

#include "eager/extension.h"
#include "framejit/bindings/python.h"

namespace framejit::bindings {

/// The functions that an op may have, under these names in framejit._C._library.
enum class Layer : uint8_t {
  composite,
  autograd,    ///< called in place of the op where a gradient is wanted
  link,        ///< link(args, kwargs, results): gives the results their history
  fake,        ///< the op over tensors without data
  any_device,  ///< kernel where the device has none of its own
  cpu,
  cuda,
};
inline constexpr int kLayerCount = int(Layer::cuda) + 1;

/// The GIL guards all of it.
class PythonOp final : public eager::OpExtension {
 public:
  void call(const eager::Op& op, const eager::Value* args, eager::Value* results) override;
  /// Null takes a function away.
  void set(Layer layer, PyObject* borrowed);
  PyObject* get(Layer layer) const { return static_cast<PyObject*>(functions_[size_t(layer)].get()); }
  /// The kernel for a device; null: there is none.
  PyObject* kernel(eager::DeviceType device) const;
  void set_autocast(eager::DeviceType device, std::optional<eager::DType> dtype) {
    autocast_[size_t(device)] = dtype;
  }
  /// Of an op that writes: (args) -> results and the new values of what it writes. Null for others.
  const eager::Op* twin = nullptr;

 private:
  bool call_with_autocast(const eager::Op& op, const eager::Value* args, eager::Value* results) const;
  void call_through_twin(const eager::Op& op, const eager::Value* args, eager::Value* results) const;
  void link(const eager::Op& op, const eager::Value* args, eager::Value* results) const;

  std::array<std::shared_ptr<void>, kLayerCount> functions_;
  std::array<std::optional<eager::DType>, eager::kDeviceTypeCount> autocast_;
};

inline PythonOp* python_op(const eager::Op& op) { return static_cast<PythonOp*>(eager::extension_of(op)); }

/// Registers the op of a schema, without any function yet. `draws`: it draws random numbers, so that no two
/// calls are the same.
eager::Op& define_python_op(const std::string& schema, bool draws);

// python_call.cc

/// The arguments as Python functions of framejit.library get them: positional ones, and a dict of
/// keyword-only ones (null: there are none).
struct PythonArgs {
  PyRef positional, keywords;
};
PythonArgs python_args(const eager::Op& op, const eager::Value* args);
/// Calls `function` on the arguments and reads what it returned as results of `op`. Errors are eager::Errors.
void call_python(PyObject* function, const eager::Op& op, const eager::Value* args, eager::Value* results);
/// The pending PythonError of `body` becomes an eager::Error.
template <class Body>
void as_eager_errors(Body&& body) {
  try {
    body();
  } catch (const PythonError&) {
    throw_pending_python_error();
  }
}

// python_kernel.cc

/// Puts `function` in the place of the kernel of a row of the table on `device`, where the first tensor has
/// one of `dtypes` (empty: always). Null takes it away again.
void replace_kernel(const eager::Op& op, eager::DeviceType device, PyObject* function,
                    const std::vector<eager::DType>& dtypes);

/// Adds the submodule `_library` (library_functions.cc).
void init_library(PyObject* module);

}  // namespace framejit::bindings
