#include "graph/log.h"

#include <atomic>
#include <cstdio>
#include <string>

namespace framejit::graph {
namespace {

std::atomic<uint32_t> logged{0};
uint32_t bit(Log log) { return uint32_t(1) << uint32_t(log); }

}  // namespace

bool is_logged(Log log) { return logged.load(std::memory_order_relaxed) & bit(log); }
void set_logged(Log log, bool on) {
  if (on)
    logged.fetch_or(bit(log));
  else
    logged.fetch_and(~bit(log));
}

void print_stage(std::string_view name, double microseconds, std::string_view text) {
  std::fprintf(stderr, "--- %s (%.0f us)%s\n%s", std::string(name).c_str(), microseconds,
               text.empty() ? ": nothing changed" : "", std::string(text).c_str());
}

}  // namespace framejit::graph
