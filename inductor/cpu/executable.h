// Runs loop programs on the CPU.
#pragma once

#include <atomic>
#include <mutex>

#include "graph/executable.h"
#include "inductor/cpu/instance.h"

namespace framejit::inductor::cpu {

class CpuExecutable final : public graph::Executable {
 public:
  explicit CpuExecutable(LoopProgram program);
  ~CpuExecutable() override;
  void run(const eager::Value* inputs, eager::Value* results) const override;
  bool runs_user_code() const override { return graph::calls_user_code(*plan_.program.graph); }
  std::string describe() const override { return plan_.program.str(); }
  /// The tile programs of the loops, for the log.
  std::string tiles_text() const;

 private:
  /// Instances are kept for this many sets of sizes, further ones are made for one run.
  static constexpr int kKeptInstances = 64;
  struct Kept {
    Instance instance;
    const Kept* next;
  };
  const Instance& instance_for(const eager::Value* inputs, std::unique_ptr<Instance>& temporary) const;

  Plan plan_;
  std::vector<std::vector<int>> released_after_;    ///< per step: external buffers that nobody reads any more
  mutable std::atomic<const Kept*> kept_{nullptr};  ///< read without a lock, pushed to under it
  mutable std::mutex mutex_;
};

}  // namespace framejit::inductor::cpu
