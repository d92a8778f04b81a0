// Contract: the memory behind tensors.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

#include "eager/dtype.h"
#include "eager/ref.h"

namespace framejit::eager {

/// A block of memory on one device with the version counter that every view of it shares. 64-byte aligned
/// when it comes from our allocator. `nbytes` never changes.
class FRAMEJIT_API Storage final : public RefCounted {
 public:
  using Deleter = std::function<void()>;
  /// From the pooling allocator of `device`; uninitialised.
  static Ref<Storage> allocate(size_t nbytes, Device device = {});
  /// Memory owned by somebody else (NumPy, DLPack); `deleter` runs when the storage dies.
  static Ref<Storage> adopt(void* data, size_t nbytes, Device device, Deleter deleter);

  void* data() const { return data_; }
  size_t nbytes() const { return nbytes_; }
  Device device() const { return device_; }
  uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  void bump_version() { version_.fetch_add(1, std::memory_order_relaxed); }
  /// Copies the bytes to `data` and lives there from now on; `deleter` runs when the storage dies. Nobody may
  /// be reading or writing meanwhile.
  void move_to(void* data, Deleter deleter);

 private:
  Storage(void* data, size_t nbytes, Device device, std::unique_ptr<Deleter> deleter);
  ~Storage() override = default;
  void destroy() override;

  void* data_;
  size_t nbytes_;
  Device device_;
  std::atomic<uint32_t> version_{0};
  bool pooled_;                       ///< one block of the pool holds this object and, behind it, nbytes_
  std::unique_ptr<Deleter> deleter_;  ///< null: the data is the one behind this object
};

}  // namespace framejit::eager
