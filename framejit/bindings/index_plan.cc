#include "framejit/bindings/arg_reader.h"
#include "framejit/bindings/index.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_data.h"
#include "framejit/bindings/tensor_object.h"
#include "generated/ops/view.h"

namespace framejit::bindings {
namespace {

using eager::DType;
using eager::SymInt;
using eager::Tensor;
namespace ops = eager::ops;

[[noreturn]] void fail_index(const char* type_name) {
  eager::fail(eager::ErrorType::index,
              "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
              "indices (got ",
              type_name, ")");
}

bool is_mask(const Tensor& index) { return index.dtype() == DType::bool_ || index.dtype() == DType::uint8; }

/// A list, range or array used as an index; undefined when the object is no sequence.
Tensor tensor_of_sequence(PyObject* object) {
  if (is_numpy_array(object)) return tensor_from_data(object, std::nullopt, {});
  if (PyUnicode_Check(object) || PyBytes_Check(object) || !PySequence_Check(object)) return {};
  Py_ssize_t size = PySequence_Size(object);
  check_status(size < 0 ? -1 : 0);
  return tensor_from_data(object, size == 0 ? std::optional(DType::int64) : std::nullopt, {});
}

/// Applies the parts of an index from left to right.
class IndexReader {
 public:
  explicit IndexReader(const Tensor& tensor) : rank_(tensor.dim()) { plan_.view = tensor; }

  /// `consumed`: how many dimensions all parts together name, for the width of an Ellipsis.
  void read(PyObject* part, int consumed) {
    SymInt number;
    if (part == Py_None)
      insert_dim();
    else if (part == Py_Ellipsis)
      skip(rank_ - consumed);
    else if (PySlice_Check(part))
      slice(part);
    else if (PyBool_Check(part))
      index_with_bool(part == Py_True);
    else if (is_tensor(part))
      index_with(unwrap(part));
    else if (read_int(part, &number))
      select(number);
    else if (Tensor sequence = tensor_of_sequence(part); sequence.defined())
      index_with(sequence);
    else if (PyIndex_Check(part))
      select(number_of_index(part));
    else
      fail_index(Py_TYPE(part)->tp_name);
  }

  IndexPlan take() { return std::move(plan_); }

 private:
  void skip(int count) {
    for (int i = 0; i < count; ++i) plan_.indices.emplace_back();
    dim_ += count;
  }
  void insert_dim() {
    plan_.view = ops::unsqueeze(plan_.view, dim_);
    skip(1);
  }
  void select(SymInt index) { plan_.view = ops::select(plan_.view, dim_, index); }
  static SymInt number_of_index(PyObject* part) {
    PyRef index = checked(PyNumber_Index(part));
    SymInt number;
    if (!read_int(index.get(), &number)) fail_index(Py_TYPE(part)->tp_name);
    return number;
  }

  static std::optional<SymInt> slice_bound(PyObject* bound) {
    if (bound == Py_None) return std::nullopt;
    SymInt value;
    if (read_int(bound, &value)) return value;
    FRAMEJIT_CHECK_TYPE(PyIndex_Check(bound), type,
                        "slice indices must be integers or None or have an __index__ method");
    return number_of_index(bound);
  }
  void slice(PyObject* part) {
    auto* bounds = reinterpret_cast<PySliceObject*>(part);
    std::optional<SymInt> start = slice_bound(bounds->start), stop = slice_bound(bounds->stop);
    SymInt step = slice_bound(bounds->step).value_or(1);
    if (!(step > 0)) eager::fail(eager::ErrorType::value, "step must be greater than zero");
    if (start || stop || !(step == 1)) plan_.view = ops::slice(plan_.view, dim_, start, stop, step);
    skip(1);
  }

  /// x[True] and x[False] add a dimension of size 1 or 0.
  void index_with_bool(bool value) {
    plan_.view = ops::unsqueeze(plan_.view, dim_);
    Tensor index = Tensor::empty(eager::Dims{value ? 1 : 0}, DType::int64);
    if (value) *index.data_as<int64_t>() = 0;
    add(index, 1);
  }
  void index_with(const Tensor& index) {
    if (!eager::is_integral(index.dtype(), true))
      eager::fail(eager::ErrorType::index, "tensors used as indices must be long, int, byte or bool tensors");
    // A traced index must stay in the graph, where a one-element gather does what select does.
    bool known_number = index.dim() == 0 && !index.is_symbolic();
    if (known_number && index.dtype() == DType::bool_)
      index_with_bool(item(index).boolean());
    else if (known_number && !is_mask(index))
      select(item(index).integer());
    else
      add(index, is_mask(index) ? index.dim() : 1, is_mask(index));
  }
  /// A mask stands for as many dimensions as it has. `selects`: it says yes or no to each place.
  void add(const Tensor& index, int dims, bool selects = true) {
    plan_.indices.push_back(index);
    plan_.has_tensors = true;
    plan_.only_masks &= selects;
    dim_ += dims;
  }

  IndexPlan plan_;
  int rank_;     // of the tensor as it was given
  int dim_ = 0;  // of the view, that the next part is about
};

/// How many dimensions of the tensor a part names.
int dims_of(PyObject* part) {
  if (part == Py_None || part == Py_Ellipsis || PyBool_Check(part)) return 0;
  if (is_tensor(part) && is_mask(unwrap(part))) return unwrap(part).dim();
  if (is_numpy_array(part)) {
    Tensor array = tensor_from_array(part);
    return is_mask(array) ? array.dim() : 1;
  }
  return 1;
}

}  // namespace

IndexPlan plan_index(const Tensor& tensor, PyObject* index) {
  IndexReader reader(tensor);
  if (!PyTuple_Check(index)) {
    int consumed = dims_of(index);
    if (consumed > tensor.dim() && tensor.dim() == 0)
      eager::fail(eager::ErrorType::index,
                  "invalid index of a 0-dim tensor. Use `tensor.item()` to convert a 0-dim tensor "
                  "to a Python number");
    reader.read(index, consumed);
    return reader.take();
  }
  int consumed = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); ++i) consumed += dims_of(PyTuple_GET_ITEM(index, i));
  if (consumed > tensor.dim())
    eager::fail(eager::ErrorType::index, "too many indices for tensor of dimension ", tensor.dim());
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); ++i) reader.read(PyTuple_GET_ITEM(index, i), consumed);
  return reader.take();
}

}  // namespace framejit::bindings
