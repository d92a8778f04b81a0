// PyTorch's names of element types in messages: "Long" for int64.
#pragma once

#include "eager/dtype.h"

namespace framejit::eager {

inline const char* scalar_type_name(DType dtype) {
  switch (dtype) {
    case DType::bool_:
      return "Bool";
    case DType::uint8:
      return "Byte";
    case DType::int8:
      return "Char";
    case DType::int16:
      return "Short";
    case DType::int32:
      return "Int";
    case DType::int64:
      return "Long";
    case DType::float16:
      return "Half";
    case DType::bfloat16:
      return "BFloat16";
    case DType::float32:
      return "Float";
    case DType::float64:
      return "Double";
    case DType::complex64:
      return "ComplexFloat";
    case DType::complex128:
      return "ComplexDouble";
  }
  return "?";
}

}  // namespace framejit::eager
