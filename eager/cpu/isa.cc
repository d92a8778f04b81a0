#include "eager/cpu/isa.h"

#include <cstdlib>
#include <string_view>

namespace framejit::eager::cpu {
namespace {

bool machine_has(std::string_view isa) {
#if defined(__x86_64__)
  if (isa == "v2") return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  if (isa == "v3")
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (isa == "v4")
    return machine_has("v3") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd");
#endif
  return true;
}

constexpr const char* kNames[] = {
#define FRAMEJIT_ISA_NAME(name) #name,
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_ISA_NAME)
#undef FRAMEJIT_ISA_NAME
};

Isa choose() {
  const char* wish = std::getenv("FRAMEJIT_ISA");
  int chosen = 0;
  for (int i = 0; i < int(std::size(kNames)); ++i) {
    if (machine_has(kNames[i])) chosen = i;
    if (wish && std::string_view(wish) == kNames[i]) break;
  }
  return Isa(chosen);
}

}  // namespace

Isa chosen_isa() {
  static const Isa isa = choose();
  return isa;
}

const char* isa_name(Isa isa) { return kNames[int(isa)]; }

}  // namespace framejit::eager::cpu
