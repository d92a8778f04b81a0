#include "eager/tensor.h"

#include "eager/allocate.h"
#include "eager/autograd/autograd_meta.h"
#include "eager/pool.h"

namespace framejit::eager {

namespace {
void (*py_releaser)(void*) = nullptr;
}
void set_py_releaser(void (*release)(void* py_object)) { py_releaser = release; }

TensorImpl::TensorImpl() = default;
TensorImpl::~TensorImpl() {
  if (py_object) py_releaser(py_object);
}
void* TensorImpl::operator new(size_t size) { return pool_allocate(size); }
void TensorImpl::operator delete(void* memory) { pool_free(memory, sizeof(TensorImpl)); }

void check_rank(int rank) {
  FRAMEJIT_CHECK(rank <= Dims::kMax / 2, "only tensors with up to ", Dims::kMax / 2,
                 " dims are supported, got ", rank);
}

void allocate_storage(TensorImpl& impl) {
  const Dims& sizes = impl.meta.sizes;
  check_rank(sizes.size());
  int64_t count = int64_t(item_size(impl.meta.dtype));
  bool fits = true;
  for (int i = 0; i < sizes.size(); ++i) {
    int64_t size = sizes.sym(i).expect();
    FRAMEJIT_CHECK(size >= 0, "Trying to create tensor with negative dimension ", size, ": ",
                   sizes_text(sizes));
    fits = fits && !__builtin_mul_overflow(count, size, &count);
  }
  FRAMEJIT_CHECK(fits, "tensor of shape ", sizes_text(sizes), " and dtype ", dtype_name(impl.meta.dtype),
                 " has more bytes than an int64 counts");
  impl.storage = Storage::allocate(size_t(count), impl.meta.device);
}

Tensor Tensor::empty(const Dims& sizes, DType dtype, Device device) {
  auto impl = make_ref<TensorImpl>();
  impl->meta.sizes = sizes;
  impl->meta.strides = contiguous_strides(sizes);
  impl->meta.dtype = dtype;
  impl->meta.device = device;
  allocate_storage(*impl);
  return Tensor(std::move(impl));
}

Tensor Tensor::empty(const TensorMeta& meta) {
  auto impl = make_ref<TensorImpl>();
  impl->meta = meta;
  allocate_storage(*impl);
  return Tensor(std::move(impl));
}

Tensor Tensor::from_storage(Ref<Storage> storage, int64_t offset, TensorMeta meta) {
  auto impl = make_ref<TensorImpl>();
  impl->storage = std::move(storage);
  impl->offset = offset;
  impl->meta = std::move(meta);
  return Tensor(std::move(impl));
}

SymInt Tensor::numel() const { return eager::numel(sizes()); }

bool Tensor::is_contiguous() const { return eager::is_contiguous(sizes(), strides()); }

bool is_contiguous(const Dims& sizes, const Dims& strides) {
  for (int i = 0; i < sizes.size(); ++i)
    if (sizes.sym(i) == 0) return true;
  SymInt expected = 1;
  for (int i = sizes.size() - 1; i >= 0; --i) {
    if (sizes.sym(i) == 1) continue;
    if (!(strides.sym(i) == expected)) return false;
    expected = expected * sizes.sym(i);
  }
  return true;
}

Dims contiguous_strides(const Dims& sizes) {
  Dims strides(sizes.size());
  SymInt stride = 1;
  for (int i = sizes.size() - 1; i >= 0; --i) {
    strides[i] = stride.bits();
    // As in PyTorch, empty dims count as one.
    if (!(sizes.sym(i) == 0)) stride = stride * sizes.sym(i);
  }
  return strides;
}

SymInt numel(const Dims& sizes) {
  SymInt count = 1;
  for (int i = 0; i < sizes.size(); ++i) {
    const SymInt size = sizes.sym(i);
    int64_t product;
    if (!size.is_symbolic() && !count.is_symbolic())
      FRAMEJIT_CHECK(!__builtin_mul_overflow(count.bits(), size.bits(), &product),
                     "numel: integer multiplication overflow in shape ", sizes_text(sizes));
    count = count * size;
  }
  return count;
}

std::string sizes_text(const Dims& sizes) {
  std::string text = "[";
  for (int i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + sizes.sym(i).str();
  return text + "]";
}

}  // namespace framejit::eager
