// An array whose length is known when it is made, without an allocation when it is short.
#pragma once

#include <cstddef>
#include <memory>

namespace framejit::inductor::cpu {

template <class T, size_t kInline>
class SmallArray {
 public:
  explicit SmallArray(size_t size) : heap_(size > kInline ? new T[size]() : nullptr) {}
  T& operator[](size_t i) { return heap_ ? heap_[i] : inline_[i]; }
  T* data() { return heap_ ? heap_.get() : inline_; }

 private:
  T inline_[kInline]{};
  std::unique_ptr<T[]> heap_;
};

}  // namespace framejit::inductor::cpu
