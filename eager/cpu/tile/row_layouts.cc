#include "eager/cpu/loops/row_layouts.h"

#include <algorithm>
#include <cstring>

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

#if defined(__AVX512F__)
constexpr int64_t kWidest = 64;
#elif defined(__AVX2__)
constexpr int64_t kWidest = 32;
#else
constexpr int64_t kWidest = 16;
#endif

struct TwoWords {
  uint64_t words[2];
};

/// `kBytes` at once, beyond the end of the row too, where the next one follows.
template <class Word, int64_t kBytes>
void repeat_by(const char* from, int64_t step, int64_t rows, int64_t length, Word* to) {
  constexpr int64_t kWords = kBytes / int64_t(sizeof(Word));
  for (int64_t row = 0; row < rows; ++row, from += step, to += length) {
    Word words[kWords];
    std::fill_n(words, kWords, *reinterpret_cast<const Word*>(from));
    for (int64_t i = 0; i < length; i += kWords) std::memcpy(to + i, words, kBytes);
  }
}

/// `kBytes` at once, which a row has at least.
template <class Word, int64_t kBytes>
void copy_by(const char* from, int64_t step, int64_t rows, int64_t length, Word* to) {
  constexpr int64_t kWords = kBytes / int64_t(sizeof(Word));
  for (int64_t row = 0; row < rows; ++row, from += step, to += length) {
    const Word* words = reinterpret_cast<const Word*>(from);
    for (int64_t i = 0; i + kWords < length; i += kWords) std::memcpy(to + i, words + i, kBytes);
    std::memcpy(to + length - kWords, words + length - kWords, kBytes);
  }
}

template <class Word>
void repeat(const void* first, int64_t step, int64_t rows, int64_t length, void* dense) {
  const char* from = static_cast<const char*>(first);
  Word* to = static_cast<Word*>(dense);
  const int64_t bytes = length * int64_t(sizeof(Word));
  if (bytes <= 16) return repeat_by<Word, 16>(from, step, rows, length, to);
  if (bytes <= 32) return repeat_by<Word, std::min<int64_t>(32, kWidest)>(from, step, rows, length, to);
  repeat_by<Word, kWidest>(from, step, rows, length, to);
}

template <class Word>
void copy(const void* first, int64_t step, int64_t rows, int64_t length, void* dense) {
  const char* from = static_cast<const char*>(first);
  Word* to = static_cast<Word*>(dense);
  const int64_t bytes = length * int64_t(sizeof(Word));
  if (bytes >= kWidest) return copy_by<Word, kWidest>(from, step, rows, length, to);
  if (bytes >= 32) return copy_by<Word, std::min<int64_t>(32, kWidest)>(from, step, rows, length, to);
  if (bytes >= 16) return copy_by<Word, 16>(from, step, rows, length, to);
  for (int64_t row = 0; row < rows; ++row, from += step, to += length)
    for (int64_t i = 0; i < length; ++i) to[i] = reinterpret_cast<const Word*>(from)[i];
}

}  // namespace

extern const cpu::RowLayouts row_layouts;
const cpu::RowLayouts row_layouts{
    {copy<uint8_t>, copy<uint16_t>, copy<uint32_t>, copy<uint64_t>, copy<TwoWords>},
    {repeat<uint8_t>, repeat<uint16_t>, repeat<uint32_t>, repeat<uint64_t>, repeat<TwoWords>}};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
