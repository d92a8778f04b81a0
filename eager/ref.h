// Contract: intrusive reference counting, the ownership used for everything a Tensor is made of.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "eager/export.h"

namespace framejit::eager {

/// Base of objects that live as long as a `Ref` points at them.
class FRAMEJIT_API RefCounted {
 public:
  void retain() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) const_cast<RefCounted*>(this)->destroy();
  }
  /// For pointers that do not own: false when the last reference has gone already.
  bool try_retain() const noexcept {
    uint32_t count = count_.load(std::memory_order_relaxed);
    while (count != 0)
      if (count_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) return true;
    return false;
  }
  uint32_t use_count() const noexcept { return count_.load(std::memory_order_relaxed); }

 protected:
  RefCounted() = default;
  virtual ~RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;
  /// Called when the last reference goes; pooled classes override it.
  virtual void destroy() { delete this; }

 private:
  mutable std::atomic<uint32_t> count_{0};
};

/// Owning pointer to a `RefCounted`.
template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* object) : object_(object) {
    if (object_) object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> Ref(const Ref<U>& other) : Ref(other.get()) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) object_->release();
  }

  /// Takes over a reference that the caller owned.
  static Ref steal(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  /// Gives the reference to the caller.
  T* detach() { return std::exchange(object_, nullptr); }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  T* object_ = nullptr;
};

template <class T, class... Args>
Ref<T> make_ref(Args&&... args) {
  return Ref<T>(new T(std::forward<Args>(args)...));
}

}  // namespace framejit::eager
