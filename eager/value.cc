#include "eager/value.h"

#include "eager/error.h"

namespace framejit::eager {

namespace {

/// Shared, immutable payload of a string or list value.
template <class T>
struct Box final : RefCounted {
  explicit Box(T value) : content(std::move(value)) {}
  const T content;
};

template <class T>
RefCounted* box(T content) {
  return make_ref<Box<T>>(std::move(content)).detach();
}

template <class T>
const T& unbox(RefCounted* object) {
  return static_cast<const Box<T>*>(object)->content;
}

std::vector<SymInt> to_sizes(const Dims& dims) {
  std::vector<SymInt> sizes(dims.size());
  for (int i = 0; i < dims.size(); ++i) sizes[i] = dims.sym(i);
  return sizes;
}

constexpr const char* kTagNames[] = {"none",   "Tensor",   "int",           "float",     "bool",
                                     "dtype",  "device",   "str",           "int[]",     "float[]",
                                     "bool[]", "Tensor[]", "traced number", "Generator", "complex"};

}  // namespace

Value::Value(std::string value) : tag_(Tag::string) { bits_.object = box(std::move(value)); }
Value::Value(const Dims& value) : Value(to_sizes(value)) {}
Value::Value(std::vector<SymInt> value) : tag_(Tag::int_list) { bits_.object = box(std::move(value)); }
Value::Value(std::vector<double> value) : tag_(Tag::real_list) { bits_.object = box(std::move(value)); }
Value::Value(std::vector<bool> value) : tag_(Tag::bool_list) { bits_.object = box(std::move(value)); }
Value::Value(std::vector<Tensor> value) : tag_(Tag::tensor_list) { bits_.object = box(std::move(value)); }
Value::Value(ScalarNode value) : tag_(Tag::scalar_node) { bits_.object = box(value); }
Value::Value(std::complex<double> value) : tag_(Tag::complex) { bits_.object = box(value); }
Value Value::generator(Ref<RefCounted> generator) {
  Value value;
  value.tag_ = Tag::generator;
  value.bits_.object = generator.detach();
  return value;
}

void Value::wrong_tag(const char* wanted) const {
  throw InternalError(concat("internal error: an argument holds a ", kTagNames[int(tag_)],
                             ", the op reads it as ", wanted, ". Please report this."));
}

SymInt Value::sym_int() const {
  if (tag_ == Tag::sym_int) return SymInt::from_bits(bits_.integer);
  if (tag_ == Tag::boolean) return SymInt(int64_t(bits_.boolean));
  wrong_tag("int");
}
double Value::real() const {
  if (tag_ == Tag::real) return bits_.real;
  if (tag_ == Tag::sym_int || tag_ == Tag::boolean) return double(integer());
  if (tag_ == Tag::complex) {
    const std::complex<double> number = complex();
    fail(ErrorType::runtime,
         "value cannot be converted to type double without overflow: got the complex number (", number.real(),
         ", ", number.imag(), ")");
  }
  wrong_tag("float");
}
std::complex<double> Value::complex() const {
  if (tag_ == Tag::complex) return unbox<std::complex<double>>(bits_.object);
  return real();
}
bool Value::boolean() const {
  if (tag_ != Tag::boolean) wrong_tag("bool");
  return bits_.boolean;
}
DType Value::dtype() const {
  if (tag_ != Tag::dtype) wrong_tag("dtype");
  return bits_.dtype;
}
Device Value::device() const {
  if (tag_ != Tag::device) wrong_tag("device");
  return bits_.device;
}
const std::string& Value::string() const {
  if (tag_ != Tag::string) wrong_tag("str");
  return unbox<std::string>(bits_.object);
}
const std::vector<SymInt>& Value::int_list() const {
  if (tag_ != Tag::int_list) wrong_tag("int[]");
  return unbox<std::vector<SymInt>>(bits_.object);
}
Dims Value::dims() const {
  const std::vector<SymInt>& list = int_list();
  FRAMEJIT_CHECK(list.size() <= size_t(Dims::kMax), "got a list of ", list.size(), " ints, expected at most ",
                 Dims::kMax);
  Dims dims;
  for (SymInt size : list) dims.push_back(size);
  return dims;
}
const std::vector<double>& Value::real_list() const {
  if (tag_ != Tag::real_list) wrong_tag("float[]");
  return unbox<std::vector<double>>(bits_.object);
}
const std::vector<bool>& Value::bool_list() const {
  if (tag_ != Tag::bool_list) wrong_tag("bool[]");
  return unbox<std::vector<bool>>(bits_.object);
}
const std::vector<Tensor>& Value::tensor_list() const {
  if (tag_ != Tag::tensor_list) wrong_tag("Tensor[]");
  return unbox<std::vector<Tensor>>(bits_.object);
}
const Value::ScalarNode& Value::scalar_node() const {
  if (tag_ != Tag::scalar_node) wrong_tag("traced number");
  return unbox<ScalarNode>(bits_.object);
}
RefCounted* Value::generator() const {
  if (tag_ != Tag::generator) wrong_tag("Generator");
  return bits_.object;
}

}  // namespace framejit::eager
