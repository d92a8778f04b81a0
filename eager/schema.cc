#include "eager/schema.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <string_view>

#include "eager/error.h"

namespace framejit::eager {

namespace {

struct TypeName {
  const char* text;
  ArgType type;
};
constexpr TypeName kScalarTypes[] = {
    {"Tensor", ArgType::tensor},       {"int", ArgType::integer},      {"SymInt", ArgType::integer},
    {"float", ArgType::real},          {"bool", ArgType::boolean},     {"Scalar", ArgType::scalar},
    {"str", ArgType::string},          {"ScalarType", ArgType::dtype}, {"Device", ArgType::device},
    {"Generator", ArgType::generator},
};

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Schema parse() {
    Schema schema;
    schema.name = name();
    if (accept(".")) schema.overload = identifier();
    expect("(");
    bool kw_only = false;
    for (bool first = true; !accept(")"); first = false) {
      if (!first) expect(",");
      if (accept("*"))
        kw_only = true;
      else
        schema.args.push_back(argument(kw_only));
    }
    expect("->");
    parse_results(schema);
    if (at_ < text_.size()) error("end of text");
    return schema;
  }

 private:
  [[noreturn]] void error(const std::string& expected) const {
    fail(ErrorType::value, "schema: expected ", expected, " at position ", at_, " of \"", text_, "\"");
  }
  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(std::string_view token) {
    skip_space();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) error("'" + std::string(token) + "'");
  }
  std::string take_while(bool (*accepted)(char)) {
    skip_space();
    size_t start = at_;
    while (at_ < text_.size() && accepted(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }
  std::string identifier() {
    std::string word =
        take_while([](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
    if (word.empty()) error("a name");
    return word;
  }
  std::string name() {
    std::string word = identifier();
    if (accept("::")) word += "::" + identifier();
    return word;
  }

  /// "Tensor(a!)?[]", "int[2]?", ... into the type fields of `arg`.
  void parse_type(SchemaArg& arg) {
    std::string word = identifier();
    auto known = std::ranges::find_if(kScalarTypes, [&](const TypeName& row) { return word == row.text; });
    if (known == std::end(kScalarTypes)) error("a type (Tensor, int, float, ...)");
    arg.type = known->type;
    if (accept("(")) {
      take_while([](char c) { return bool(std::isalnum(static_cast<unsigned char>(c))); });
      arg.mutated = accept("!");
      arg.aliased = !arg.mutated;
      expect(")");
    }
    bool optional_entry = accept("?");
    if (accept("[")) {
      arg.list_size = std::atoi(
          take_while([](char c) { return bool(std::isdigit(static_cast<unsigned char>(c))); }).c_str());
      expect("]");
      arg.type = list_of(arg.type, optional_entry);
      arg.optional = accept("?");
    } else if (optional_entry) {
      arg.optional = true;
      if (arg.type == ArgType::tensor) arg.type = ArgType::optional_tensor;
    }
  }
  ArgType list_of(ArgType type, bool optional_entry) const {
    switch (type) {
      case ArgType::tensor:
        return optional_entry ? ArgType::optional_tensor_list : ArgType::tensor_list;
      case ArgType::integer:
        return ArgType::integer_list;
      case ArgType::real:
        return ArgType::real_list;
      case ArgType::boolean:
        return ArgType::bool_list;
      default:
        error("a list of Tensor, int, float or bool");
    }
  }

  SchemaArg argument(bool kw_only) {
    SchemaArg arg;
    parse_type(arg);
    arg.kw_only = kw_only;
    arg.name = identifier();
    if (accept("=")) arg.default_value = default_value(arg);
    return arg;
  }

  Value default_value(const SchemaArg& arg) {
    if (accept("None")) return Value();
    if (accept("True")) return Value(true);
    if (accept("False")) return Value(false);
    if (accept("[")) return list_default(arg);
    for (const char* quote : {"'", "\""})
      if (accept(quote)) return string_default(*quote);
    Value number = number_default();
    if (arg.type == ArgType::integer_list)
      return Value(std::vector<SymInt>(std::max(arg.list_size, 1), number.sym_int()));
    if (arg.type == ArgType::real) return Value(number.real());
    return number;
  }
  Value string_default(char quote) {
    const size_t end = std::min(text_.find(quote, at_), text_.size());
    std::string content = text_.substr(at_, end - at_);
    at_ = end;
    expect(std::string(1, quote));
    return Value(content);
  }
  Value number_default() {
    std::string word = take_while([](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '+';
    });
    if (word.empty()) error("a default value");
    constexpr double kInf = std::numeric_limits<double>::infinity();
    if (word == "inf") return Value(kInf);
    if (word == "-inf") return Value(-kInf);
    size_t used = 0;
    bool integral = word.find_first_of(".e") == std::string::npos;
    try {
      Value value = integral ? Value(int64_t(std::stoll(word, &used))) : Value(std::stod(word, &used));
      if (used == word.size()) return value;
    } catch (const std::logic_error&) {  // stoll and stod: not a number, or out of range
    }
    error("a number instead of " + word);
  }
  Value list_default(const SchemaArg& arg) {
    std::vector<SymInt> entries;
    while (!accept("]")) {
      if (!entries.empty()) expect(",");
      entries.push_back(number_default().sym_int());
    }
    if (arg.type == ArgType::real_list) return Value(std::vector<double>(entries.size(), 0));
    return Value(std::move(entries));
  }

  void parse_results(Schema& schema) {
    if (!accept("(")) {
      parse_result(schema);
      schema.result_count = 1;
      return;
    }
    schema.result_count = 0;
    while (!accept(")")) {
      if (schema.result_count++ > 0) expect(",");
      parse_result(schema);
    }
  }
  void parse_result(Schema& schema) {
    SchemaArg type;
    parse_type(type);
    schema.returns_list = type.type == ArgType::tensor_list;
    schema.returns_number =
        type.type == ArgType::scalar || type.type == ArgType::boolean || type.type == ArgType::integer;
    skip_space();
    if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')')
      schema.result_names.push_back(identifier());
  }

  const std::string& text_;
  size_t at_ = 0;
};

const char* base_name(ArgType type) {
  switch (type) {
    case ArgType::tensor:
    case ArgType::optional_tensor:
    case ArgType::tensor_list:
    case ArgType::optional_tensor_list:
      return "Tensor";
    case ArgType::integer:
    case ArgType::integer_list:
      return "int";
    case ArgType::real:
    case ArgType::real_list:
      return "float";
    case ArgType::boolean:
    case ArgType::bool_list:
      return "bool";
    case ArgType::scalar:
      return "Scalar";
    case ArgType::string:
      return "str";
    case ArgType::dtype:
      return "ScalarType";
    case ArgType::device:
      return "Device";
    case ArgType::generator:
      return "Generator";
  }
  return "";
}

bool is_list(ArgType type) {
  return type == ArgType::tensor_list || type == ArgType::optional_tensor_list ||
         type == ArgType::integer_list || type == ArgType::real_list || type == ArgType::bool_list;
}

std::string type_text(const SchemaArg& arg) {
  std::string text = base_name(arg.type);
  if (arg.mutated || arg.aliased) text += arg.mutated ? "(a!)" : "(a)";
  if (arg.type == ArgType::optional_tensor_list) text += "?";
  if (is_list(arg.type)) text += arg.list_size ? concat("[", arg.list_size, "]") : "[]";
  return arg.optional ? text + "?" : text;
}

}  // namespace

std::string value_text(const Value& value) {
  switch (value.tag()) {
    case Value::Tag::none:
      return "None";
    case Value::Tag::sym_int:
      return value.sym_int().str();
    case Value::Tag::real: {
      std::string text = concat(value.real());
      bool plain = text.find_first_not_of("-0123456789") == std::string::npos;
      return plain ? text + ".0" : text;
    }
    case Value::Tag::complex:
      return concat("(", value.complex().real(), value.complex().imag() < 0 ? "" : "+",
                    value.complex().imag(), "j)");
    case Value::Tag::boolean:
      return value.boolean() ? "True" : "False";
    case Value::Tag::dtype:
      return dtype_name(value.dtype());
    case Value::Tag::device:
      return device_name(value.device());
    case Value::Tag::string:
      return "'" + value.string() + "'";
    case Value::Tag::int_list:
      return sizes_text(value.dims());
    case Value::Tag::real_list: {
      std::string text = "[";
      for (double entry : value.real_list()) text += (text.size() > 1 ? ", " : "") + value_text(Value(entry));
      return text + "]";
    }
    case Value::Tag::bool_list: {
      std::string text = "[";
      for (bool entry : value.bool_list()) text += (text.size() > 1 ? ", " : "") + value_text(Value(entry));
      return text + "]";
    }
    case Value::Tag::tensor:
      return concat("Tensor", sizes_text(value.impl()->meta.sizes));
    case Value::Tag::tensor_list:
      return concat("Tensor[", value.tensor_list().size(), "]");
    case Value::Tag::scalar_node:
      return "<traced number>";
    case Value::Tag::generator:
      return "<Generator>";
  }
  return "";
}

Schema Schema::parse(const std::string& text) { return Parser(text).parse(); }

std::string Schema::str() const {
  std::string text = name + (overload.empty() ? "" : "." + overload) + "(";
  bool starred = false;
  for (const SchemaArg& arg : args) {
    if (&arg != &args.front()) text += ", ";
    if (arg.kw_only && !starred) text += "*, ";
    starred |= arg.kw_only;
    text += type_text(arg) + " " + arg.name;
    if (arg.default_value) text += "=" + value_text(*arg.default_value);
  }
  text += ") -> ";
  if (result_count == 1 && result_names.empty())
    return text + (returns_number ? "Scalar" : returns_list ? "Tensor[]" : "Tensor");
  text += "(";
  for (int i = 0; i < result_count; ++i) {
    text += i ? ", Tensor" : "Tensor";
    if (i < int(result_names.size())) text += " " + result_names[i];
  }
  return text + ")";
}

int Schema::find(const std::string& arg_name) const {
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i].name == arg_name) return int(i);
  return -1;
}

}  // namespace framejit::eager
