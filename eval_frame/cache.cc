#include "eval_frame/cache.h"

#include <algorithm>
#include <set>

namespace framejit::eval_frame {

using symbolic::EndKind;
using symbolic::Trace;

namespace {

std::set<Compilation*>& all_compilations() {
  static auto* all =
      new std::set<Compilation*>;  // never destroyed: compiled functions may die after static objects
  return *all;
}

struct SkippedFiles {
  std::vector<std::string> prefixes, exceptions;
};
SkippedFiles& skipped_files() {
  static auto* files = new SkippedFiles;
  return *files;
}

bool is_in_skipped_file(PyCodeObject* code) {
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  if (!file) {
    PyErr_Clear();
    return false;
  }
  std::string_view name = file;
  auto matches = [name](const std::string& prefix) { return name.substr(0, prefix.size()) == prefix; };
  const auto& [prefixes, exceptions] = skipped_files();
  return std::any_of(prefixes.begin(), prefixes.end(), matches) &&
         std::none_of(exceptions.begin(), exceptions.end(), matches);
}

bool leaves_stack_alone(const Trace& trace) {
  if (trace.stack.size() != trace.entry_depth) return false;
  for (size_t i = 0; i < trace.stack.size(); ++i) {
    symbolic::Reg reg = trace.stack[i];
    if (reg == symbolic::kNoReg) continue;  // the guards hold only if it was NULL before
    const guards::Source* source = reg < trace.slot_count ? trace.guards->slot_source(reg) : nullptr;
    bool same =
        source && source->kind == guards::SourceKind::stack && source->index == static_cast<int64_t>(i);
    if (!same) return false;
  }
  return true;
}

bool is_passive(const Trace& trace) {
  if (trace.untouched) return true;
  return !trace.graph && trace.prelude.empty() && trace.epilogue.empty() && trace.stores.empty() &&
         trace.end.kind != EndKind::returns && leaves_stack_alone(trace);
}

}  // namespace

CachedTrace::CachedTrace(std::unique_ptr<Trace> made) : trace(std::move(made)), passive(is_passive(*trace)) {}

void EntryPoint::used(size_t index) {
  if (index > 0) std::rotate(traces.begin(), traces.begin() + index, traces.begin() + index + 1);
}

void EntryPoint::drop_dead() {
  // Moved out first: destroying a trace may run Python code that comes back here.
  std::vector<std::shared_ptr<const CachedTrace>> dead;
  auto alive = [](const auto& cached) { return !cached->trace->guards->is_dead(); };
  auto first_dead = std::stable_partition(traces.begin(), traces.end(), alive);
  dead.assign(first_dead, traces.end());
  traces.erase(first_dead, traces.end());
}

void EntryPoint::remember(const guards::Mismatch& mismatch) {
  auto add = [this, &mismatch](int dim) {
    auto known = [&](const symbolic::Varied& v) { return v.source == mismatch.source && v.dim == dim; };
    if (std::none_of(varied.begin(), varied.end(), known)) varied.push_back({mismatch.source, dim});
  };
  for (int dim : mismatch.dims) add(dim);
  if (mismatch.is_number) add(-1);
}

CodeCache::CodeCache(PyCodeObject* code) : code_(Owned::borrow(reinterpret_cast<PyObject*>(code))) {
  constexpr int kFunctionBody = CO_OPTIMIZED | CO_NEWLOCALS;
  program_ = bytecode::Program::decode(code);
  left_alone = !program_ || program_->is_generator() || (code->co_flags & kFunctionBody) != kFunctionBody ||
               is_in_skipped_file(code);
  if (!program_) PyErr_Clear();
  entries_.resize(program_ ? program_->size() : 0);
}

EntryPoint& CodeCache::entry(int pc) {
  if (!entries_[pc]) entries_[pc] = std::make_unique<EntryPoint>();
  return *entries_[pc];
}

void CodeCache::record(const Trace& trace) {
  ++traces_;
  if (trace.graph) ++graphs_;
}

void CodeCache::drop_traces(std::vector<std::shared_ptr<const CachedTrace>>& dropped) {
  for (auto& entry : entries_) {
    if (!entry) continue;
    dropped.insert(dropped.end(), entry->traces.begin(), entry->traces.end());
    entry->traces.clear();
    entry->varied.clear();
    entry->closed.clear();
  }
  traces_ = graphs_ = 0;
}

int CodeCache::visit(visitproc visit, void* arg) const {
  for (const auto& entry : entries_) {
    if (!entry) continue;
    for (const auto& cached : entry->traces)
      for (PyObject* constant : cached->trace->constants) Py_VISIT(constant);
  }
  return 0;
}

Compilation::Compilation(Settings settings) : settings_(std::move(settings)) {
  all_compilations().insert(this);
}
Compilation::~Compilation() { all_compilations().erase(this); }

CodeCache& Compilation::cache(PyCodeObject* code) {
  auto found = caches_.find(code);
  if (found != caches_.end()) return *found->second;
  // Made before there is a place for it: decoding allocates, so the collector may visit all caches, and its
  // finalizers may ask for this one.
  auto made = std::make_unique<CodeCache>(code);
  return *caches_.try_emplace(code, std::move(made)).first->second;
}

bool Compilation::warn_at_limit() { return !std::exchange(warned_, true); }

void Compilation::drop_traces() {
  std::vector<std::shared_ptr<const CachedTrace>> dropped;  // destroyed last
  drop_traces(dropped);
}

void Compilation::drop_traces(std::vector<std::shared_ptr<const CachedTrace>>& dropped) {
  for (auto& entry : caches_) entry.second->drop_traces(dropped);
  stats_ = {};
  warned_ = false;
}

int Compilation::visit(visitproc visit, void* arg) const {
  for (const auto& entry : caches_)
    if (int stop = entry.second->visit(visit, arg)) return stop;
  return 0;
}

void Compilation::drop_all_traces() {
  std::vector<std::shared_ptr<const CachedTrace>> dropped;
  for (Compilation* compilation : all_compilations()) compilation->drop_traces(dropped);
}

void set_skipped_files(std::vector<std::string> prefixes, std::vector<std::string> exceptions) {
  skipped_files() = {std::move(prefixes), std::move(exceptions)};
}

}  // namespace framejit::eval_frame
