#include "eager/cpu/copy_bytes.h"

#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace framejit::eager::cpu {
namespace {

constexpr size_t kLine = 64, kPage = 4096;
/// More than caches hold.
constexpr size_t kStreamed = 24 << 20;

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

/// Past the caches: nothing of `to` is read first, and `from` displaces nothing. `to` is at the begin of a line.
bool stream_lines([[maybe_unused]] char* to, [[maybe_unused]] const char* from,
                  [[maybe_unused]] size_t lines) {
#if defined(__SSE2__)
  constexpr size_t kAhead = 2048;
  for (size_t i = 0; i < lines; ++i, to += kLine, from += kLine) {
    _mm_prefetch(from + kAhead, _MM_HINT_NTA);  // harmless behind the end
    for (size_t at = 0; at < kLine; at += sizeof(__m128i))
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  }
  _mm_sfence();
  return true;
#else
  return false;
#endif
}

}  // namespace

void copy_long_row(void* to, const void* from, size_t bytes) {
  const uintptr_t target = reinterpret_cast<uintptr_t>(to), source = reinterpret_cast<uintptr_t>(from);
  const uintptr_t ahead = (target - source) % kPage;
  const bool overlap = target - source < bytes || source - target < bytes;
  size_t done = 0;
  if (ahead > 0 && ahead < kLine && !overlap) {
    done = bytes / kLine * kLine;
    copy_lines(static_cast<char*>(to), static_cast<const char*>(from), done / kLine);
  } else if (bytes >= kStreamed && !overlap) {
    const size_t head = (kLine - target % kLine) % kLine, lines = (bytes - head) / kLine;
    std::memcpy(to, from, head);
    if (stream_lines(static_cast<char*>(to) + head, static_cast<const char*>(from) + head, lines))
      done = head + lines * kLine;
  }
  std::memmove(static_cast<char*>(to) + done, static_cast<const char*>(from) + done, bytes - done);
}

}  // namespace framejit::eager::cpu
