#include "graph/parse.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "eager/error.h"

namespace framejit::graph {
namespace {

using eager::ErrorType;
using eager::SizeExpr;

class Parser {
 public:
  Parser(const std::string& text, const std::vector<eager::Tensor>& constants)
      : text_(text), constants_(constants), graph_(std::make_unique<Graph>()) {}

  std::unique_ptr<Graph> run() {
    expect("graph");
    expect("{");
    while (!accept("}")) statement();
    if (peek()) fail("the end of the text");
    if (!graph_->result) fail("a return statement");
    return std::move(graph_);
  }

 private:
  // --- characters ---
  void skip_space() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#' && (at_ == 0 || text_[at_ - 1] == ' ' || text_[at_ - 1] == '\n')) {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      } else {
        return;
      }
    }
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : 0;
  }
  bool accept(const std::string& token) {
    skip_space();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    bool is_word = std::isalnum(static_cast<unsigned char>(token.back()));
    if (is_word && at_ + token.size() < text_.size() && is_word_char(text_[at_ + token.size()])) return false;
    at_ += token.size();
    return true;
  }
  void expect(const std::string& token) {
    if (!accept(token)) fail("'" + token + "'");
  }
  [[noreturn]] void fail(const std::string& expected) {
    skip_space();
    auto line = 1 + std::count(text_.begin(), text_.begin() + long(at_), '\n');
    auto end = text_.find('\n', at_);
    eager::fail(ErrorType::value, "graph text, line ", line, ": expected ", expected, ", got '",
                text_.substr(at_, end == std::string::npos ? end : end - at_), "'");
  }
  [[noreturn]] void fail_at(size_t place, const std::string& expected) {
    at_ = place;
    fail(expected);
  }
  static bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  std::string word(bool dotted = false) {
    skip_space();
    size_t start = at_;
    while (at_ < text_.size() && (is_word_char(text_[at_]) || (dotted && text_[at_] == '.'))) ++at_;
    if (at_ == start) fail("a name");
    return text_.substr(start, at_ - start);
  }
  int64_t integer() {
    skip_space();
    int64_t value = 0;
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("an integer");
    at_ = size_t(end - text_.data());
    return value;
  }

  // --- sizes: the usual precedence of + - under * // % ---
  SymInt size() {
    SymInt value = product();
    while (true) {
      if (accept("+"))
        value = value + product();
      else if (accept("-"))
        value = value - product();
      else
        return value;
    }
  }
  SymInt product() {
    SymInt value = size_atom();
    while (true) {
      if (accept("//"))
        value = floor_div(value, size_atom());
      else if (accept("*"))
        value = value * size_atom();
      else if (peek() == '%' && text_.compare(at_, 2, "% ") == 0 && accept("%"))
        value = floor_mod(value, size_atom());
      else
        return value;
    }
  }
  SymInt size_atom() {
    if (accept("(")) {
      SymInt value = size();
      expect(")");
      return value;
    }
    bool is_max = accept("max");
    if (is_max || accept("min")) {
      expect("(");
      SymInt left = size();
      expect(",");
      SymInt right = size();
      expect(")");
      return is_max ? sym_max(left, right) : sym_min(left, right);
    }
    if (peek() == 's') {
      ++at_;
      return SymInt(SizeExpr::symbol(integer()));
    }
    return integer();
  }
  eager::Dims sizes(const std::string& close) {
    eager::Dims dims;
    if (accept(close)) return dims;
    do {
      dims.push_back(size());
    } while (accept(","));
    expect(close);
    return dims;
  }

  /// As eager::contiguous_strides, but by expression: symbols have no hints here that could be compared.
  static eager::Dims contiguous(const eager::Dims& sizes) {
    eager::Dims strides(sizes.size());
    SymInt stride = 1;
    for (int i = sizes.size() - 1; i >= 0; --i) {
      strides[i] = stride.bits();
      if (sizes[i] != 0) stride = stride * sizes.sym(i);
    }
    return strides;
  }

  // --- types and arguments ---
  std::optional<DType> dtype() {
    for (int i = 0; i < eager::kDTypeCount; ++i)
      if (accept(eager::dtype_name(DType(i)))) return DType(i);
    return {};
  }
  eager::Device device() {
    for (auto type : {eager::DeviceType::cpu, eager::DeviceType::cuda, eager::DeviceType::meta}) {
      std::string name = eager::device_name({type, 0});
      if (!accept(name.substr(0, name.find(':')))) continue;
      return {type, int8_t(accept(":") ? integer() : 0)};
    }
    fail("a device");
  }
  ValueMeta meta() {
    ValueMeta meta;
    auto type = dtype();
    if (!type) fail("a dtype");
    meta.tensor.dtype = *type;
    meta.is_scalar = !accept("[");
    if (meta.is_scalar) return meta;
    meta.tensor.sizes = sizes("]");
    meta.tensor.strides = accept("{") ? sizes("}") : contiguous(meta.tensor.sizes);
    if (accept("@")) meta.tensor.device = device();
    meta.requires_grad = accept("grad");
    return meta;
  }
  std::vector<ValueMeta> metas() {
    std::vector<ValueMeta> metas;
    expect(":");
    do {
      metas.push_back(meta());
    } while (accept(","));
    return metas;
  }
  NodeOutput ref() {
    expect("%");
    size_t start = at_;
    auto found = by_name_.find(word());
    if (found == by_name_.end()) fail_at(start, "a node defined above");
    int index = 0;
    if (at_ < text_.size() && text_[at_] == '#') {
      ++at_;
      index = int(integer());
    }
    return {found->second, index};
  }
  Argument::List list(const std::string& close) {
    Argument::List items;
    if (accept(close)) return items;
    do {
      items.push_back(argument());
    } while (accept(","));
    expect(close);
    return items;
  }
  std::string quoted() {
    expect("'");
    std::string value;
    while (at_ < text_.size() && text_[at_] != '\'') {
      if (text_[at_] == '\\') ++at_;
      value += text_[at_++];
    }
    expect("'");
    return value;
  }
  /// A floating number, which is told from an int by its point, exponent or name.
  std::optional<double> real() {
    skip_space();
    double value = 0;
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) return {};
    std::string token(text_.data() + at_, end);
    if (token.find_first_of(".en") == std::string::npos) return {};
    at_ += token.size();
    return value;
  }
  std::complex<double> complex() {
    expect("(");
    double parts[2];
    for (int i = 0; i < 2; ++i) {
      std::optional<double> part = real();
      if (!part) fail("a floating number");
      parts[i] = *part;
      expect(i == 0 ? "," : ")");
    }
    return {parts[0], parts[1]};
  }
  Argument argument() {
    switch (peek()) {
      case '%':
        return {ref()};
      case '\'':
        return {quoted()};
      case '[':
        expect("[");
        return {list("]")};
      case '@':
        expect("@");
        return {device()};
      case '(':
        return {complex()};
    }
    if (accept("None")) return {};
    if (accept("True")) return {true};
    if (accept("False")) return {false};
    if (auto type = dtype()) return {*type};
    if (auto value = real()) return {*value};
    return {size()};
  }

  // --- statements ---
  void statement() {
    if (accept("return")) {
      graph_->output(peek() == '}' ? Argument::List{} : return_list());
    } else if (peek() == 's') {
      symbol_source();
    } else {
      expect("%");
      std::string name = word();
      expect("=");
      Node* node = definition(name);
      node->name = name;
      by_name_[name] = node;
    }
  }
  Argument::List return_list() {
    Argument::List items;
    do {
      items.push_back(argument());
    } while (accept(","));
    return items;
  }
  void symbol_source() {
    ++at_;
    auto number = size_t(integer());
    expect("=");
    Node* input = ref().node;
    auto found = std::find(graph_->inputs.begin(), graph_->inputs.end(), input);
    if (found == graph_->inputs.end()) fail("an input");
    int dim = -1;
    if (accept(".size(")) {
      dim = int(integer());
      expect(")");
    }
    if (graph_->symbol_sources.size() <= number) graph_->symbol_sources.resize(number + 1);
    graph_->symbol_sources[number] = {int(found - graph_->inputs.begin()), dim};
  }
  Node* definition(const std::string& name) {
    if (accept("input")) return graph_->placeholder(name, meta());
    Node* node = nullptr;
    if (accept("constant")) {
      auto number = size_t(integer());
      if (number >= constants_.size()) fail("the data of constant " + std::to_string(number));
      node = graph_->constant(constants_[number]);
      node->meta = metas();
    } else if (accept("scalar ")) {
      std::string target = word();
      expect("(");
      auto args = list(")");
      node = graph_->scalar_op(target, std::move(args), metas()[0].tensor.dtype);
    } else {
      skip_space();
      size_t start = at_;
      const eager::Op* op = eager::find_op(word(true));
      if (!op) fail_at(start, "an op");
      expect("(");
      auto args = list(")");
      node = graph_->call_op(*op, std::move(args), metas());
    }
    node->grad_mode = !accept("no_grad");
    return node;
  }

  const std::string& text_;
  const std::vector<eager::Tensor>& constants_;
  std::unique_ptr<Graph> graph_;
  std::map<std::string, Node*> by_name_;
  size_t at_ = 0;
};

}  // namespace

std::unique_ptr<Graph> parse(const std::string& text, const std::vector<eager::Tensor>& constants) {
  return Parser(text, constants).run();
}

}  // namespace framejit::graph
