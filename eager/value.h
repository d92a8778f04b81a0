// Contract: boxed arguments and results, the one calling convention of all ops.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "eager/tensor.h"

namespace framejit::eager {

/// A tagged argument or result, 16 bytes. Lists and strings are shared and immutable.
class FRAMEJIT_API Value {
 public:
  enum class Tag : uint8_t {
    none,
    tensor,
    sym_int,  ///< int argument: plain or a size expression
    real,     ///< double
    boolean,
    dtype,
    device,
    string,
    int_list,  ///< of SymInt
    real_list,
    bool_list,
    tensor_list,  ///< entries may be undefined (optional tensors, as index lists have)
    scalar_node,  ///< a Python number that is an input or a result of the graph being traced
    generator,
    complex,  ///< a Python complex number
  };
  /// A number that is only known when the graph runs. `dtype` is int64, float64 or bool (Python's types).
  struct ScalarNode {
    graph::Node* node;
    DType dtype;
  };

  Value() = default;
  Value(const Value& other) : tag_(other.tag_), bits_(other.bits_) {
    if (owned()) owned()->retain();
  }
  Value(Value&& other) noexcept : tag_(other.tag_), bits_(other.bits_) { other.tag_ = Tag::none; }
  Value& operator=(Value other) noexcept {
    std::swap(tag_, other.tag_);
    std::swap(bits_, other.bits_);
    return *this;
  }
  ~Value() {
    if (owned()) owned()->release();
  }

  /// None when the tensor is undefined.
  Value(Tensor tensor) {  // NOLINT: implicit on purpose, as are the next
    if (!tensor.defined()) return;
    tag_ = Tag::tensor;
    bits_.object = tensor.impl_.detach();
  }
  Value(SymInt value) : tag_(Tag::sym_int) { bits_.integer = value.bits(); }
  Value(int64_t value) : Value(SymInt(value)) {}
  Value(int value) : Value(SymInt(value)) {}
  Value(double value) : tag_(Tag::real) { bits_.real = value; }
  Value(bool value) : tag_(Tag::boolean) { bits_.boolean = value; }
  Value(DType value) : tag_(Tag::dtype) { bits_.dtype = value; }
  Value(Device value) : tag_(Tag::device) { bits_.device = value; }
  Value(std::string value);
  Value(const char* value) : Value(std::string(value)) {}
  Value(const Dims& value);
  Value(std::vector<SymInt> value);
  Value(std::vector<double> value);
  Value(std::vector<bool> value);
  Value(std::vector<Tensor> value);
  Value(ScalarNode value);
  Value(std::complex<double> value);
  static Value generator(Ref<RefCounted> generator);

  Tag tag() const { return tag_; }
  bool is_none() const { return tag_ == Tag::none; }
  bool is_tensor() const { return tag_ == Tag::tensor; }
  /// A Python number: int, float, bool, complex or a symbolic one.
  bool is_number() const {
    return tag_ == Tag::sym_int || tag_ == Tag::real || tag_ == Tag::boolean || tag_ == Tag::scalar_node ||
           tag_ == Tag::complex;
  }

  /// Each accessor raises InternalError when the tag is another; the argument binder has converted by the
  /// schema.
  Tensor tensor() const { return Tensor(Ref<TensorImpl>(impl())); }  ///< undefined for none
  /// The tensor's object without a new reference; null for none.
  TensorImpl* impl() const {
    if (tag_ == Tag::tensor) return static_cast<TensorImpl*>(bits_.object);
    if (tag_ != Tag::none) wrong_tag("Tensor");
    return nullptr;
  }
  /// Takes the tensor out, leaving none.
  Tensor take_tensor() {
    TensorImpl* object = impl();
    tag_ = Tag::none;
    return Tensor(Ref<TensorImpl>::steal(object));
  }
  SymInt sym_int() const;  ///< also from boolean
  int64_t integer() const { return sym_int().expect(); }
  double real() const;  ///< also from sym_int and boolean; the user's error for a complex number
  std::complex<double> complex() const;  ///< also from sym_int, boolean and real
  bool boolean() const;
  DType dtype() const;
  Device device() const;
  const std::string& string() const;
  const std::vector<SymInt>& int_list() const;
  Dims dims() const;  ///< an int_list as Dims
  const std::vector<double>& real_list() const;
  const std::vector<bool>& bool_list() const;
  const std::vector<Tensor>& tensor_list() const;
  const ScalarNode& scalar_node() const;
  RefCounted* generator() const;

 private:
  [[noreturn]] void wrong_tag(const char* wanted) const;
  /// The reference-counted object that this value holds, if its kind holds one.
  RefCounted* owned() const {
    constexpr uint32_t kOwning = 1u << int(Tag::tensor) | 1u << int(Tag::string) | 1u << int(Tag::int_list) |
                                 1u << int(Tag::real_list) | 1u << int(Tag::bool_list) |
                                 1u << int(Tag::tensor_list) | 1u << int(Tag::scalar_node) |
                                 1u << int(Tag::generator) | 1u << int(Tag::complex);
    return kOwning >> int(tag_) & 1 ? bits_.object : nullptr;
  }

  Tag tag_ = Tag::none;
  union Bits {
    RefCounted* object;  ///< TensorImpl, generator, or a box around a string or list
    int64_t integer;
    double real;
    bool boolean;
    DType dtype;
    Device device;
    constexpr Bits() : integer(0) {}
  } bits_;
};

}  // namespace framejit::eager
