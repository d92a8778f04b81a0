// Sources: interning, printing, one-off loads.
#include <Python.h>
#include <structmember.h>

#include <cstddef>

#include "guards/guard.h"
#include "guards/load.h"

namespace framejit::guards {
namespace {

std::string utf8(PyObject* name) {
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) PyErr_Clear();
  return text ? text : "?";
}

// Keys are constants, so their repr runs no user code.
std::string repr(PyObject* object) {
  PyObject* text = PyObject_Repr(object);
  if (!text) {
    PyErr_Clear();
    return "?";
  }
  std::string result = utf8(text);
  Py_DECREF(text);
  return result;
}

size_t hash_of(const Source& s) {
  auto word = [](const void* p) { return reinterpret_cast<size_t>(p) >> 4; };
  return (static_cast<size_t>(s.kind) * 31 + word(s.base)) * 1000003 + static_cast<size_t>(s.index) * 131;
}

bool equal(const Source& a, const Source& b) {
  if (a.kind != b.kind || a.base != b.base || a.index != b.index || a.owner != b.owner) return false;
  if (a.object == b.object) return true;
  return a.kind != SourceKind::constant && a.object && b.object && constants_equal(a.object, b.object);
}

}  // namespace

SourceTable::~SourceTable() {
  for (auto& entry : sources_) {
    Py_XDECREF(entry.second->object);
    Py_XDECREF(reinterpret_cast<PyObject*>(entry.second->owner));
  }
}

const Source* SourceTable::intern(Source source, std::string_view text) {
  size_t hash = hash_of(source);
  auto [at, end] = sources_.equal_range(hash);
  for (; at != end; ++at)
    if (equal(*at->second, source)) return at->second.get();
  source.text = text;
  Py_XINCREF(source.object);
  Py_XINCREF(reinterpret_cast<PyObject*>(source.owner));
  return sources_.emplace(hash, std::make_unique<Source>(std::move(source)))->second.get();
}

const Source* SourceTable::local(int index, std::string_view name) {
  return intern({.kind = SourceKind::local, .index = index}, name);
}
const Source* SourceTable::cell(int index, std::string_view name) {
  return intern({.kind = SourceKind::cell, .index = index}, name);
}
const Source* SourceTable::stack(int index) {
  return intern({.kind = SourceKind::stack, .index = index}, "stack[" + std::to_string(index) + "]");
}
const Source* SourceTable::function(std::string_view name) {
  return intern({.kind = SourceKind::function}, name);
}
const Source* SourceTable::free(int index, std::string_view name) {
  return intern({.kind = SourceKind::free, .index = index}, name);
}
const Source* SourceTable::global(PyObject* name) {
  return intern({.kind = SourceKind::global, .object = name}, utf8(name));
}
const Source* SourceTable::builtin(PyObject* name) {
  return intern({.kind = SourceKind::builtin, .object = name}, utf8(name));
}
const Source* SourceTable::globals() { return intern({.kind = SourceKind::globals}, "globals()"); }
const Source* SourceTable::constant(PyObject* object, std::string_view text) {
  return intern({.kind = SourceKind::constant, .object = object}, text);
}
const Source* SourceTable::attribute(const Source* base, PyObject* name) {
  return intern({.kind = SourceKind::attribute, .base = base, .object = name}, base->text + "." + utf8(name));
}
const Source* SourceTable::class_attribute(const Source* base, PyObject* name) {
  return intern({.kind = SourceKind::class_attribute, .base = base, .object = name},
                "type(" + base->text + ")." + utf8(name));
}
const Source* SourceTable::type_attribute(const Source* base, PyObject* name) {
  return intern({.kind = SourceKind::type_attribute, .base = base, .object = name},
                base->text + "." + utf8(name));
}
const Source* SourceTable::type_of(const Source* base) {
  return intern({.kind = SourceKind::type_of, .base = base}, "type(" + base->text + ")");
}
const Source* SourceTable::cell_contents(const Source* base) {
  return intern({.kind = SourceKind::cell_contents, .base = base}, base->text + ".cell_contents");
}
const Source* SourceTable::item(const Source* base, int64_t index) {
  return intern({.kind = SourceKind::item, .base = base, .index = index},
                base->text + "[" + std::to_string(index) + "]");
}
const Source* SourceTable::key(const Source* base, PyObject* key) {
  return intern({.kind = SourceKind::key, .base = base, .object = key}, base->text + "[" + repr(key) + "]");
}

const Source* SourceTable::member(const Source* base, PyObject* descriptor) {
  if (!Py_IS_TYPE(descriptor, &PyMemberDescr_Type)) return nullptr;
  PyMemberDef* member = reinterpret_cast<PyMemberDescrObject*>(descriptor)->d_member;
  if (member->type != T_OBJECT && member->type != T_OBJECT_EX) return nullptr;
#ifdef Py_RELATIVE_OFFSET
  if (member->flags & Py_RELATIVE_OFFSET) return nullptr;
#endif
  return intern(
      {.kind = SourceKind::member, .base = base, .index = member->offset, .owner = PyDescr_TYPE(descriptor)},
      base->text + "." + member->name);
}

// Functions show these through getters, not member descriptors; in the struct they are plain object pointers.
const Source* SourceTable::function_code(const Source* base) {
  return intern({.kind = SourceKind::member,
                 .base = base,
                 .index = offsetof(PyFunctionObject, func_code),
                 .owner = &PyFunction_Type},
                base->text + ".__code__");
}
const Source* SourceTable::function_defaults(const Source* base) {
  return intern({.kind = SourceKind::member,
                 .base = base,
                 .index = offsetof(PyFunctionObject, func_defaults),
                 .owner = &PyFunction_Type},
                base->text + ".__defaults__");
}
const Source* SourceTable::function_kwdefaults(const Source* base) {
  return intern({.kind = SourceKind::member,
                 .base = base,
                 .index = offsetof(PyFunctionObject, func_kwdefaults),
                 .owner = &PyFunction_Type},
                base->text + ".__kwdefaults__");
}

PyObject* load(const Source* source, const FrameValues& frame) {
  PyObject* base = source->base ? load(source->base, frame) : nullptr;
  if (source->base && !base) return nullptr;
  PyObject* object = source->owner ? reinterpret_cast<PyObject*>(source->owner) : source->object;
  Py_hash_t hash = 0;
  if (source->object && source->kind != SourceKind::constant) hash = PyObject_Hash(source->object);
  return load_one(source->kind, base, source->index, object, hash, frame);
}

}  // namespace framejit::guards
