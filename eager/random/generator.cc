#include "eager/random/generator.h"

namespace framejit::eager {

Generator& default_generator() {
  static const Ref<Generator> generator = make_ref<Generator>(67280421310721u);
  return *generator;
}

Generator& generator_of(const Value& argument) {
  if (argument.is_none()) return default_generator();
  return *static_cast<Generator*>(argument.generator());
}

}  // namespace framejit::eager
