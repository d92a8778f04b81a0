// ProgramBuilder: loads where first needed, each guard once.
#include <algorithm>

#include "guards/guard.h"
#include "guards/tensor_access.h"

namespace framejit::guards {

ProgramBuilder::ProgramBuilder() : program_(std::make_unique<Program>()) {
  program_->sources_ = std::make_unique<SourceTable>();
}

uint32_t ProgramBuilder::slot(const Source* source) {
  auto found = slots_.find(source);
  if (found != slots_.end()) return found->second;
  Program::Operation load;
  load.load = source->kind;
  load.base = source->base ? slot(source->base) : 0;
  load.slot = program_->slot_count_++;
  load.index = source->index;
  load.object = source->owner ? reinterpret_cast<PyObject*>(source->owner) : source->object;
  if (source->object && source->kind != SourceKind::constant) load.hash = PyObject_Hash(source->object);
  program_->operations_.push_back(load);
  program_->slot_sources_.push_back(source);
  slots_.emplace(source, load.slot);
  return load.slot;
}

bool ProgramBuilder::seen(GuardKind kind, const Source* source) const {
  return guarded_.count({kind, source}) != 0;
}

Guard& ProgramBuilder::add(GuardKind kind, const Source* source) {
  guarded_.emplace(kind, source);
  Guard guard;
  guard.kind = kind;
  guard.source = source;
  if (source) guard.slot = slot(source);
  Program::Operation check;
  check.is_check = true;
  check.slot = static_cast<uint32_t>(program_->guards_.size());
  program_->operations_.push_back(check);
  program_->guards_.push_back(std::move(guard));
  return program_->guards_.back();
}

void ProgramBuilder::type(const Source* source, PyTypeObject* type) {
  bool implied =
      seen(GuardKind::type, source) || seen(GuardKind::constant, source) || seen(GuardKind::identity, source);
  if (!implied)
    add(GuardKind::type, source).object = Held::weak_if_possible(reinterpret_cast<PyObject*>(type));
}
void ProgramBuilder::identity(const Source* source, PyObject* object) {
  if (!seen(GuardKind::identity, source))
    add(GuardKind::identity, source).object = Held::weak_if_possible(object);
}
void ProgramBuilder::constant(const Source* source, PyObject* value) {
  if (!seen(GuardKind::constant, source)) add(GuardKind::constant, source).object = Held::strong(value);
}
void ProgramBuilder::absent(const Source* source) {
  if (!seen(GuardKind::absent, source)) add(GuardKind::absent, source);
}
void ProgramBuilder::length(const Source* source, int64_t length) {
  if (!seen(GuardKind::length, source)) add(GuardKind::length, source).number = length;
}
void ProgramBuilder::keys(const Source* source, PyObject* container) {
  if (seen(GuardKind::keys, source)) return;
  PyObject* list = PyDict_Check(container) ? PyDict_Keys(container) : PySequence_List(container);
  PyObject* keys = PyList_AsTuple(list);
  Py_DECREF(list);
  add(GuardKind::keys, source).object = Held::strong(keys);
  Py_DECREF(keys);
}
void ProgramBuilder::int64(const Source* source, int symbol) {
  if (!seen(GuardKind::int64, source)) add(GuardKind::int64, source).number = symbol;
}
void ProgramBuilder::tensor(const Source* source, TensorPattern pattern) {
  if (seen(GuardKind::tensor, source)) return;
  add(GuardKind::tensor, source).payload = static_cast<int32_t>(program_->patterns_.size());
  program_->patterns_.push_back(std::move(pattern));
}
void ProgramBuilder::size_relations(const std::vector<eager::SizeGuard>& relations) {
  relations_.insert(relations_.end(), relations.begin(), relations.end());
}
void ProgramBuilder::same(const Source* a, const Source* b) {
  uint32_t other = slot(b);
  Guard& guard = add(GuardKind::same, a);
  guard.other = b;
  guard.other_slot = other;
}
void ProgramBuilder::distinct(const std::vector<const Source*>& sources) {
  if (sources.size() < 2) return;
  std::vector<uint32_t> slots;
  for (const Source* source : sources) slots.push_back(slot(source));
  add(GuardKind::distinct, nullptr).payload = static_cast<int32_t>(program_->slot_lists_.size());
  program_->slot_lists_.push_back(std::move(slots));
}
void ProgramBuilder::global_state() {
  if (!seen(GuardKind::global_state, nullptr))
    add(GuardKind::global_state, nullptr).number = static_cast<int64_t>(tensor_access().global_state());
}

void ProgramBuilder::rollback(size_t mark) {
  auto gone = [mark](const Program::Operation& op) { return op.is_check && op.slot >= mark; };
  std::vector<Program::Operation>& operations = program_->operations_;
  operations.erase(std::remove_if(operations.begin(), operations.end(), gone), operations.end());
  for (size_t i = mark; i < program_->guards_.size(); ++i)
    guarded_.erase({program_->guards_[i].kind, program_->guards_[i].source});
  program_->guards_.resize(mark);
}

std::shared_ptr<const Program> ProgramBuilder::finish() {
  for (const eager::SizeGuard& relation : relations_) {
    add(GuardKind::size_relation, nullptr).payload = static_cast<int32_t>(program_->relations_.size());
    program_->relations_.push_back(relation);
  }
  std::shared_ptr<const Program> finished = std::move(program_);
  *this = ProgramBuilder();
  return finished;
}

}  // namespace framejit::guards
