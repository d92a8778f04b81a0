#include "framejit/bindings/signature.h"

#include <memory>
#include <set>

#include "framejit/bindings/python.h"

namespace framejit::bindings {
namespace {

using eager::ArgType;
using eager::OpKind;
using eager::SchemaArg;

struct NameAlias {
  const char* name;
  std::vector<const char*> aliases;
};
/// NumPy's names for our parameters, and those of torch.split, accepted wherever the parameter is (as PyTorch
/// does).
const NameAlias kAliases[] = {{"dim", {"axis"}},
                              {"keepdim", {"keepdims"}},
                              {"input", {"x", "a", "x1", "tensor"}},
                              {"other", {"x2"}},
                              {"split_size", {"split_size_or_sections"}}};

/// Whether the op makes a tensor from no data, or like another one.
bool is_factory(const eager::Op& op) {
  bool kind = op.kind == OpKind::creation || op.kind == OpKind::random || op.kind == OpKind::composite;
  bool has_dtype = false, has_device = false;
  for (const SchemaArg& arg : op.schema.args) {
    has_dtype |= arg.kw_only && arg.type == ArgType::dtype;
    has_device |= arg.kw_only && arg.type == ArgType::device;
  }
  return kind && has_dtype && has_device;
}

/// Numbers stand for operands that take part in promotion, except for the one that decides alone.
bool takes_number(const eager::Op& op, size_t index) {
  const ArgType type = op.schema.args[index].type;
  const bool is_operand = type == ArgType::tensor || type == ArgType::optional_tensor;
  const bool decides = op.dtype_rule == eager::DTypeRule::first && index == 0;
  return op.wraps_numbers && is_operand && !decides && !(op.unpromoted >> index & 1);
}

Param make_param(const eager::Op& op, size_t index) {
  const SchemaArg& arg = op.schema.args[index];
  Param param{&arg, nullptr, {}, takes_number(op, index)};
  if (op.extension) {  // an op of framejit.library: its names are its author's
    param.name = interned(arg.name.c_str());
    return param;
  }
  std::string name = arg.name == "self" ? "input" : arg.name;
  param.name = interned(name.c_str());
  for (const NameAlias& row : kAliases)
    if (name == row.name)
      for (const char* alias : row.aliases) param.aliases.push_back(interned(alias));
  return param;
}

Signature make_signature(const eager::Op& op, bool is_method) {
  Signature signature;
  signature.op = &op;
  signature.is_method = is_method;
  for (size_t i = 0; i < op.schema.args.size(); ++i) {
    signature.params.push_back(make_param(op, i));
    if (!op.schema.args[i].kw_only) ++signature.positional;
  }
  FRAMEJIT_INTERNAL(int(signature.params.size()) <= kMaxArgs, op.full_name);
  int first = is_method ? 1 : 0;
  if (signature.positional > first && !op.extension) {
    eager::ArgType last = signature.params[size_t(signature.positional - 1)].arg->type;
    bool only_ints = signature.positional == first + 1 && last == ArgType::integer_list;
    signature.spreads_last = only_ints || last == ArgType::tensor_list;
  }
  signature.is_factory = is_factory(op);
  const eager::Schema& schema = op.schema;
  if (op.extension) return signature;
  const bool new_tensors = schema.result_count > 0 && !schema.returns_number;
  signature.copies_to_out = !is_method && new_tensors && op.mutated < 0 && op.kind != OpKind::view;
  if (signature.is_factory || op.dtype_rule == eager::DTypeRule::sum)
    for (size_t i = 0; i < op.schema.args.size(); ++i)
      if (op.schema.args[i].type == ArgType::dtype) signature.dtype_from_out = int(i);
  return signature;
}

std::string default_text(const SchemaArg& arg) {
  const eager::Value& value = *arg.default_value;
  switch (value.tag()) {
    case eager::Value::Tag::sym_int:
      return std::to_string(value.integer());
    case eager::Value::Tag::real:
      return eager::concat(value.real());
    case eager::Value::Tag::boolean:
      return value.boolean() ? "True" : "False";
    case eager::Value::Tag::string:
      return "\"" + value.string() + "\"";
    case eager::Value::Tag::dtype:
      return eager::concat("framejit.", eager::dtype_name(value.dtype()));
    case eager::Value::Tag::int_list: {
      std::string text = "(";
      for (eager::SymInt entry : value.int_list()) text += (text.size() > 1 ? ", " : "") + entry.str();
      return text + (value.int_list().size() == 1 ? ",)" : ")");
    }
    default:
      return "None";
  }
}

}  // namespace

const Overloads* make_overloads(const std::string& name, bool is_method) {
  return make_overloads(name, eager::find_overloads(name), is_method);
}

const Overloads* make_overloads(const std::string& name, std::span<const eager::Op* const> ops,
                                bool is_method) {
  auto overloads = std::make_unique<Overloads>();
  overloads->name = name;
  overloads->is_method = is_method;
  std::vector<Signature>& signatures = overloads->signatures;
  for (const eager::Op* op : ops) {
    if (op->kind == OpKind::out) {  // out= is one more argument of the row that it is derived from
      for (Signature& signature : signatures)
        if (signature.op == op->functional) signature.out_op = op;
    } else if (is_method ? op->is_method : op->is_function) {
      signatures.push_back(make_signature(*op, is_method));
    }
  }
  return signatures.empty() ? nullptr : overloads.release();
}

std::vector<std::string> op_names() {
  std::set<std::string> names;
  for (const eager::Op& op : eager::all_ops()) {
    names.insert(op.schema.name);
    names.insert(op.aliases.begin(), op.aliases.end());
  }
  return {names.begin(), names.end()};
}

std::string type_text(const SchemaArg& arg) {
  switch (arg.type) {
    case ArgType::tensor:
    case ArgType::optional_tensor:
      return "Tensor";
    case ArgType::tensor_list:
    case ArgType::optional_tensor_list:
      return "tuple of Tensors";
    case ArgType::integer:
      return "int";
    case ArgType::integer_list:
      return "tuple of ints";
    case ArgType::real:
      return "float";
    case ArgType::boolean:
      return "bool";
    case ArgType::scalar:
      return "Number";
    case ArgType::string:
      return "str";
    case ArgType::dtype:
      return "framejit.dtype";
    case ArgType::device:
      return "framejit.device";
    case ArgType::generator:
      return "framejit.Generator";
    case ArgType::real_list:
      return "tuple of floats";
    case ArgType::bool_list:
      return "tuple of bools";
  }
  return "?";
}

std::string signature_text(const Signature& signature) {
  std::string text = "(";
  bool keyword_only = false;
  auto separate = [&] {
    if (text.size() > 1) text += ", ";
  };
  for (size_t i = signature.is_method ? 1 : 0; i < signature.params.size(); ++i) {
    const Param& param = signature.params[i];
    separate();
    if (param.arg->kw_only && !std::exchange(keyword_only, true)) text += "*, ";
    text += type_text(*param.arg) + " " + PyUnicode_AsUTF8(param.name);
    if (param.arg->default_value)
      text += " = " + default_text(*param.arg);
    else if (param.arg->optional && param.arg->kw_only)
      text += " = None";
  }
  if (signature.copies_to_out) {
    separate();
    const char* type = signature.op->schema.result_count == 1 ? "Tensor" : "tuple of Tensors";
    text += std::string(keyword_only ? "" : "*, ") + type + " out = None";
  }
  return text + ")";
}

}  // namespace framejit::bindings
