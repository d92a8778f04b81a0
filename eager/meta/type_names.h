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
    case DType::int32:
      return "Int";
    case DType::int64:
      return "Long";
    case DType::float32:
      return "Float";
    case DType::float64:
      return "Double";
  }
  return "?";
}

}  // namespace framejit::eager
