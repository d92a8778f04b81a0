// What has been compiled, for one object that `framejit.compile` returned: entry points of every code object
// that was reached from it, each with its traces. Everything here is read and written with the GIL held, and
// no function here releases it except while a trace is made; traces are shared, so one that runs outlives its
// removal.
#pragma once

#include <Python.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "eval_frame/owned.h"
#include "guards/guard.h"
#include "symbolic/bytecode/instruction.h"
#include "symbolic/symbolic.h"

namespace framejit::eval_frame {

using Tracer = std::unique_ptr<symbolic::Trace> (*)(const symbolic::TraceRequest&);

/// How a compiled function was asked to be compiled.
struct Settings {
  symbolic::TraceOptions options;
  int cache_size_limit = 8;
  Tracer tracer = symbolic::trace_frame;
  std::shared_ptr<symbolic::GraphCompiler> compiler;
  /// Code that gave many traces and no graph is left to the interpreter (not what it calls).
  bool give_up_without_graphs = true;
};

struct Stats {
  int64_t traces = 0, graphs = 0, breaks = 0, guard_misses = 0;
  int64_t failed_runs = 0;  ///< a graph raised: the interpreter ran the rest of the frame
};

/// A trace in a cache.
struct CachedTrace {
  explicit CachedTrace(std::unique_ptr<symbolic::Trace> made);
  std::unique_ptr<symbolic::Trace> trace;
  /// Running it changes nothing: it computes nothing and leaves locals and stack as they are.
  bool passive;
};

/// The traces that start at one pc, the most recently used first.
class EntryPoint {
 public:
  std::vector<std::shared_ptr<const CachedTrace>> traces;
  std::vector<symbolic::Varied> varied;
  /// Why no more traces are made here: the limit was reached, or the tracer failed. Empty: they are.
  std::string closed;

  void add(std::shared_ptr<const CachedTrace> trace) { traces.insert(traces.begin(), std::move(trace)); }
  void used(size_t index);
  /// Drops traces whose guarded objects have died.
  void drop_dead();
  /// Adds the facts of a mismatch that must not be relied on again.
  void remember(const guards::Mismatch& mismatch);
};

/// One code object. Keeps it alive.
class CodeCache {
 public:
  explicit CodeCache(PyCodeObject* code);
  PyCodeObject* code() const { return reinterpret_cast<PyCodeObject*>(code_.get()); }
  const std::shared_ptr<const bytecode::Program>& program() const { return program_; }
  EntryPoint& entry(int pc);
  EntryPoint* existing_entry(int pc) { return entries_[pc].get(); }
  void record(const symbolic::Trace& trace);
  bool is_hopeless() const { return graphs_ == 0 && traces_ > kTracesWithoutGraph; }
  /// Moves its traces to `dropped`: destroying them may run Python code, which comes back here.
  void drop_traces(std::vector<std::shared_ptr<const CachedTrace>>& dropped);
  int visit(visitproc visit, void* arg) const;

  bool left_alone = false;  ///< generators, class bodies, the standard library: the interpreter runs it

 private:
  static constexpr int kTracesWithoutGraph = 24;
  Owned code_;
  std::shared_ptr<const bytecode::Program> program_;
  std::vector<std::unique_ptr<EntryPoint>> entries_;  // by pc
  int traces_ = 0, graphs_ = 0;
};

class Compilation {
 public:
  explicit Compilation(Settings settings);
  ~Compilation();
  Compilation(const Compilation&) = delete;

  const Settings& settings() const { return settings_; }
  Stats& stats() { return stats_; }
  CodeCache& cache(PyCodeObject* code);
  bool warn_at_limit();  ///< the first time: true
  /// Code that gave many traces and no graph runs as it is, unless all of it was asked to be compiled.
  bool gives_up(const CodeCache& cache) const {
    return settings_.give_up_without_graphs && !settings_.options.fullgraph && cache.is_hopeless();
  }
  void drop_traces();
  int visit(visitproc visit, void* arg) const;  ///< for the garbage collector: objects that traces own

  static void drop_all_traces();

 private:
  void drop_traces(std::vector<std::shared_ptr<const CachedTrace>>& dropped);

  Settings settings_;
  Stats stats_;
  std::unordered_map<PyCodeObject*, std::unique_ptr<CodeCache>> caches_;
  bool warned_ = false;
};

/// Files whose code is left alone when it is called from a compiled region (what it calls is not), given as
/// prefixes of co_filename, and prefixes of files among those that are not left alone.
void set_skipped_files(std::vector<std::string> prefixes, std::vector<std::string> exceptions);

}  // namespace framejit::eval_frame
