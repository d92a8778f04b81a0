// Calls in the order of arguments that PyTorch had before its numbers became keywords: `a.add_(2, b)` is
// `a.add_(b, alpha=2)`. Runs only when no overload fits.
#include <cstring>
#include <initializer_list>

#include "framejit/bindings/arg_binder.h"
#include "framejit/bindings/python.h"

namespace framejit::bindings {
namespace {

/// The parameters of a function in their old order; a method has its object first.
struct OldOrder {
  const char* op;
  std::initializer_list<const char*> params;
};

const OldOrder kOldOrders[] = {
    {"add", {"input", "alpha", "other"}},
    {"sub", {"input", "alpha", "other"}},
    {"addcmul", {"input", "value", "tensor1", "tensor2"}},
    {"addcdiv", {"input", "value", "tensor1", "tensor2"}},
    {"addmm", {"beta", "input", "alpha", "mat1", "mat2"}},
    {"addmm", {"beta", "input", "mat1", "mat2"}},
    {"addmv", {"beta", "input", "alpha", "mat", "vec"}},
    {"addmv", {"beta", "input", "mat", "vec"}},
    {"addr", {"beta", "input", "alpha", "vec1", "vec2"}},
    {"addr", {"beta", "input", "vec1", "vec2"}},
    {"addbmm", {"beta", "input", "alpha", "batch1", "batch2"}},
    {"addbmm", {"beta", "input", "batch1", "batch2"}},
    {"baddbmm", {"beta", "input", "alpha", "batch1", "batch2"}},
    {"baddbmm", {"beta", "input", "batch1", "batch2"}},
};

bool is_form_of(const std::string& name, const char* op) {
  return name.starts_with(op) && (name.size() == std::strlen(op) || name.substr(std::strlen(op)) == "_");
}

std::vector<const char*> order_of_call(const OldOrder& order, bool is_method) {
  std::vector<const char*> names;
  if (is_method) names.push_back("input");
  for (const char* name : order.params)
    if (!is_method || std::strcmp(name, "input") != 0) names.push_back(name);
  return names;
}

/// The names of all arguments of the call: those by position have the first of `order`.
PyRef names_of_arguments(const std::vector<const char*>& order, const CallArgs& call) {
  PyRef names = checked(PyTuple_New(call.count + call.keyword_count()));
  for (Py_ssize_t i = 0; i < call.count; ++i)
    PyTuple_SET_ITEM(names.get(), i, Py_NewRef(interned(order[size_t(i)])));
  for (Py_ssize_t k = 0; k < call.keyword_count(); ++k)
    PyTuple_SET_ITEM(names.get(), call.count + k, Py_NewRef(PyTuple_GET_ITEM(call.kwnames, k)));
  return names;
}

void warn_of_old_order(const Overloads& overloads, const std::vector<const char*>& order) {
  std::string text = "This overload of " + overloads.name + " is deprecated:\n\t" + overloads.name + "(";
  for (size_t i = overloads.is_method ? 1 : 0; i < order.size(); ++i)
    text += std::string(text.back() == '(' ? "" : ", ") + order[i];
  text += ")\nConsider using one of the following signatures instead:";
  for (const Signature& signature : overloads.signatures)
    text += "\n\t" + overloads.name + signature_text(signature);
  check_status(PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1));
}

}  // namespace

bool bind_old_order(const Overloads& overloads, const CallArgs& call, BoundCall* bound) {
  for (const OldOrder& row : kOldOrders) {
    if (!is_form_of(overloads.name, row.op)) continue;
    const std::vector<const char*> order = order_of_call(row, overloads.is_method);
    if (call.count > Py_ssize_t(order.size())) continue;
    const PyRef names = names_of_arguments(order, call);
    if (!try_bind(overloads.signatures[0], {call.args, 0, names.get()}, bound)) continue;
    warn_of_old_order(overloads, order);
    return true;
  }
  return false;
}

}  // namespace framejit::bindings
