#include "inductor/fuse.h"

#include <algorithm>
#include <cstdlib>

#include "inductor/match.h"
#include "inductor/simplify.h"

namespace framejit::inductor {
namespace {

using Kind = LoopInstr::Kind;

constexpr size_t kMaxCode = 256;
constexpr size_t kMaxOperands = 48;
/// A row that is passed over several times has to stay in the L2 cache.
constexpr int64_t kLongestRow = 64 * 1024;
/// A single row of this length had better be spread over the threads, one pass after the other.
constexpr int64_t kLongestSingleRow = 16 * 1024;

int64_t hint(int64_t bits) { return SymInt::from_bits(bits).hint(); }

// --- whether to
// ------------------------------------------------------------------------------------------------------

/// Whether the reduced dims of the common space are innermost in the memory that `first` reads: in the
/// operand that varies along most dims.
bool reduces_innermost(const Loop& first, const Match& match) {
  const LoopOperand* reference = nullptr;
  int64_t most = 0;
  for (const LoopOperand& operand : first.operands) {
    int64_t count = operand.strides.size() - std::count(operand.strides.begin(), operand.strides.end(), 0);
    if (operand.written || operand.row || count <= most) continue;
    reference = &operand;
    most = count;
  }
  if (!reference) return true;
  Dims strides = move_strides(reference->strides, match.first_dims, match.sizes.size());
  int innermost = -1;
  for (int d = 0; d < strides.size(); ++d) {
    bool closer = innermost < 0 || std::abs(hint(strides[d])) < std::abs(hint(strides[innermost]));
    if (strides[d] != 0 && closer) innermost = d;
  }
  return (match.reduced >> innermost) & 1;
}

bool worth_waiting(const Loop& first, const Match& match) {
  int64_t rows = 1, columns = 1;
  for (int d = 0; d < match.sizes.size(); ++d)
    (((match.reduced >> d) & 1) ? columns : rows) *= hint(match.sizes[d]);
  return columns <= (rows > 1 ? kLongestRow : kLongestSingleRow) && reduces_innermost(first, match);
}

// --- making one loop of two
// -------------------------------------------------------------------------------------------

class Merger {
 public:
  Merger(const LoopProgram& program, const Match& match) : program_(program), match_(match) {
    merged_.sizes = match.sizes;
    merged_.reduced = match.reduced;
  }

  Loop merge(const Loop& first, const Loop& second) {
    append(first, match_.first_dims, false);
    append(second, match_.second_dims, match_.second_is_row);
    return simplify(merged_);
  }

 private:
  void append(const Loop& loop, const std::vector<int>& dims, bool as_row) {
    int first_operand = int(merged_.operands.size());
    for (LoopOperand operand : loop.operands) {
      operand.strides = move_strides(operand.strides, dims, match_.sizes.size());
      operand.row = operand.row || as_row;
      merged_.operands.push_back(std::move(operand));
    }
    std::vector<int> value_of;
    for (LoopInstr instr : loop.code) {
      for (int& in : instr.in) in = value_of[size_t(in)];
      bool on_operand = instr.kind == Kind::load || instr.kind == Kind::store;
      if (on_operand) instr.slot += first_operand;
      value_of.push_back(instr.kind == Kind::load ? load(instr) : add(instr));
      if (instr.kind == Kind::store) stored_[buffer(instr)] = instr.in[0];
    }
  }

  int add(const LoopInstr& instr) {
    merged_.code.push_back(instr);
    return int(merged_.code.size()) - 1;
  }
  int buffer(const LoopInstr& instr) const {
    return program_.tensors[size_t(merged_.operands[size_t(instr.slot)].tensor)].buffer;
  }
  /// A load of what the first loop stored is the stored value, after the conversions on its way.
  int load(const LoopInstr& instr) {
    auto found = stored_.find(buffer(instr));
    if (found == stored_.end()) return add(instr);
    DType stored = program_.tensors[size_t(merged_.operands[size_t(instr.slot)].tensor)].dtype;
    return cast(cast(found->second, stored), instr.dtype);
  }
  int cast(int value, DType to) {
    if (merged_.code[size_t(value)].dtype == to) return value;
    return add({.kind = Kind::cast, .dtype = to, .in = {value}});
  }

  const LoopProgram& program_;
  const Match& match_;
  Loop merged_;
  std::map<int, int> stored_;  // buffer -> value
};

// --- which pairs
// ------------------------------------------------------------------------------------------------------

class Fuser {
 public:
  explicit Fuser(LoopProgram& program) : program_(program) {}

