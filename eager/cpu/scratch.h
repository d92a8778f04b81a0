// Scratch memory of kernels: one growing block per thread, handed out front to back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

namespace framejit::eager::cpu {

/// Memory that lives until the ScratchScope in which it was taken ends. Taking is a few instructions; the
/// block is kept for the next kernel up to kKeep bytes.
class Scratch {
 public:
  static Scratch& of_thread() {
    thread_local Scratch scratch;
    return scratch;
  }
  /// At least `bytes` bytes, aligned to 64.
  char* take(int64_t bytes) {
    bytes = (bytes + 63) & ~int64_t(63);
    if (used_ + bytes > size_) grow(bytes);
    char* memory = block_ + used_;
    used_ += bytes;
    return memory;
  }
  template <class T>
  T* take_array(int64_t count) {
    return reinterpret_cast<T*>(take(count * int64_t(sizeof(T))));
  }

 private:
  friend class ScratchScope;
  static constexpr int64_t kFirst = 256 * 1024;
  static constexpr int64_t kKeep = 8 * 1024 * 1024;

  struct Free {
    void operator()(char* block) const { ::operator delete(block, std::align_val_t(64)); }
  };
  struct Older {
    std::unique_ptr<char, Free> block;
    std::unique_ptr<Older> next;
  };

  /// A further block; memory taken from the earlier ones stays valid until the outermost scope ends.
  void grow(int64_t bytes) {
    int64_t size = std::max(std::max(kFirst, size_ * 2), bytes);
    auto memory =
        std::unique_ptr<char, Free>(static_cast<char*>(::operator new(size_t(size), std::align_val_t(64))));
    if (owner_) older_ = std::make_unique<Older>(Older{std::move(owner_), std::move(older_)});
    owner_ = std::move(memory);
    block_ = owner_.get();
    size_ = size;
    used_ = 0;
  }
  void end_outermost() {
    older_.reset();
    used_ = 0;
    if (size_ > kKeep) {
      owner_.reset();
      block_ = nullptr;
      size_ = 0;
    }
  }

  std::unique_ptr<char, Free> owner_;
  std::unique_ptr<Older> older_;
  char* block_ = nullptr;
  int64_t size_ = 0;
  int64_t used_ = 0;
  int depth_ = 0;
};

/// Gives back at its end what was taken from this thread's scratch memory since its start.
class ScratchScope {
 public:
  ScratchScope() : scratch_(Scratch::of_thread()), block_(scratch_.block_), used_(scratch_.used_) {
    ++scratch_.depth_;
  }
  ~ScratchScope() {
    if (--scratch_.depth_ == 0) {
      scratch_.end_outermost();
    } else if (scratch_.block_ == block_) {
      scratch_.used_ = used_;
    }
  }
  ScratchScope(const ScratchScope&) = delete;

 private:
  Scratch& scratch_;
  char* block_;
  int64_t used_;
};

}  // namespace framejit::eager::cpu
