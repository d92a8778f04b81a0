#include "eager/pool.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "eager/error.h"

namespace framejit::eager {

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kLinearLimit = 1024;  // up to here classes are multiples of 64
constexpr int kLinearClasses = kLinearLimit / kAlignment;
constexpr int kClasses = kLinearClasses + 4 * 38;  // then four per doubling
constexpr size_t kThreadLimit = 256 << 10;         // larger blocks go straight to the shared lists
constexpr size_t kHugePage = 2 << 20;
constexpr int64_t kReportStep = 64 << 10;

struct SizeClass {
  int index;
  size_t bytes;
};

SizeClass class_of(size_t bytes) {
  if (bytes <= kLinearLimit) {
    int index = bytes == 0 ? 0 : int((bytes - 1) / kAlignment);
    return {index, (size_t(index) + 1) * kAlignment};
  }
  // 2^k < bytes <= 2^(k+1), split in four: the two bits after the leading one of bytes-1 choose the quarter.
  int k = std::bit_width(bytes - 1) - 1;
  size_t quarter = (bytes - 1) >> (k - 2) & 3;
  return {kLinearClasses + (k - 10) * 4 + int(quarter), (size_t(5) + quarter) << (k - 2)};
}

/// A free block; the list runs through the blocks themselves.
struct FreeBlock {
  FreeBlock* next;
};

struct FreeList {
  FreeBlock* head = nullptr;
  int count = 0;

  void push(void* block) {
    head = new (block) FreeBlock{head};
    ++count;
  }
  void* pop() {
    FreeBlock* block = head;
    if (!block) return nullptr;
    head = block->next;
    --count;
    return block;
  }
};

/// Lists shared by all threads. Never destroyed: tensors may die during program exit.
struct SharedPool {
  std::mutex mutex;
  FreeList lists[kClasses];
  std::atomic<int64_t> used{0}, peak{0}, system{0};

  void report(int64_t bytes) {
    int64_t now = used.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    int64_t old = peak.load(std::memory_order_relaxed);
    while (now > old && !peak.compare_exchange_weak(old, now, std::memory_order_relaxed)) {
    }
  }
};

SharedPool& shared_pool() {
  static SharedPool& pool = *[] {
    auto* made = new SharedPool;
    // A forked child must not inherit a mutex that another thread held.
    pthread_atfork([] { shared_pool().mutex.lock(); }, [] { shared_pool().mutex.unlock(); },
                   [] { shared_pool().mutex.unlock(); });
    return made;
  }();
  return pool;
}

struct ThreadPool {
  FreeList lists[kClasses];
  int64_t unreported = 0;