  void run() {
    for (size_t at = 0; at < program_.steps.size(); ++at)
      while (fuse_producer(at)) {
      }
    for (size_t at = 0; at < program_.steps.size(); ++at)
      while (fuse_sibling(at)) {
      }
  }

 private:
  bool intersects(const std::vector<int>& a, const std::vector<int>& b) {
    return std::any_of(a.begin(), a.end(),
                       [&](int x) { return std::find(b.begin(), b.end(), x) != b.end(); });
  }
  bool depends(size_t later, size_t earlier) {
    return intersects(buffers_read(program_, program_.steps[later]),
                      buffers_written(program_, program_.steps[earlier]));
  }
  /// Where two steps can meet: at the later one's place if nobody between needs the earlier, else at the
  /// earlier one's if the later needs nobody between; -1.
  int meeting_place(size_t first, size_t second) {
    auto any_between = [&](auto condition) {
      for (size_t k = first + 1; k < second; ++k)
        if (condition(k)) return true;
      return false;
    };
    if (!any_between([&](size_t k) { return depends(k, first); })) return int(second);
    if (!any_between([&](size_t k) { return depends(second, k); })) return int(first);
    return -1;
  }
  bool fits(const Loop& a, const Loop& b) {
    return a.code.size() + b.code.size() <= kMaxCode && a.operands.size() + b.operands.size() <= kMaxOperands;
  }
  /// Returns where the merged loop is.
  size_t replace(size_t first, size_t second, int place, Loop merged) {
    program_.steps[size_t(place)].body = std::move(merged);
    bool at_first = size_t(place) == first;
    program_.steps.erase(program_.steps.begin() + long(at_first ? second : first));
    return at_first ? first : second - 1;
  }
  /// Whether a value that the loop computes once for all of another loop may go into that loop: nobody else
  /// needs it.
  bool used_once(size_t first, size_t second) {
    for (int buffer : buffers_written(program_, program_.steps[first])) {
      if (program_.buffers[size_t(buffer)].is_result) return false;
      for (size_t k = first + 1; k < program_.steps.size(); ++k) {
        auto read = buffers_read(program_, program_.steps[k]);
        if (k != second && std::find(read.begin(), read.end(), buffer) != read.end()) return false;
      }
    }
    return true;
  }

  bool fuse_producer(size_t& at) {
    if (!program_.steps[at].loop()) return false;
    for (size_t first = at; first-- > 0;) {
      if (!program_.steps[first].loop() || !depends(at, first)) continue;
      int place = meeting_place(first, at);
      if (place >= 0 && try_chain(first, at, place)) return true;
    }
    return false;
  }

  /// On success `second` is where the merged loop is.
  bool try_chain(size_t first, size_t& second, int place) {
    Loop a = *program_.steps[first].loop();
    Loop b = *program_.steps[second].loop();
    if (!fits(a, b)) return false;
    auto match = match_chain(program_, a, b);
    if (!match) {
      // The same elements under other sizes, where only their order counts.
      if (auto reshaped = reshape_loop(a, b.sizes);
          reshaped && (match = match_chain(program_, *reshaped, b))) {
        a = *reshaped;
      } else if (auto other = reshape_loop(b, a.sizes); other && (match = match_chain(program_, a, *other))) {
        b = *other;
      } else {
        return false;
      }
    }
    if (match->makes_rows_wait && !worth_waiting(a, *match)) return false;
    if (a.sizes.empty() && !b.sizes.empty() && !used_once(first, second)) return false;
    second = replace(first, second, place, Merger(program_, *match).merge(a, b));
    return true;
  }

  bool fuse_sibling(size_t& at) {
    const Loop* b = program_.steps[at].loop();
    if (!b) return false;
    for (size_t first = 0; first < at; ++first) {
      const Loop* a = program_.steps[first].loop();
      if (!a || !fits(*a, *b) || depends(at, first)) continue;
      auto match = match_siblings(*a, *b);
      if (!match) continue;
      int place = meeting_place(first, at);
      if (place < 0) continue;
      at = replace(first, at, place, Merger(program_, *match).merge(*a, *b));
      return true;
    }
    return false;
  }

  LoopProgram& program_;
};

}  // namespace

void fuse(LoopProgram& program) {
  Fuser(program).run();
  drop_dead_stores(program);
}

}  // namespace framejit::inductor
