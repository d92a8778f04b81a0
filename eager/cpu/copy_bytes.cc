#include "eager/cpu/copy_bytes.h"

#include <cstdint>
#include <cstring>

namespace framejit::eager::cpu {
namespace {

constexpr size_t kLine = 64, kPage = 4096, kRepeated = 2048;

struct Line {
  char bytes[kLine];
};

// GCC would make a call of memcpy of the loop.
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif
void copy_lines(char* to, const char* from, size_t lines) {
  for (size_t i = 0; i < lines; ++i) {
    Line line;
    std::memcpy(&line, from + i * kLine, kLine);
    std::memcpy(to + i * kLine, &line, kLine);
  }
}

}  // namespace

void copy_bytes(void* to, const void* from, size_t bytes) {
  const uintptr_t target = reinterpret_cast<uintptr_t>(to), source = reinterpret_cast<uintptr_t>(from);
  const uintptr_t ahead = (target - source) % kPage;
  const bool overlap = target - source < bytes || source - target < bytes;
  size_t done = 0;
  if (bytes >= kRepeated && ahead > 0 && ahead < kLine && !overlap) {
    done = bytes / kLine * kLine;
    copy_lines(static_cast<char*>(to), static_cast<const char*>(from), done / kLine);
  }
  std::memmove(static_cast<char*>(to) + done, static_cast<const char*>(from) + done, bytes - done);
}

}  // namespace framejit::eager::cpu
