// einsum: operands are brought to one order of labels, then multiplied pairwise with bmm.
#include <algorithm>

#include "eager/allocate.h"
#include "eager/composite/support.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/joining.h"
#include "generated/ops/matmul.h"
#include "generated/ops/reduction.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

/// A parsed equation. Dims that "..." stands for get labels of their own ('\1', '\2', ...), counted from the
/// right.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

std::string expand_ellipsis(const std::string& term, int ellipsis_rank) {
  std::string labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term[i] == ' ') continue;
    if (term[i] != '.') {
      FRAMEJIT_CHECK(std::isalpha(static_cast<unsigned char>(term[i])),
                     "einsum(): invalid subscript given at index ", i,
                     " in the equation string, subscripts must be in [a-zA-Z]");
      labels += term[i];
      continue;
    }
    FRAMEJIT_CHECK(term.compare(i, 3, "...") == 0, "einsum(): found '.' that is not part of any ellipsis");
    for (int k = ellipsis_rank; k > 0; --k) labels += char(k);
    i += 2;
  }
  return labels;
}

int letters_in(const std::string& term) {
  return int(std::count_if(term.begin(), term.end(), [](unsigned char c) { return std::isalpha(c); }));
}

std::vector<std::string> split_terms(const std::string& text) {
  std::vector<std::string> terms(1);
  for (char c : text) {
    if (c == ',')
      terms.emplace_back();
    else
      terms.back() += c;
  }
  return terms;
}

/// Labels that occur once, in alphabetical order, after those of the ellipsis.
std::string implicit_result(const std::vector<std::string>& operands, int ellipsis_rank) {
  std::string all, result;
  for (const std::string& labels : operands) all += labels;
  for (int k = ellipsis_rank; k > 0; --k) result += char(k);
  std::sort(all.begin(), all.end());
  for (char c : all)
    if (c > 32 && std::count(all.begin(), all.end(), c) == 1) result += c;
  return result;
}

Equation parse(const std::string& text, const std::vector<Tensor>& tensors) {
  const size_t arrow = text.find("->");
  const std::vector<std::string> terms = split_terms(text.substr(0, arrow));
  FRAMEJIT_CHECK(
      terms.size() == tensors.size(), "einsum(): ", terms.size() > tensors.size() ? "more" : "fewer",
      " operands were provided in the equation than tensors: ", terms.size(), " and ", tensors.size());
  int ellipsis_rank = 0;
  for (size_t i = 0; i < terms.size(); ++i)
    if (terms[i].find('.') != std::string::npos)
      ellipsis_rank = std::max(ellipsis_rank, tensors[i].dim() - letters_in(terms[i]));
  std::string letters;
  for (const std::string& term : terms) letters += term;
  std::sort(letters.begin(), letters.end());
  letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
  check_rank(ellipsis_rank + letters_in(letters));
  Equation equation;
  for (size_t i = 0; i < terms.size(); ++i) {
    const int own = std::max(0, tensors[i].dim() - letters_in(terms[i]));
    equation.operands.push_back(expand_ellipsis(terms[i], own));
    FRAMEJIT_CHECK(int(equation.operands[i].size()) == tensors[i].dim(),
                   "einsum(): the number of subscripts in the "
                   "equation (",
                   equation.operands[i].size(), ") does not match the number of dimensions (",
                   tensors[i].dim(), ") for operand ", i, " and no ellipsis was given");
  }
  equation.result = arrow == std::string::npos ? implicit_result(equation.operands, ellipsis_rank)
                                               : expand_ellipsis(text.substr(arrow + 2), ellipsis_rank);
  return equation;
}

/// A tensor with a label for each dim.
struct Labelled {
  Tensor tensor;
  std::string labels;

  bool has(char label) const { return labels.find(label) != std::string::npos; }
};

/// Repeated labels (a trace) become one: the diagonal.
Labelled take_diagonals(Labelled x) {
  for (size_t i = 0; i < x.labels.size(); ++i) {
    const size_t again = x.labels.find(x.labels[i], i + 1);
    if (again == std::string::npos) continue;
    const char label = x.labels[i];
    x.tensor = diagonal(x.tensor, 0, int64_t(i), int64_t(again));
    x.labels.erase(again, 1);
    x.labels.erase(i, 1);
    x.labels += label;  // the diagonal is the last dim
    return take_diagonals(std::move(x));
  }
  return x;
}

