// Binding the arguments of a call to the parameters of a Python function, as the interpreter does it.
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

std::string quoted(PyObject* name) { return std::string("'") + PyUnicode_AsUTF8(name) + "'"; }

}  // namespace

void Executor::bind_arguments(FunctionVar* function, PyCodeObject* code, const CallArgs& args,
                              std::vector<Var*>& locals) {
  auto positional_count = size_t(code->co_argcount);
  auto keyword_only_count = size_t(code->co_kwonlyargcount);
  size_t named = positional_count + keyword_only_count;
  bool has_rest = code->co_flags & CO_VARARGS, has_keywords = code->co_flags & CO_VARKEYWORDS;
  auto parameter = [&](size_t i) { return PyTuple_GET_ITEM(code->co_localsplusnames, Py_ssize_t(i)); };
  std::string name =
      PyUnicode_AsUTF8(function->qualified_name ? function->qualified_name.get() : code->co_qualname);

  size_t given = std::min(args.size(), positional_count);
  for (size_t i = 0; i < given; ++i) locals[i] = args[i];
  if (args.size() > positional_count && !has_rest)
    break_here(BreakId::raises, "TypeError: " + name + "() got too many positional arguments");
  if (has_rest) {
    std::vector<Var*> rest(args.positional.begin() + Py_ssize_t(given), args.positional.end());
    locals[named] = tuple(std::move(rest));
  }
  DictVar* more = nullptr;
  if (has_keywords) locals[named + has_rest] = more = dict();

  for (auto& [keyword, value] : args.keywords) {
    size_t i = size_t(code->co_posonlyargcount);
    while (i < named && PyUnicode_Compare(parameter(i), keyword)) ++i;
    if (i < named && locals[i]->kind != Kind::null)
      break_here(BreakId::raises,
                 "TypeError: " + name + "() got multiple values for argument " + quoted(keyword));
    if (i < named)
      locals[i] = value;
    else if (more)
      more->table.set(key_of(constant(keyword)), value);
    else
      break_here(BreakId::raises,
                 "TypeError: " + name + "() got an unexpected keyword argument " + quoted(keyword));
  }

  size_t first_default = positional_count - std::min(positional_count, function->defaults.size());
  for (size_t i = 0; i < positional_count; ++i) {
    if (locals[i]->kind != Kind::null) continue;
    if (i < first_default)
      break_here(BreakId::raises, "TypeError: " + name + "() missing argument " + quoted(parameter(i)));
    locals[i] = function->defaults[i - first_default];
  }
  for (size_t i = positional_count; i < named; ++i) {
    if (locals[i]->kind != Kind::null) continue;
    DictVar* defaults = as<DictVar>(function->kw_defaults);
    Var* value = defaults ? dict_get(defaults, constant(parameter(i))) : nullptr;
    if (!value)
      break_here(BreakId::raises,
                 "TypeError: " + name + "() missing keyword argument " + quoted(parameter(i)));
    locals[i] = value;
  }
}

}  // namespace framejit::symbolic
