// Contract: short arrays of sizes, strides and dimension numbers, held inline up to six.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

#include "eager/symint.h"

namespace framejit::eager {

/// Up to `kMax` int64, the first six without an allocation. Entries may be the bits of symbolic sizes;
/// `sym(i)` reads an entry as such, `operator[]` as the plain number it is in eager code.
class Dims {
 public:
  static constexpr int kInline = 6;
  static constexpr int kMax = 64;

  Dims() = default;
  explicit Dims(int count, int64_t fill = 0) { resize(count, fill); }
  Dims(std::initializer_list<int64_t> values)
      : Dims(std::span<const int64_t>(values.begin(), values.size())) {}
  explicit Dims(std::span<const int64_t> values) {
    resize(int(values.size()));
    std::copy(values.begin(), values.end(), data());
  }
  Dims(const Dims& other) : Dims(other.span()) {}
  Dims(Dims&& other) noexcept { swap(other); }
  Dims& operator=(Dims other) noexcept {
    swap(other);
    return *this;
  }

  int size() const { return count_; }
  bool empty() const { return count_ == 0; }
  int64_t* data() { return heap_ ? heap_.get() : inline_; }
  const int64_t* data() const { return heap_ ? heap_.get() : inline_; }
  int64_t& operator[](int i) { return check(i), data()[i]; }
  int64_t operator[](int i) const { return check(i), data()[i]; }
  SymInt sym(int i) const { return check(i), SymInt::from_bits(data()[i]); }
  int64_t* begin() { return data(); }
  int64_t* end() { return data() + count_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + count_; }
  int64_t back() const { return check(0), data()[count_ - 1]; }
  std::span<const int64_t> span() const { return {data(), size_t(count_)}; }

  void push_back(int64_t value) {
    resize(count_ + 1);
    data()[count_ - 1] = value;
  }
  void push_back(SymInt value) { push_back(value.bits()); }
  void insert(int at, int64_t value) {
    push_back(int64_t(0));
    std::copy_backward(begin() + at, end() - 1, end());
    data()[at] = value;
  }
  void erase(int at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --count_;
  }
  void resize(int count, int64_t fill = 0) {
    if (count > kInline && !heap_) {
      heap_ = std::make_unique<int64_t[]>(kMax);
      std::copy(inline_, inline_ + count_, heap_.get());
    }
    for (int i = count_; i < count; ++i) data()[i] = fill;
    count_ = count;
  }
  void clear() { count_ = 0; }
  void swap(Dims& other) noexcept {
    std::swap(count_, other.count_);
    std::swap(heap_, other.heap_);
    std::swap(inline_, other.inline_);
  }
  /// Entry-wise; symbolic entries are compared as `SymInt` (may guard).
  friend bool operator==(const Dims& a, const Dims& b) {
    if (a.count_ != b.count_) return false;
    for (int i = 0; i < a.count_; ++i)
      if (!(a.sym(i) == b.sym(i))) return false;
    return true;
  }

 private:
  /// A wrong index stays within the object, where AddressSanitizer sees nothing: its builds stop there.
  void check([[maybe_unused]] int i) const {
#ifdef __SANITIZE_ADDRESS__
    if (i < 0 || i >= count_) __builtin_trap();
#endif
  }
  int count_ = 0;
  int64_t inline_[kInline];
  std::unique_ptr<int64_t[]> heap_;
};

}  // namespace framejit::eager
