#include "eager/cpu/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace framejit::eager::cpu {
namespace {

/// How long an idle worker looks for new work before it sleeps: first a few microseconds, the gap between two
/// kernels of one graph; then about a hundred, the gap between two calls from Python, in which it gives the
/// processor to whoever wants it each time. To wake a sleeping worker takes as long as 64K sines.
constexpr int kSpins = 400;
constexpr int kYields = 300;

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// The `i`th time that one waits for another thread.
inline void pause_or_yield(int i) {
  if (i < kSpins)
    relax();
  else
    sched_yield();
}

/// One `parallel_for`. Lives on the caller's stack until every worker that entered has left.
struct Job {
  RangeFn work;
  int64_t units;
  int64_t grain;
  std::atomic<int64_t> next{0};
  std::mutex error_mutex;
  std::exception_ptr error;

  void help() {
    for (;;) {
      int64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
      if (begin >= units) return;
      try {
        work(begin, std::min(begin + grain, units));
      } catch (...) {
        std::lock_guard lock(error_mutex);
        if (!error) error = std::current_exception();
        next.store(units, std::memory_order_relaxed);
      }
    }
  }
};

thread_local bool inside_job = false;

class Pool {
 public:
  explicit Pool(int workers) {
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { serve(); });
  }
  ~Pool() {
    stop_ = true;
    announce();
    for (std::thread& thread : threads_) thread.join();
  }
  int workers() const { return int(threads_.size()); }
  std::mutex& in_use() { return in_use_; }

  void run(Job& job) {
    job_.store(&job, std::memory_order_release);
    announce();
    inside_job = true;
    job.help();
    inside_job = false;
    // No worker may enter from here on; wait for those inside.
    job_.store(nullptr, std::memory_order_seq_cst);
    for (int i = 0; busy_.load(std::memory_order_seq_cst) != 0; ++i) pause_or_yield(i);
  }

 private:
  void announce() {
    generation_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) != 0) generation_.notify_all();
  }
  void serve() {
    inside_job = true;
    uint32_t seen = 0;
    while (!stop_) {
      seen = wait_after(seen);
      busy_.fetch_add(1, std::memory_order_seq_cst);
      if (Job* job = job_.load(std::memory_order_seq_cst)) job->help();
      busy_.fetch_sub(1, std::memory_order_seq_cst);
    }
  }
  uint32_t wait_after(uint32_t seen) {
    for (int i = 0; i < kSpins + kYields; ++i) {
      uint32_t now = generation_.load(std::memory_order_seq_cst);
      if (now != seen) return now;
      pause_or_yield(i);
    }
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    generation_.wait(seen, std::memory_order_seq_cst);
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
    return generation_.load(std::memory_order_seq_cst);
  }

  std::mutex in_use_;
  std::atomic<Job*> job_{nullptr};
  std::atomic<uint32_t> generation_{0};
  std::atomic<int> busy_{0};
  std::atomic<int> sleepers_{0};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

int default_threads() {
  if (const char* text = std::getenv("FRAMEJIT_NUM_THREADS")) return std::max(1, std::atoi(text));
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
#endif
  return std::max(1, int(std::thread::hardware_concurrency()));
}

std::atomic<int> wanted_threads{0};

/// Never destroyed: threads of the program may still compute while it exits.
struct Shared {
  std::mutex mutex;
  std::shared_ptr<Pool> pool;
};
Shared* shared_pool = new Shared;

/// A forked child has none of its parent's threads, and locks that one of them held stay locked: it starts
/// anew and abandons what was.
void forget_pool_in_child() { shared_pool = new Shared; }

std::shared_ptr<Pool> current_pool() {
  static const int registered = pthread_atfork(nullptr, nullptr, forget_pool_in_child);
  (void)registered;
  Shared& shared = *shared_pool;
  std::lock_guard lock(shared.mutex);
  int workers = num_threads() - 1;
  if (!shared.pool || shared.pool->workers() != workers) shared.pool = std::make_shared<Pool>(workers);
  return shared.pool;
}

}  // namespace

int num_threads() {
  int count = wanted_threads.load(std::memory_order_relaxed);
  if (count == 0) {
    count = default_threads();
    wanted_threads = count;
  }
  return count;
}

void set_num_threads(int count) { wanted_threads = std::max(1, count); }

void parallel_for(int64_t units, int64_t grain, RangeFn work) {
  if (units <= 0) return;
  if (units <= grain || inside_job || num_threads() == 1) return work(0, units);
  std::shared_ptr<Pool> shared = current_pool();
  std::unique_lock in_use(shared->in_use(), std::try_to_lock);
  if (!in_use) return work(0, units);
  Job job{work, units, grain};
  shared->run(job);
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace framejit::eager::cpu
