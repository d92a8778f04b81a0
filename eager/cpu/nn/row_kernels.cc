// Eager softmax, variance and layer normalisation as row programs.
#include <algorithm>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loops/nest.h"
#include "eager/cpu/loops/row_calls.h"
#include "eager/cpu/loops/row_space.h"
#include "eager/cpu/nn/norm_rows.h"
#include "eager/cpu/nn/row_formulas.h"
#include "eager/cpu/nn/softmax_columns.h"
#include "eager/cpu/nn/softmax_rows.h"

namespace framejit::eager::cpu {
namespace {

/// Writes formulas into a tile program.
class ProgramBuilder {
 public:
  using Value = int;
  ProgramBuilder(Program& program, DType compute) : program_(program), compute_(compute) {}

  template <class... Values>
  Value op(const char* name, Values... values) {
    const Op& op = get_op(name);
    static constexpr double kParams[] = {1, 1, 1, 1};  // alpha of add and sub
    TileCall call = tile_call(op, compute_, compute_);
    call.params = kParams;
    call.param_count = 4;
    return program_.apply(call, {values...});
  }
  Value reduce(ReduceKind kind, Value value) { return program_.reduce(kind, value); }

 private:
  Program& program_;
  DType compute_;
};

/// A program that is being built together with the space it runs over.
class RowCall {
 public:
  RowCall(const Tensor& self, uint64_t reduced) : reduced_(reduced) {
    space_.sizes = self.sizes();
    space_.reduced = reduced;
  }
  Program program;

  int load(const Tensor& tensor, const Dims& strides, DType compute) {
    add(tensor, strides);
    return program.load(program.input(tensor.dtype()), compute);
  }
  int number(double value) {
    numbers_[number_count_].real = value;
    return number_count_++;
  }
  void store_full(int value, const Tensor& result) {
    add(result, result.strides());
    program.store(value, program.output(result.dtype()));
  }
  void store_row(int value, const Tensor& result) {
    add(result, kept_strides(result, space_.sizes.size(), reduced_));
    program.store(value, program.output(result.dtype(), Extent::row));
  }
  void run() {
    program.finish();
    cpu::run(prepare(program, space_), pointers_.data(), numbers_);
  }

 private:
  void add(const Tensor& tensor, const Dims& strides) {
    space_.strides.push_back(strides);
    pointers_.push_back(tensor.data());
  }
  uint64_t reduced_;
  Space space_;
  std::vector<void*> pointers_;
  Number numbers_[2];
  int number_count_ = 0;
};

int64_t reduced_count(const Tensor& self, uint64_t dims) {
  int64_t count = 1;
  for (int d = 0; d < self.dim(); ++d)
    if ((dims >> d) & 1) count *= self.sizes()[d];
  return count;
}

}  // namespace

namespace {

/// The rows of `self` along `dim` as the last dim, in memory as well.
Tensor with_rows_last(const Tensor& self, int dim) {
  Dims sizes = self.sizes(), strides = self.strides();
  sizes.push_back(sizes[dim]);
  strides.push_back(strides[dim]);
  sizes.erase(dim);
  strides.erase(dim);
  return reshaped_view(self, std::move(sizes), std::move(strides));
}

/// Rows whose elements lie apart are slow to walk; from this size of a tensor on they are copied.
constexpr int64_t kWorthCopying = 4096;

}  // namespace

void run_softmax(const Tensor& self, int dim, bool log, const Tensor& result) {
  const bool plain = result.is_contiguous() && result.dtype() == self.dtype();
  if (plain && are_softmax_rows(self, dim)) return softmax_rows(self, log, result);
  if (plain && has_softmax_columns(self, dim)) return softmax_columns(self, dim, log, result);
  if (dim != self.dim() - 1 && self.sizes()[dim] > 1 && self.numel() >= kWorthCopying) {
    const Tensor rows = contiguous(with_rows_last(self, dim)),
                 out = Tensor::empty(rows.sizes(), result.dtype());
    run_softmax(rows, rows.dim() - 1, log, out);
    return copy_elements(out, with_rows_last(result, dim));
  }
  RowCall call(self, self.dim() == 0 ? 0 : uint64_t(1) << dim);
  const DType compute = wider_type(result.dtype());
  ProgramBuilder builder(call.program, compute);
  int x = call.load(self, self.strides(), compute);
  call.store_full(log ? log_softmax_formula(builder, x) : softmax_formula(builder, x), result);
  call.run();
}

/// Whether columns are reduced, with rows between one element of them and the next.
static bool reduces_columns(const Tensor& self, uint64_t dims) {
  const int last = self.dim() - 1;
  return last > 0 && self.is_contiguous() && !(dims >> last & 1) && self.sizes()[last] > 1;
}

void run_var(const Tensor& self, uint64_t dims, double correction, const Tensor& result) {
  const DType compute = wider_type(result.dtype());
  Tensor mean;
  if (reduces_columns(self, dims)) {  // in a pass of its own, row by row
    mean = Tensor::empty(reduced_sizes(self.sizes(), dims, true), compute);
    run_reduction(ReduceKind::mean, self, dims, mean);
  }
  RowCall call(self, dims);
  ProgramBuilder builder(call.program, compute);
  const int x = call.load(self, self.strides(), compute);
  const int centre = mean.defined() ? call.load(mean, broadcast_strides(Operand(mean), self.sizes()), compute)
                                    : builder.reduce(ReduceKind::mean, x);
  const double divisor = std::max(0.0, double(reduced_count(self, dims)) - correction);
  call.store_row(var_formula(builder, x, centre, call.program.number(call.number(divisor), compute)), result);
  call.run();
}

void run_layer_norm(const Tensor& self, const Tensor& weight, const Tensor& bias, int normalized, double eps,
                    const Tensor& result, const Tensor& mean, const Tensor& rstd) {
  int rank = self.dim();
  uint64_t dims = ((uint64_t(1) << normalized) - 1) << (rank - normalized);
  if (are_norm_rows(self, weight, bias))
    return layer_norm_rows(self, weight, bias, reduced_count(self, dims), eps, result, mean, rstd);
  RowCall call(self, dims);
  const DType compute = wider_type(result.dtype());
  ProgramBuilder builder(call.program, compute);
  int x = call.load(self, self.strides(), compute);
  auto row = normalize_formula(builder, x, call.program.number(call.number(eps), compute));
  int value = row.normalized;
  auto along_row = [&](const Tensor& tensor) {
    Dims strides(rank);
    for (int d = 0; d < normalized; ++d) strides[rank - normalized + d] = tensor.strides()[d];
    return call.load(tensor, strides, compute);
  };
  if (weight.defined()) value = builder.op("mul", value, along_row(weight));
  if (bias.defined()) value = builder.op("add", value, along_row(bias));
  call.store_full(value, result);
  call.store_row(row.mean, mean);
  call.store_row(row.rstd, rstd);
  call.run();
}

}  // namespace framejit::eager::cpu
