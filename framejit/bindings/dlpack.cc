// DLPack 1.0 (capsules "dltensor" and "dltensor_versioned"), both ways without copying.
#include <cstdint>
#include <memory>

#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_data.h"

namespace framejit::bindings {
namespace {

using eager::DType;
using eager::Tensor;

// The structs are fixed by the DLPack specification.
struct DLDevice {
  int32_t type;
  int32_t id;
};
struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: C order
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor tensor;
  void* context;
  void (*deleter)(DLManagedTensor*);
};
struct DLManagedTensorVersioned {
  struct {
    uint32_t major, minor;
  } version;
  void* context;
  void (*deleter)(DLManagedTensorVersioned*);
  uint64_t flags;
  DLTensor tensor;
};
constexpr int32_t kCpu = 1;

struct Code {
  uint8_t code, bits;
  DType dtype;
};
constexpr Code kCodes[] = {{6, 8, DType::bool_}, {1, 8, DType::uint8},    {0, 32, DType::int32},
                           {0, 64, DType::int64}, {2, 32, DType::float32}, {2, 64, DType::float64}};

/// What an exported DLTensor points at; dies with its consumer, on any thread.
struct Export {
  Tensor tensor;  // keeps sizes, strides and storage
  DLManagedTensor managed;
};

DLDataType code_of(DType dtype) {
  for (const Code& row : kCodes)
    if (row.dtype == dtype) return {row.code, row.bits, 1};
  throw eager::InternalError("a dtype that DLPack lacks");
}

void delete_export(DLManagedTensor* managed) { delete static_cast<Export*>(managed->context); }

void capsule_destructor(PyObject* capsule) {
  // A consumer renames the capsule; then the tensor is its to delete.
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  managed->deleter(managed);
}

DType dtype_of_dl(DLDataType type) {
  for (const Code& row : kCodes)
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1) return row.dtype;
  eager::fail(eager::ErrorType::type, "from_dlpack: got element type (code ", int(type.code), ", bits ", int(type.bits),
              ", lanes ", type.lanes, "), expected float64, float32, int64, int32, uint8 or bool");
}

template <class Managed>
Tensor adopt(Managed* managed) {
  const DLTensor& source = managed->tensor;
  if (source.device.type != kCpu)
    eager::fail(eager::ErrorType::runtime, "from_dlpack: got device type ", source.device.type, ", expected the CPU (1)");
  eager::TensorMeta meta;
  meta.dtype = dtype_of_dl(source.dtype);
  int64_t last = 0;
  for (int i = 0; i < source.ndim; ++i) meta.sizes.push_back(source.shape[i]);
  meta.strides = source.strides ? eager::Dims(std::span<const int64_t>(source.strides, size_t(source.ndim)))
                                : eager::contiguous_strides(meta.sizes);
  for (int i = 0; i < source.ndim; ++i) last += (source.shape[i] - 1) * meta.strides[i];
  size_t nbytes = last < 0 ? 0 : size_t(last + 1) * eager::item_size(meta.dtype);
  auto storage = eager::Storage::adopt(static_cast<char*>(source.data) + source.byte_offset, nbytes, eager::Device(),
                                       [managed] {
                                         if (managed->deleter) managed->deleter(managed);
                                       });
  return Tensor::from_storage(std::move(storage), 0, std::move(meta));
}

/// Renaming the capsule tells its producer that the tensor is ours.
template <class Managed>
Tensor consume(PyObject* capsule, const char* name, const char* used_name) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  if (!managed) throw PythonError();
  Tensor tensor = adopt(managed);
  check_status(PyCapsule_SetName(capsule, used_name));
  return tensor;
}

}  // namespace

PyObject* to_dlpack(const Tensor& tensor) {
  FRAMEJIT_CHECK(!tensor.is_symbolic(), "__dlpack__: the data of a tensor is not known while a graph is traced");
  if (tensor.requires_grad())
    eager::fail(eager::ErrorType::runtime, "Can't export tensors that require gradient, use tensor.detach()");
  // A handle of its own: an in-place change of the tensor's shape must not move what the consumer sees.
  auto owned = std::make_unique<Export>();
  owned->tensor = Tensor::from_storage(tensor.impl()->storage, tensor.offset(), tensor.meta());
  const Tensor& shared = owned->tensor;
  owned->managed.tensor = {shared.data(),
                           {kCpu, 0},
                           shared.dim(),
                           code_of(shared.dtype()),
                           shared.impl()->meta.sizes.data(),
                           shared.impl()->meta.strides.data(),
                           0};
  owned->managed.context = owned.get();
  owned->managed.deleter = delete_export;
  PyObject* capsule = PyCapsule_New(&owned->managed, "dltensor", capsule_destructor);
  if (!capsule) throw PythonError();
  owned.release();
  return capsule;
}

PyObject* dlpack_device(const Tensor& tensor) {
  FRAMEJIT_CHECK(tensor.device().type == eager::DeviceType::cpu, "__dlpack_device__: got device ",
                 eager::device_name(tensor.device()), ", expected cpu");
  return Py_BuildValue("(ii)", kCpu, 0);
}

Tensor from_dlpack(PyObject* object) {
  PyRef capsule = PyCapsule_CheckExact(object) ? PyRef::borrow(object)
                                               : checked(PyObject_CallMethod(object, "__dlpack__", nullptr));
  if (PyCapsule_IsValid(capsule.get(), "dltensor_versioned"))
    return consume<DLManagedTensorVersioned>(capsule.get(), "dltensor_versioned", "used_dltensor_versioned");
  if (!PyCapsule_IsValid(capsule.get(), "dltensor"))
    eager::fail(eager::ErrorType::value, "from_dlpack: got a capsule that is not a DLPack tensor or was used already");
  return consume<DLManagedTensor>(capsule.get(), "dltensor", "used_dltensor");
}

}  // namespace framejit::bindings
