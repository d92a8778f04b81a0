#include "inductor/memory_plan.h"

#include <algorithm>

namespace framejit::inductor {
namespace {

constexpr int64_t kAlignment = 64;

bool same_bits(const Dims& a, const Dims& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

/// The operand of a pointwise loop which `output` may overwrite: read only there, element for element.
int find_replaced(const LoopProgram& program, const std::vector<BufferLife>& lives, const Loop& loop,
                  int step, const LoopOperand& output) {
  if (loop.has_reduction()) return -1;
  for (const LoopOperand& operand : loop.operands) {
    if (operand.written) continue;
    const TensorDef& tensor = program.tensors[size_t(operand.tensor)];
    const BufferLife& life = lives[size_t(tensor.buffer)];
    bool dies = life.temporary && life.last == step && tensor.base < 0;
    bool same_place = same_bits(operand.strides, output.strides) &&
                      item_size(tensor.dtype) == item_size(program.tensors[size_t(output.tensor)].dtype);
    if (!dies || !same_place) continue;
    auto reads = std::count_if(loop.operands.begin(), loop.operands.end(), [&](const LoopOperand& other) {
      return !other.written && program.tensors[size_t(other.tensor)].buffer == tensor.buffer;
    });
    bool taken = std::any_of(lives.begin(), lives.end(),
                             [&](const BufferLife& other) { return other.may_replace == tensor.buffer; });
    if (reads == 1 && !taken) return tensor.buffer;
  }
  return -1;
}

/// Free parts of the workspace, which grows when none is large enough.
class Workspace {
 public:
  int64_t take(int64_t bytes) {
    auto best = parts_.end();
    for (auto part = parts_.begin(); part != parts_.end(); ++part)
      if (part->second >= bytes && (best == parts_.end() || part->second < best->second)) best = part;
    if (best == parts_.end()) {
      int64_t at = total_;
      total_ += bytes;
      return at;
    }
    auto [at, size] = *best;
    parts_.erase(best);
    if (size > bytes) parts_[at + bytes] = size - bytes;
    return at;
  }
  void give_back(int64_t at, int64_t bytes) {
    auto part = parts_.emplace(at, bytes).first;
    auto next = std::next(part);
    if (next != parts_.end() && part->first + part->second == next->first) {
      part->second += next->second;
      parts_.erase(next);
    }
    if (part != parts_.begin()) {
      auto before = std::prev(part);
      if (before->first + before->second == part->first) {
        before->second += part->second;
        parts_.erase(part);
      }
    }
  }
  int64_t total() const { return total_; }

 private:
  std::map<int64_t, int64_t> parts_;  // offset -> size
  int64_t total_ = 0;
};

}  // namespace

std::vector<BufferLife> find_lives(const LoopProgram& program) {
  std::vector<BufferLife> lives(program.buffers.size());
  for (size_t b = 0; b < lives.size(); ++b)
    lives[b].temporary = program.buffers[b].kind == Buffer::Kind::loop && !program.buffers[b].is_result;
  for (int step = 0; step < int(program.steps.size()); ++step) {
    for (int b : buffers_written(program, program.steps[size_t(step)]))
      lives[size_t(b)].first = lives[size_t(b)].last = step;
    for (int b : buffers_read(program, program.steps[size_t(step)])) lives[size_t(b)].last = step;
  }
  for (int step = 0; step < int(program.steps.size()); ++step) {
    const Loop* loop = program.steps[size_t(step)].loop();
    if (!loop) continue;
    for (const LoopOperand& operand : loop->operands) {
      size_t buffer = size_t(program.tensors[size_t(operand.tensor)].buffer);
      if (operand.written && lives[buffer].temporary)
        lives[buffer].may_replace = find_replaced(program, lives, *loop, step, operand);
    }
  }
  return lives;
}

MemoryPlan plan_memory(const std::vector<BufferLife>& lives, const std::vector<int64_t>& bytes) {
  MemoryPlan plan;
  plan.offset.assign(lives.size(), -1);
  std::vector<size_t> order;
  int last_step = -1;
  for (size_t b = 0; b < lives.size(); ++b) {
    if (!lives[b].temporary || lives[b].first < 0) continue;
    order.push_back(b);
    last_step = std::max(last_step, lives[b].last);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lives[a].first < lives[b].first; });
  std::vector<std::vector<size_t>> ending(size_t(last_step + 1));
  for (size_t b : order) ending[size_t(lives[b].last)].push_back(b);

  Workspace workspace;
  std::vector<bool> replaced(lives.size());
  auto size_of = [&](size_t b) {
    return std::max(kAlignment, (bytes[b] + kAlignment - 1) / kAlignment * kAlignment);
  };
  size_t next = 0;
  for (int step = 0; step <= last_step; ++step) {
    for (; next < order.size() && lives[order[next]].first == step; ++next) {
      size_t b = order[next];
      int old = lives[b].may_replace;
      if (old >= 0 && bytes[size_t(old)] == bytes[b]) {
        plan.offset[b] = plan.offset[size_t(old)];
        replaced[size_t(old)] = true;
      } else {
        plan.offset[b] = workspace.take(size_of(b));
      }
    }
    for (size_t b : ending[size_t(step)])
      if (!replaced[b]) workspace.give_back(plan.offset[b], size_of(b));
  }
  plan.total = workspace.total();
  return plan;
}

}  // namespace framejit::inductor
