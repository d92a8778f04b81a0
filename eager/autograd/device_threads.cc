// The threads that run backward nodes of accelerators: one per kind of device, started when first needed,
// never joined (it may be inside a driver when the program ends).
#include <deque>
#include <thread>

#include "eager/autograd/graph_task.h"

namespace framejit::eager {
namespace {

thread_local DeviceType own_device = DeviceType::cpu;

class DeviceThread {
 public:
  explicit DeviceThread(DeviceType device) : device_(device) {
    std::thread([this] { serve(); }).detach();
  }
  void wake(std::shared_ptr<GraphTask> task) {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_one();
  }

 private:
  [[noreturn]] void serve() {
    own_device = device_;
    for (;;) {
      std::shared_ptr<GraphTask> task = next();
      // The caller's modes, in which it has set grad mode for the pass.
      modes() = task->modes_of_caller();
      GradModeScope grad_mode(task->creates_graph());
      task->work(device_);
    }
  }
  std::shared_ptr<GraphTask> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !tasks_.empty(); });
    std::shared_ptr<GraphTask> task = std::move(tasks_.front());
    tasks_.pop_front();
    return task;
  }

  const DeviceType device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<GraphTask>> tasks_;  // one entry per ready node
};

}  // namespace

DeviceType device_of_this_thread() { return own_device; }

void wake_device_thread(DeviceType device, const std::shared_ptr<GraphTask>& task) {
  static std::mutex mutex;
  static DeviceThread* threads[kDeviceTypeCount] = {};
  DeviceThread* thread;
  {
    std::lock_guard lock(mutex);
    DeviceThread*& known = threads[size_t(device)];
    if (!known) known = new DeviceThread(device);
    thread = known;
  }
  thread->wake(task);
}

}  // namespace framejit::eager