/// Sums over the labels that nobody needs any more; sums of integers are int64.
Labelled sum_unneeded(Labelled x, const std::string& needed) {
  Dims dims;
  std::string left;
  for (size_t i = 0; i < x.labels.size(); ++i) {
    if (needed.find(x.labels[i]) == std::string::npos)
      dims.push_back(int64_t(i));
    else
      left += x.labels[i];
  }
  if (dims.empty()) return x;
  return {sum(x.tensor, dims), left};
}

/// With its dims in the order of `labels`, and dims of size 1 for those it has not.
Tensor arranged(const Labelled& x, const std::string& labels) {
  Dims order;
  for (char label : labels)
    if (x.has(label)) order.push_back(int64_t(x.labels.find(label)));
  Tensor tensor = permute(x.tensor, order);
  for (size_t i = 0; i < labels.size(); ++i)
    if (!x.has(labels[i])) tensor = unsqueeze(tensor, int64_t(i));
  return tensor;
}

SymInt size_of(const Labelled& x, char label) {
  return x.has(label) ? x.tensor.size(int(x.labels.find(label))) : SymInt(1);
}

/// Product of two, summed over what only they share: batch, left, right and summed labels, as one bmm.
Labelled contract(const Labelled& a, const Labelled& b, const std::string& needed) {
  std::string batch, left, right, summed;
  for (char label : a.labels) {
    const bool shared = b.has(label), kept = needed.find(label) != std::string::npos;
    (shared ? (kept ? batch : summed) : left) += label;
  }
  for (char label : b.labels)
    if (!a.has(label)) right += label;
  Dims batch_sizes, sum_sizes, result_sizes;
  SymInt sum_count = 1, left_count = 1, right_count = 1;
  const auto joint = [&](char label) {
    const SymInt x = size_of(a, label), y = size_of(b, label);
    FRAMEJIT_CHECK(x == y || x == 1 || y == 1,
                   "einsum(): operands do not broadcast with remapped shapes: label '", label, "' has sizes ",
                   x.str(), " and ", y.str());
    return x == 1 ? y : x;
  };
  for (char label : batch) batch_sizes.push_back(joint(label));
  for (char label : summed) sum_sizes.push_back(joint(label)), sum_count = sum_count * joint(label);
  result_sizes = batch_sizes;
  for (char label : left)
    result_sizes.push_back(size_of(a, label)), left_count = left_count * size_of(a, label);
  for (char label : right)
    result_sizes.push_back(size_of(b, label)), right_count = right_count * size_of(b, label);
  const DType dtype = a.tensor.dtype() == b.tensor.dtype() || !is_integral(a.tensor.dtype(), true)
                          ? a.tensor.dtype()
                          : promote(a.tensor.dtype(), b.tensor.dtype());  // one is a sum of integers
  const auto matrix = [&](const Labelled& x, const std::string& rows, const std::string& columns,
                          SymInt row_count, SymInt column_count) {
    Dims sizes;
    for (char label : batch) sizes.push_back(joint(label));
    for (char label : rows + columns)
      sizes.push_back(summed.find(label) == std::string::npos ? size_of(x, label) : joint(label));
    const Tensor arranged_x = arranged(x, batch + rows + columns);
    const Tensor wide = expand(arranged_x.dtype() == dtype ? arranged_x : cast(arranged_x, dtype), sizes);
    return reshape(wide, {numel(batch_sizes).bits(), row_count.bits(), column_count.bits()});
  };
  const Tensor product =
      bmm(matrix(a, left, summed, left_count, sum_count), matrix(b, summed, right, sum_count, right_count));
  return {reshape(product, result_sizes), batch + left + right};
}

}  // namespace

void einsum_composite(const Value* args, Value* results) {
  const std::vector<Tensor>& tensors = args[1].tensor_list();
  FRAMEJIT_CHECK(!tensors.empty(), "einsum(): must provide at least one operand");
  const Equation equation = parse(args[0].string(), tensors);
  const auto needed_after = [&](size_t i) {
    std::string needed = equation.result;
    for (size_t k = i + 1; k < tensors.size(); ++k) needed += equation.operands[k];
    return needed;
  };
  Labelled product = take_diagonals({tensors[0], equation.operands[0]});
  for (size_t i = 1; i < tensors.size(); ++i) {
    const Labelled next = take_diagonals({tensors[i], equation.operands[i]});
    product = sum_unneeded(std::move(product), needed_after(i - 1));
    product = contract(product, sum_unneeded(next, needed_after(i) + product.labels), needed_after(i));
  }
  product = sum_unneeded(std::move(product), equation.result);
  for (char label : equation.result)
    FRAMEJIT_CHECK(product.has(label), "einsum(): output subscript ", label,
                   " does not appear in the equation for any input operand");
  results[0] = arranged(product, equation.result);
}

}  // namespace framejit::eager
