// One backward pass while it runs.
#pragma once

#include <array>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <queue>

#include "eager/autograd/engine.h"
#include "eager/autograd/node_table.h"
#include "eager/dispatch.h"

namespace framejit::eager {

class GraphTask : public std::enable_shared_from_this<GraphTask> {
 public:
  explicit GraphTask(BackwardPass pass);
  std::vector<Tensor> run();

  /// Evaluates one ready node of `device`; false when there is none. For the threads of devices.
  bool work(DeviceType device);
  const Modes& modes_of_caller() const { return modes_; }
  bool creates_graph() const { return pass_.options.create_graph; }
  int64_t id() const { return id_; }
  bool will_run(const GradNode& node);
  bool wants_all() const { return pass_.captures.empty() && pass_.targets.empty(); }
  void at_end(std::function<void()> callback) {
    auto lock = locked();
    callbacks_.push_back(std::move(callback));
  }

 private:
  struct Ready {
    uint64_t sequence;
    NodeState* state;
    bool operator<(const Ready& other) const { return sequence < other.sequence; }
  };
  using Queue = std::priority_queue<Ready>;  // the latest forward operation first

  void count_dependencies();
  void select();
  void mark_needed();
  void start();
  void work_until_done();
  void evaluate(NodeState& state);
  std::vector<Tensor> apply(NodeState& state, std::vector<Tensor> grads);
  void capture(const NodeState& state, const std::vector<Tensor>& grads);
  void deliver(const GradNode& node, std::vector<Tensor> gradients);
  void receive(NodeState& state, int input, Tensor grad);
  void push(NodeState& state);
  DeviceType queue_of(const GradNode& node) const;
  std::unique_lock<std::mutex> locked();

  BackwardPass pass_;
  const int64_t id_;
  const Modes modes_;            // of the thread that called
  const DeviceType own_device_;  // whose queue the calling thread works off
  std::vector<Tensor> captured_;
  std::vector<int> next_capture_;
  std::vector<std::function<void()>> callbacks_;
  NodeTable nodes_;
  std::array<Queue, kDeviceTypeCount> queues_;

  // Only used where nodes live on several devices.
  bool concurrent_ = false;
  std::mutex mutex_;  // guards everything above but pass_ and the constants
  std::condition_variable changed_;
  size_t outstanding_ = 0;  // nodes in queues or being evaluated
  std::exception_ptr error_;
};

/// Tells the thread of `device`, started when first needed, that `task` has work for it.
void wake_device_thread(DeviceType device, const std::shared_ptr<GraphTask>& task);
/// The device whose thread this is; cpu for all others.
DeviceType device_of_this_thread();

}  // namespace framejit::eager
