// The three functions of every guard kind, found by its enum (see guards.def).
#pragma once

#include <cstdint>
#include <string>

#include "guards/guard.h"

namespace framejit::guards {

/// State of one run of a program.
struct Program::Context {
  Context(const Program& p, PyObject** s)
      : program(p), slots(s) {}  // leaves the symbols as they are: most are unused

  const Program& program;
  PyObject** slots;
  int64_t symbols[kMaxSymbols];
  uint64_t bound = 0;  ///< bit per symbol

  PyObject* object(const Guard& guard) const { return slots[guard.slot]; }
};

/// Friend of Program: the kinds see its tables.
class KindTable {
 public:
  using Context = Program::Context;
  static bool check(const Guard& guard, Context& context);
  static std::string print(const Guard& guard, const Program& program);
  /// Fills message, source, dims and is_number of a guard that just failed in this context.
  static void explain(const Guard& guard, Context& context, Mismatch& mismatch);

  /// Elements of a builtin container or of a subclass of one, whatever its __len__ says; -1 for other
  /// objects.
  static int64_t length_of(PyObject* object);

  static const TensorPattern& pattern(const Guard& g, const Program& p) { return p.patterns_[g.payload]; }
  static const eager::SizeGuard& relation(const Guard& g, const Program& p) {
    return p.relations_[g.payload];
  }
  static const std::vector<uint32_t>& slot_list(const Guard& g, const Program& p) {
    return p.slot_lists_[g.payload];
  }
  static const Source* slot_source(uint32_t slot, const Program& p) { return p.slot_sources_[slot]; }
};

}  // namespace framejit::guards
