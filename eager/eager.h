// The eager library: tensors, ops and their derivatives. Includes what C++ programs need.
//
// Tour of eager/
//   ref.h storage.h pool.h        ownership; memory with a version counter; the pooling allocator behind it
//   dtype.h half.h dims.h         element types and devices; sizes
//   symint.h size_expr.h          sizes that are expressions while a graph is traced; the environment that
//                                 records what a trace assumed of them
//   tensor.h                      Tensor, a handle on storage + sizes + strides; or, symbolic, on a node of a graph
//   value.h schema.h op.h         boxed arguments; parsed signatures; a row of the op table at run time
//   ops/*.toml                    the op table, the only list of ops; tools/opgen turns it into C++ at build time
//   op.cc row_spec.h              the table at run time: generated rows, and the in-place and out= rows derived
//                                 from them; extension.h: ops that are added at run time
//   dispatch.h autocast.h         call(op, args, results): autograd, autocast, then trace, then kernel
//   operators.h generated/ops.h   typed functions for C++: ops::mul(a, b), a * b
//   meta/                         shape, stride and dtype rules; they work on symbolic sizes too
//   pointwise_kernel.h            the one kernel of all pointwise rows: from boxed arguments to the loop driver
//   cpu/                          kernels (tour in cpu/kernel_support.h)
//   composite/                    ops written in terms of other ops, and helpers of derivative formulas
//                                 (tour in composite/support.h)
//   autograd/                     recording, views, the backward pass (tour in autograd/autograd.h)
//   random/                       counter-based random numbers and their generator
//
// Life of `ops::add(x, 1)`: the generated function boxes its arguments and calls `call`. If x requires grad,
// autograd/record.cc makes an OpNode that will know what the row's formulas read. If x is symbolic, the
// Recorder takes the call. Else call_kernel runs pointwise_kernel, which promotes types and infers the layout
// (meta/pointwise.cc), allocates, and has cpu/loops/pointwise.cc run the row's tile kernel.
#pragma once

#include "eager/autograd/autograd.h"
#include "eager/dispatch.h"
#include "eager/operators.h"
