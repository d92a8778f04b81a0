#include "eager/storage.h"

#include "eager/error.h"
#include "eager/pool.h"

namespace framejit::eager {

namespace {
/// The object and the data behind it are one block of the pool: one allocation per tensor.
constexpr size_t kHeader = 64;
static_assert(sizeof(Storage) <= kHeader);
}  // namespace

Storage::Storage(void* data, size_t nbytes, Device device, std::unique_ptr<Deleter> deleter)
    : data_(data), nbytes_(nbytes), device_(device), deleter_(std::move(deleter)) {}

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

void Storage::destroy() {
  size_t block_bytes = kHeader + (deleter_ ? 0 : nbytes_);
  if (deleter_) (*deleter_)();
  this->~Storage();
  pool_free(this, block_bytes);
}

}  // namespace framejit::eager
