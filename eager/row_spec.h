// What tools/opgen writes for a row of the op table. Only generated files and op.cc see this.
#pragma once

#include <string>
#include <vector>

#include "eager/op.h"

namespace framejit::eager {

struct RowSpec {
  const char* schema;
  OpKind kind;
  DTypeRule dtype_rule;
  AutocastRule autocast;
  int operand_count;
  uint32_t unpromoted;
  std::vector<uint8_t> params;
  uint64_t fixed_ints;
  bool wraps_numbers;
  bool derive_inplace;
  bool derive_out;
  MetaFn meta;
  KernelFn kernel;
  KernelFn inplace_kernel;
  CompositeFn composite;
  CompositeFn decompose;
  BackwardFn backward;
  std::vector<Formula> formulas;
  bool analytic;
  const char* doc;
  bool is_function;
  bool is_method;
  std::vector<std::string> aliases;
  const char* python_module;
};

/// All rows of the table.
std::vector<RowSpec> table_rows();

}  // namespace framejit::eager
