#include "symbolic/value.h"

namespace framejit::symbolic {

Var** Attributes::find(PyObject* name) {
  for (auto& [key, value] : entries_)
    if (key.get() == name || PyUnicode_Compare(key.get(), name) == 0) return &value;
  return nullptr;
}

void Attributes::set(PyObject* name, Var* value) {
  if (Var** found = find(name))
    *found = value;
  else
    entries_.emplace_back(PyRef::borrow(name), value);
}

bool operator==(const Key& a, const Key& b) {
  if (a.hash != b.hash) return false;
  if (!a.value || !b.value) return a.var == b.var;
  if (a.value == b.value) return true;
  // Constants only (key_of): comparing them runs no user code.
  int equal = PyObject_RichCompareBool(a.value, b.value, Py_EQ);
  if (equal < 0) PyErr_Clear();
  return equal == 1;
}

Table::Entry* Table::find(const Key& key) {
  auto it = index_.find(key);
  return it == index_.end() ? nullptr : &entries_[it->second];
}

void Table::set(const Key& key, Var* value) {
  auto [it, inserted] = index_.try_emplace(key, entries_.size());
  if (!inserted) {
    Entry& entry = entries_[it->second];
    if (entry.present) {
      entry.value = value;
      return;
    }
    // Comes back: like a dict, at the end.
    index_.erase(it);
    entry.key.value = nullptr;  // no key any more: entries() skips it
    it = index_.try_emplace(key, entries_.size()).first;
  }
  entries_.push_back({key, value, true});
  ++size_;
}

bool Table::erase(const Key& key) {
  Entry* entry = find(key);
  if (!entry || !entry->present) return false;
  entry->present = false;
  entry->value = nullptr;
  --size_;
  return true;
}

void Table::mark_absent(const Key& key) {
  if (index_.try_emplace(key, entries_.size()).second) entries_.push_back({key, nullptr, false});
}

void Table::clear() {
  entries_.clear();
  index_.clear();
  size_ = 0;
}

std::vector<Table::Entry> Table::entries() const {
  std::vector<Entry> present;
  for (const Entry& entry : entries_)
    if (entry.present) present.push_back(entry);
  return present;
}

}  // namespace framejit::symbolic
