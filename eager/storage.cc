#include "eager/storage.h"

#include <cstring>

#include "eager/error.h"
#include "eager/pool.h"

namespace framejit::eager {

namespace {
/// The object and the data behind it are one block of the pool: one allocation per tensor.
constexpr size_t kHeader = 64;
static_assert(sizeof(Storage) <= kHeader);
}  // namespace

Storage::Storage(void* data, size_t nbytes, Device device, std::unique_ptr<Deleter> deleter)
    : data_(data), nbytes_(nbytes), device_(device), pooled_(!deleter), deleter_(std::move(deleter)) {}

Ref<Storage> Storage::allocate(size_t nbytes, Device device) {
  FRAMEJIT_CHECK_TYPE(device.type == DeviceType::cpu, not_implemented, "no allocator for device ",
                      device_name(device), ": this build has kernels for cpu only");
  auto* block = static_cast<char*>(pool_allocate(kHeader + nbytes));
  return Ref<Storage>(new (block) Storage(block + kHeader, nbytes, device, nullptr));
}

Ref<Storage> Storage::adopt(void* data, size_t nbytes, Device device, Deleter deleter) {
  void* block = pool_allocate(kHeader);
  return Ref<Storage>(new (block)
                          Storage(data, nbytes, device, std::make_unique<Deleter>(std::move(deleter))));
}

void Storage::move_to(void* data, Deleter deleter) {
  if (nbytes_) std::memcpy(data, data_, nbytes_);
  auto owner = std::make_unique<Deleter>(std::move(deleter));
  if (deleter_) (*deleter_)();
  data_ = data;
  deleter_ = std::move(owner);
}

void Storage::destroy() {
  size_t block_bytes = kHeader + (pooled_ ? nbytes_ : 0);
  if (deleter_) (*deleter_)();
  this->~Storage();
  pool_free(this, block_bytes);
}

}  // namespace framejit::eager
