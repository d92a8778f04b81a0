// DLPack 1.0 (capsules "dltensor" and "dltensor_versioned"), both ways without copying.
#include <cstdint>
#include <memory>
#include <type_traits>

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
constexpr uint64_t kReadOnly = 1;  // of DLManagedTensorVersioned::flags

struct Code {
  uint8_t code, bits;
  DType dtype;
};
constexpr Code kCodes[] = {{6, 8, DType::bool_},    {1, 8, DType::uint8},      {0, 8, DType::int8},
                           {0, 16, DType::int16},   {0, 32, DType::int32},     {0, 64, DType::int64},
                           {2, 16, DType::float16}, {4, 16, DType::bfloat16},  {2, 32, DType::float32},
                           {2, 64, DType::float64}, {5, 64, DType::complex64}, {5, 128, DType::complex128}};

/// What an exported DLTensor points at; dies with its consumer, on any thread.
template <class Managed>
struct Export {
  Tensor tensor;  // keeps sizes, strides and storage
  Managed managed{};

  static void destroy(Managed* managed) { delete static_cast<Export*>(managed->context); }
};

template <class Managed>
constexpr const char* kCapsuleName = "dltensor";
template <>
constexpr const char* kCapsuleName<DLManagedTensorVersioned> = "dltensor_versioned";

DLDataType code_of(DType dtype) {
  for (const Code& row : kCodes)
    if (row.dtype == dtype) return {row.code, row.bits, 1};
  throw eager::InternalError("a dtype that DLPack lacks");
}

template <class Managed>
void capsule_destructor(PyObject* capsule) {
  // A consumer renames the capsule; then the tensor is its to delete.
  if (!PyCapsule_IsValid(capsule, kCapsuleName<Managed>)) return;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kCapsuleName<Managed>));
  managed->deleter(managed);
}

template <class Managed>
PyObject* make_capsule(const Tensor& tensor) {
  // A handle of its own: an in-place change of the tensor's shape must not move what the consumer sees.
  auto owned = std::make_unique<Export<Managed>>();
  owned->tensor = Tensor::from_storage(tensor.impl()->storage, tensor.offset(), tensor.meta());
  eager::TensorMeta& meta = owned->tensor.impl()->meta;
  owned->managed.tensor = {
      owned->tensor.data(), {kCpu, 0}, meta.sizes.size(), code_of(meta.dtype), meta.sizes.data(),
      meta.strides.data(),  0};
  owned->managed.context = owned.get();
  owned->managed.deleter = Export<Managed>::destroy;
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) owned->managed.version = {1, 0};
  PyObject* capsule = PyCapsule_New(&owned->managed, kCapsuleName<Managed>, capsule_destructor<Managed>);
  if (!capsule) throw PythonError();
  owned.release();
  return capsule;
}

DType dtype_of_dl(DLDataType type) {
  for (const Code& row : kCodes)
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1) return row.dtype;
  eager::fail(eager::ErrorType::type, "from_dlpack: got element type (code ", int(type.code), ", bits ",
              int(type.bits), ", lanes ", type.lanes,
              "), expected a type that framejit has, such as float32 or int64");
}

template <class Managed>
Tensor adopt(Managed* managed) {
  const DLTensor& source = managed->tensor;
  if (source.device.type != kCpu)
    eager::fail(eager::ErrorType::runtime, "from_dlpack: got device type ", source.device.type,
                ", expected the CPU (1)");
  eager::TensorMeta meta;
  meta.dtype = dtype_of_dl(source.dtype);
  int64_t last = 0;
  for (int i = 0; i < source.ndim; ++i) meta.sizes.push_back(source.shape[i]);
  meta.strides = source.strides ? eager::Dims(std::span<const int64_t>(source.strides, size_t(source.ndim)))
                                : eager::contiguous_strides(meta.sizes);
  for (int i = 0; i < source.ndim; ++i) last += (source.shape[i] - 1) * meta.strides[i];
  size_t nbytes = last < 0 ? 0 : size_t(last + 1) * eager::item_size(meta.dtype);
  auto storage = eager::Storage::adopt(static_cast<char*>(source.data) + source.byte_offset, nbytes,
                                       eager::Device(), [managed] {
                                         if (managed->deleter) managed->deleter(managed);
                                       });
  return Tensor::from_storage(std::move(storage), 0, std::move(meta));
}

void warn_if_written() {
  const char* text =
      "from_dlpack: the memory is read-only, and framejit does not support non-writable tensors: writing to "
      "the tensor writes to that memory. Copy the data to avoid this.";
  check_status(PyErr_WarnEx(PyExc_UserWarning, text, 1));
}

/// Renaming the capsule tells its producer that the tensor is ours.
template <class Managed>
Tensor consume(PyObject* capsule, const char* used_name) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kCapsuleName<Managed>));
  if (!managed) throw PythonError();
  Tensor tensor = adopt(managed);
  check_status(PyCapsule_SetName(capsule, used_name));
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>)
    if (managed->flags & kReadOnly) warn_if_written();
  return tensor;
}

/// Asks for version 1, which can say that memory is read-only; older producers know no versions.
PyRef ask_for_capsule(PyObject* object) {
  PyRef method = checked(PyObject_GetAttrString(object, "__dlpack__"));
  PyRef keywords = checked(Py_BuildValue("{s:(ii)}", "max_version", 1, 0));
  PyRef no_arguments = checked(PyTuple_New(0));
  PyRef capsule = PyRef::steal(PyObject_Call(method.get(), no_arguments.get(), keywords.get()));
  if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError)) return checked(capsule.release());
  PyErr_Clear();
  return checked(PyObject_CallNoArgs(method.get()));
}

}  // namespace

PyObject* to_dlpack(const Tensor& tensor, bool versioned) {
  FRAMEJIT_CHECK(!tensor.is_symbolic(),
                 "__dlpack__: the data of a tensor is not known while a graph is traced");
  if (tensor.requires_grad())
    eager::fail(eager::ErrorType::runtime, "Can't export tensors that require gradient, use tensor.detach()");
  return versioned ? make_capsule<DLManagedTensorVersioned>(tensor) : make_capsule<DLManagedTensor>(tensor);
}

PyObject* dlpack_device(const Tensor& tensor) {
  FRAMEJIT_CHECK(tensor.device().type == eager::DeviceType::cpu, "__dlpack_device__: got device ",
                 eager::device_name(tensor.device()), ", expected cpu");
  return Py_BuildValue("(ii)", kCpu, 0);
}

Tensor from_dlpack(PyObject* object) {
  PyRef capsule = PyCapsule_CheckExact(object) ? PyRef::borrow(object) : ask_for_capsule(object);
  if (PyCapsule_IsValid(capsule.get(), "dltensor_versioned"))
    return consume<DLManagedTensorVersioned>(capsule.get(), "used_dltensor_versioned");
  if (!PyCapsule_IsValid(capsule.get(), "dltensor"))
    eager::fail(eager::ErrorType::value,
                "from_dlpack: got a capsule that is not a DLPack tensor or was used already");
  return consume<DLManagedTensor>(capsule.get(), "used_dltensor");
}

}  // namespace framejit::bindings
