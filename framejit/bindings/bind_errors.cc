// TypeErrors of the argument binder, in PyTorch's words. Cold: runs only when no overload fits.
#include "framejit/bindings/arg_binder.h"
#include "framejit/bindings/arg_reader.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_object.h"

namespace framejit::bindings {
namespace {

std::string type_name(PyObject* object) {
  if (is_plain_tensor(object)) return "Tensor";
  std::string name = Py_TYPE(object)->tp_name;
  return name.starts_with("framejit.") || name.find('.') == std::string::npos
             ? name
             : name.substr(name.rfind('.') + 1);
}

/// "tuple of (int, str)": sequences show what is in them.
std::string got_text(PyObject* object) {
  std::string text = type_name(object);
  if (!PyTuple_Check(object) && !PyList_Check(object)) return text;
  constexpr Py_ssize_t kShown = 4;
  Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  text += " of (";
  for (Py_ssize_t i = 0; i < std::min(count, kShown); ++i)
    text += (i ? ", " : "") + type_name(PySequence_Fast_GET_ITEM(object, i));
  return text + (count > kShown ? ", ...)" : ")");
}

/// "(Tensor, str, dim=int)"
std::string call_text(const CallArgs& call, Py_ssize_t first) {
  std::string text = "(";
  for (Py_ssize_t i = first; i < call.count + call.keyword_count(); ++i) {
    if (i > first) text += ", ";
    if (i >= call.count) text += text_of(PyTuple_GET_ITEM(call.kwnames, i - call.count)) + "=";
    text += got_text(call.args[i]);
  }
  return text + ")";
}

/// What does not fit when there is one overload only.
class Misfit {
 public:
  Misfit(const std::string& name, const Signature& signature, const CallArgs& call)
      : name_(name), signature_(signature), call_(call), first_(signature.is_method ? 1 : 0) {}

  std::string text() const {
    if (call_.count > signature_.positional && !signature_.spreads_last) return too_many();
    std::string missing;
    int missing_count = 0;
    for (int i = first_; i < int(signature_.params.size()); ++i) {
      const Param& param = signature_.params[size_t(i)];
      PyObject* given = argument(i);
      eager::Value ignored;
      if (given && !read_argument(param, given, &ignored) && !is_spread(i))
        return wrong_type(param, i, given);
      bool required = !param.arg->default_value && !(param.arg->optional && param.arg->kw_only);
      if (given || !required) continue;
      missing += (missing_count++ ? ", \"" : "\"") + text_of(param.name) + "\"";
    }
    if (missing_count > 0)
      return eager::concat(name_, "() missing ", missing_count, " required positional arguments: ", missing);
    return unexpected_keyword();
  }

 private:
  PyObject* argument(int i) const {
    if (i < call_.count) return call_.args[i];
    Py_ssize_t keyword = find_keyword(call_, signature_.params[size_t(i)]);
    return keyword < 0 ? nullptr : call_.args[call_.count + keyword];
  }
  /// The first of several ints (or tensors) that stand for a list.
  bool is_spread(int i) const {
    eager::SymInt ignored;
    return signature_.spreads_last && i == signature_.positional - 1 && i < call_.count &&
           (read_int(call_.args[i], &ignored) || is_tensor(call_.args[i]));
  }
  std::string too_many() const {
    int most = signature_.positional - first_;
    int least = 0;
    for (int i = first_; i < signature_.positional; ++i)
      least += !signature_.params[size_t(i)].arg->default_value;
    Py_ssize_t got = call_.count - first_;
    return eager::concat(name_, "() takes ", least < most ? eager::concat("from ", least, " to ") : "", most,
                         " positional argument", most == 1 ? "" : "s", " but ", got,
                         got == 1 ? " was" : " were", " given");
  }
  std::string wrong_type(const Param& param, int i, PyObject* given) const {
    std::string place = i < call_.count ? eager::concat(" (position ", i - first_ + 1, ")") : "";
    return eager::concat(name_, "(): argument '", text_of(param.name), "'", place, " must be ",
                         type_text(*param.arg), ", not ", got_text(given));
  }
  /// The parameter that the k-th keyword names, or -1.
  int param_of_keyword(Py_ssize_t k) const {
    for (int i = 0; i < int(signature_.params.size()); ++i)
      if (find_keyword(call_, signature_.params[size_t(i)]) == k) return i;
    return -1;
  }
  std::string unexpected_keyword() const {
    for (Py_ssize_t k = 0; k < call_.keyword_count(); ++k) {
      PyObject* name = PyTuple_GET_ITEM(call_.kwnames, k);
      if (signature_.is_factory && is_factory_keyword(name)) continue;
      int param = param_of_keyword(k);
      if (param < 0)
        return eager::concat(name_, "() got an unexpected keyword argument '", text_of(name), "'");
      if (param < call_.count)
        return eager::concat(name_, "() got multiple values for argument '", text_of(name), "'");
    }
    return eager::concat(name_, "() got arguments ", call_text(call_, first_), ", expected ",
                         signature_text(signature_));
  }

  const std::string& name_;
  const Signature& signature_;
  const CallArgs& call_;
  int first_;
};

}  // namespace

void fail_to_bind(const Overloads& overloads, const CallArgs& call) {
  const std::vector<Signature>& signatures = overloads.signatures;
  if (signatures.size() == 1)
    eager::fail(eager::ErrorType::type, Misfit(overloads.name, signatures[0], call).text());
  std::string text = overloads.name + "() received an invalid combination of arguments - got " +
                     call_text(call, overloads.is_method ? 1 : 0) + ", but expected one of:";
  for (const Signature& signature : signatures) text += "\n * " + signature_text(signature);
  eager::fail(eager::ErrorType::type, text, "\n");
}

}  // namespace framejit::bindings