  ~ThreadPool();
  void count(int64_t bytes) {
    unreported += bytes;
    if (unreported > kReportStep || unreported < -kReportStep) flush_count();
  }
  void flush_count() {
    shared_pool().report(unreported);
    unreported = 0;
  }
  /// Gives all but `keep` blocks of a class to the shared lists.
  void spill(int index, int keep) {
    std::lock_guard lock(shared_pool().mutex);
    while (lists[index].count > keep) shared_pool().lists[index].push(lists[index].pop());
  }
};

// The pointer is read on every allocation, hence the cheap model; the owner behind it has a destructor.
[[gnu::tls_model("initial-exec")]] thread_local ThreadPool* thread_pool = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local bool thread_is_ending = false;

ThreadPool::~ThreadPool() {
  thread_pool = nullptr;
  thread_is_ending = true;
  flush_count();
  for (int i = 0; i < kClasses; ++i)
    if (lists[i].count) spill(i, 0);
}

/// Null while the thread ends: then blocks go to the shared lists.
ThreadPool* this_thread_pool() {
  if (thread_pool || thread_is_ending) return thread_pool;
  // On the heap: the static TLS block, in which a loaded library's initial-exec variables must fit, is small.
  static thread_local std::unique_ptr<ThreadPool> owner = std::make_unique<ThreadPool>();
  return thread_pool = owner.get();
}

void* from_system(size_t bytes) {
  size_t alignment = bytes >= kHugePage ? kHugePage : kAlignment;
  void* block = nullptr;
  if (posix_memalign(&block, alignment, bytes) != 0) return nullptr;
#ifdef MADV_HUGEPAGE
  if (bytes >= kHugePage) madvise(block, bytes, MADV_HUGEPAGE);
#endif
  shared_pool().system.fetch_add(int64_t(bytes), std::memory_order_relaxed);
  return block;
}

/// Small classes are cut from slabs, which are never given back.
void* from_slab(ThreadPool& pool, SizeClass size) {
  constexpr int kBlocksPerSlab = 64;
  auto* slab = static_cast<char*>(from_system(size.bytes * kBlocksPerSlab));
  if (!slab) return nullptr;
  for (int i = kBlocksPerSlab - 1; i > 0; --i) pool.lists[size.index].push(slab + size_t(i) * size.bytes);
  return slab;
}

[[noreturn]] void out_of_memory(size_t asked) {
  PoolStatistics now = pool_statistics();
  fail(ErrorType::memory, "out of memory on cpu: asked for ", asked, " bytes; tensors hold ", now.used_bytes,
       " bytes, ", now.system_bytes - now.used_bytes,
       " bytes are free in the pool but do not fit. Try smaller batches, or empty_pool().");
}

void* allocate_slow(ThreadPool* pool, SizeClass size) {
  {
    SharedPool& shared = shared_pool();
    std::lock_guard lock(shared.mutex);
    FreeList& list = shared.lists[size.index];
    void* block = list.pop();
    // Take some more for the thread while we hold the lock.
    int extra = pool && size.bytes <= kLinearLimit ? std::min(list.count, 31) : 0;
    for (int i = 0; i < extra; ++i) pool->lists[size.index].push(list.pop());
    if (block) return block;
  }
  auto take = [&] {
    return pool && size.bytes <= kLinearLimit ? from_slab(*pool, size) : from_system(size.bytes);
  };
  if (void* block = take()) return block;
  empty_pool();
  if (void* block = take()) return block;
  out_of_memory(size.bytes);
}

int thread_capacity(size_t bytes) { return int(std::clamp<size_t>((1 << 20) / bytes, 4, 1024)); }

}  // namespace

void* pool_allocate(size_t bytes) {
  if (bytes > size_t(1) << 46) out_of_memory(bytes);
  SizeClass size = class_of(bytes);
  ThreadPool* pool = this_thread_pool();
  void* block = pool ? pool->lists[size.index].pop() : nullptr;
  if (!block) block = allocate_slow(pool, size);
  if (pool)
    pool->count(int64_t(size.bytes));
  else
    shared_pool().report(int64_t(size.bytes));
  return block;
}

void pool_free(void* block, size_t bytes) noexcept {
  SizeClass size = class_of(bytes);
  ThreadPool* pool = this_thread_pool();
  if (pool && size.bytes <= kThreadLimit) {
    FreeList& list = pool->lists[size.index];
    list.push(block);
    pool->count(-int64_t(size.bytes));
    if (int capacity = thread_capacity(size.bytes); list.count > capacity)
      pool->spill(size.index, capacity / 2);
    return;
  }
  shared_pool().report(-int64_t(size.bytes));
  std::lock_guard lock(shared_pool().mutex);
  shared_pool().lists[size.index].push(block);
}

void empty_pool() {
  SharedPool& shared = shared_pool();
  ThreadPool* pool = this_thread_pool();
  for (int index = kLinearClasses; index < kClasses; ++index) {
    if (pool && pool->lists[index].count) pool->spill(index, 0);
    std::lock_guard lock(shared.mutex);
    int k = (index - kLinearClasses) / 4 + 10, quarter = (index - kLinearClasses) % 4;
    size_t bytes = (size_t(5) + size_t(quarter)) << (k - 2);
    while (void* block = shared.lists[index].pop()) {
      free(block);
      shared.system.fetch_sub(int64_t(bytes), std::memory_order_relaxed);
    }
  }
}

PoolStatistics pool_statistics() {
  if (ThreadPool* pool = this_thread_pool()) pool->flush_count();
  SharedPool& shared = shared_pool();
  return {shared.used.load(), shared.peak.load(), shared.system.load()};
}

}  // namespace framejit::eager
