// Lists of hooks. Whoever runs one takes a snapshot, so that hooks may come and go while they run, on any
// thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "eager/tensor.h"

namespace framejit::eager {

/// One byte, for sections of a few instructions.
class SpinLock {
 public:
  void lock() {
    while (flag_.test_and_set(std::memory_order_acquire)) flag_.wait(true, std::memory_order_relaxed);
  }
  void unlock() {
    flag_.clear(std::memory_order_release);
    flag_.notify_one();
  }

 private:
  std::atomic_flag flag_;
};

class HookListBase {
 public:
  virtual ~HookListBase() = default;
  virtual void remove(int64_t id) = 0;
};

/// What registering a hook returns. Holds nothing alive.
struct HookHandle {
  std::weak_ptr<HookListBase> list;
  int64_t id = -1;
  void remove() const {
    if (auto alive = list.lock()) alive->remove(id);
  }
};

FRAMEJIT_API int64_t next_hook_id();

/// Called with each Python object that hooks own, for the garbage collector.
using PythonVisitor = std::function<void(void* object)>;

template <class Function>
class HookList final : public HookListBase {
 public:
  struct Hook {
    int64_t id;
    int input;  ///< tensor hooks: which result of the node
    Function function;
    std::shared_ptr<void> python;  ///< the callable that `function` calls, owned here alone
  };
  using Snapshot = std::shared_ptr<const std::vector<Hook>>;

  int64_t add(Function function, int input = 0, std::shared_ptr<void> python = {}) {
    int64_t id = next_hook_id();
    std::lock_guard lock(mutex_);
    auto changed = copy();
    changed->push_back({id, input, std::move(function), std::move(python)});
    hooks_ = std::move(changed);
    return id;
  }
  void remove(int64_t id) override {
    Snapshot before;  // dies after the lock has been given back: a hook may own anything
    std::lock_guard lock(mutex_);
    auto changed = copy();
    std::erase_if(*changed, [id](const Hook& hook) { return hook.id == id; });
    before = std::exchange(hooks_, std::move(changed));
  }
  void clear() {
    Snapshot before;
    std::lock_guard lock(mutex_);
    before = std::exchange(hooks_, nullptr);
  }
  /// Null when there are none.
  Snapshot snapshot() const {
    std::lock_guard lock(mutex_);
    return hooks_;
  }
  void visit_python(const PythonVisitor& visit) const {
    if (!hooks_ || hooks_.use_count() > 1) return;  // somebody is running them
    for (const Hook& hook : *hooks_)
      if (hook.python) visit(hook.python.get());
  }

 private:
  std::shared_ptr<std::vector<Hook>> copy() const {
    return hooks_ ? std::make_shared<std::vector<Hook>>(*hooks_) : std::make_shared<std::vector<Hook>>();
  }

  mutable SpinLock mutex_;
  Snapshot hooks_;
};

/// Called with the gradient of a tensor; a defined result replaces it.
using TensorHook = std::function<Tensor(const Tensor& grad)>;
/// Called with a leaf after its `.grad` was added to.
using PostAccumulateHook = std::function<void(const Tensor& self)>;
/// Called with the gradients of a node's results before it runs; may replace them.
using NodePreHook = std::function<void(std::vector<Tensor>& grads)>;
/// Called with the gradients that a node has computed, which it may replace, and those it was given.
using NodePostHook = std::function<void(std::vector<Tensor>& gradients, const std::vector<Tensor>& grads)>;

}  // namespace framejit::eager
