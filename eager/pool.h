// The pooling CPU allocator: memory of tensors, and of the small objects that tensors are made of.
//
// Blocks come in size classes. A freed block goes to a list of its thread, from there (in bulk) to a list
// shared by all threads, and is handed out again from either: reuse costs a few nanoseconds and no page
// fault. Nothing is given back to the system before `empty_pool` is called or an allocation fails.
#pragma once

#include <cstddef>
#include <cstdint>

#include "eager/export.h"

namespace framejit::eager {

/// 64-byte aligned. Raises Error(memory), saying what was asked, held and free.
FRAMEJIT_API void* pool_allocate(size_t bytes);
/// `bytes` as given to `pool_allocate`. Any thread.
FRAMEJIT_API void pool_free(void* block, size_t bytes) noexcept;
/// Gives the free blocks of the shared lists and of this thread back to the system.
FRAMEJIT_API void empty_pool();

/// Counted in whole blocks. Threads report in steps of 64 KiB, so that `peak_bytes` is exact up to that per
/// thread.
struct PoolStatistics {
  int64_t used_bytes;    ///< in blocks that are handed out
  int64_t peak_bytes;    ///< the highest `used_bytes` so far
  int64_t system_bytes;  ///< taken from the system: used and free blocks
};
FRAMEJIT_API PoolStatistics pool_statistics();

/// Base for small objects whose memory comes from the pool.
struct Pooled {
  static void* operator new(size_t bytes) { return pool_allocate(bytes); }
  static void operator delete(void* object, size_t bytes) { pool_free(object, bytes); }
};

}  // namespace framejit::eager
