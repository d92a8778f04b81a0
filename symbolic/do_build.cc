// Instructions that build, unpack and match.
#include "symbolic/executor.h"

namespace framejit::symbolic {

using bytecode::Instruction;
using bytecode::Opcode;

namespace {

std::vector<Var*> take(Frame& frame, int count) {
  auto first = frame.stack.end() - count;
  std::vector<Var*> items(first, frame.stack.end());
  frame.stack.erase(first, frame.stack.end());
  return items;
}

}  // namespace

void Executor::do_build(Frame& frame, const Instruction& in) {
  switch (in.op) {
    case Opcode::BuildTuple:
      frame.push(tuple(take(frame, in.arg)));
      return;
    case Opcode::BuildList:
      frame.push(list(take(frame, in.arg)));
      return;
    case Opcode::BuildSet: {
      SetVar* built = set();
      for (Var* item : take(frame, in.arg)) set_add(built, item);
      frame.push(built);
      return;
    }
    case Opcode::BuildMap:
    case Opcode::BuildConstKeyMap:
      return build_map(frame, in);
    case Opcode::BuildString: {
      std::vector<Var*> parts = take(frame, in.arg);
      PyRef text = PyRef::steal(PyUnicode_FromString(""));
      for (Var* part : parts)
        text = PyRef::steal(PyUnicode_Concat(text.get(), expect_constant(part, "f-string")));
      frame.push(constant(text.get()));
      return;
    }
    case Opcode::BuildSlice: {
      std::vector<Var*> parts = take(frame, in.arg);
      frame.push(make_slice(parts[0], parts[1], in.arg == 3 ? parts[2] : none()));
      return;
    }
    case Opcode::ListToTuple:
      frame.push(tuple(iterate_all(frame.pop())));
      return;
    case Opcode::ListAppend: {
      Var* item = frame.pop();
      list_append(expect<ListVar>(frame.peek(in.arg)), item);
      return;
    }
    case Opcode::ListExtend: {
      std::vector<Var*> items = iterate_all(frame.pop());
      for (Var* item : items) list_append(expect<ListVar>(frame.peek(in.arg)), item);
      return;
    }
    case Opcode::SetAdd: {
      Var* item = frame.pop();
      set_add(expect<SetVar>(frame.peek(in.arg)), item);
      return;
    }
    case Opcode::SetUpdate: {
      std::vector<Var*> items = iterate_all(frame.pop());
      for (Var* item : items) set_add(expect<SetVar>(frame.peek(in.arg)), item);
      return;
    }
    case Opcode::MapAdd: {
      Var* value = frame.pop();
      Var* key = frame.pop();
      dict_set(expect<DictVar>(frame.peek(in.arg)), key, value);
      return;
    }
    case Opcode::DictUpdate:
    case Opcode::DictMerge: {
      Var* from = frame.pop();
      DictVar* target = expect<DictVar>(frame.peek(in.arg));
      if (DictVar* other = as<DictVar>(from); other && in.op == Opcode::DictMerge) {
        load_all(other);
        for (const Table::Entry& entry : other->table.entries())
          if (Table::Entry* there = target->table.find(entry.key); there && there->present)
            break_here(BreakId::raises, "TypeError: multiple values for a keyword argument");
      }
      return dict_update(target, from);
    }
    case Opcode::UnpackSequence:
    case Opcode::UnpackEx:
      return unpack(frame, in);
    case Opcode::ConvertValue: {
      Var* value = frame.pop();
      frame.push(to_text(value, in.arg));
      return;
    }
    case Opcode::FormatSimple: {
      Var* value = frame.pop();
      frame.push(format(value, nullptr));
      return;
    }
    case Opcode::FormatWithSpec: {
      Var* spec = frame.pop();
      Var* value = frame.pop();
      frame.push(format(value, spec));
      return;
    }
    default:
      break_here(BreakId::unsupported_opcode, bytecode::name(in.op));
  }
}

SliceVar* Executor::make_slice(Var* start, Var* stop, Var* step) {
  SliceVar* slice = make<SliceVar>();
  slice->parts[0] = start;
  slice->parts[1] = stop;
  slice->parts[2] = step;
  return slice;
}

void Executor::build_map(Frame& frame, const Instruction& in) {
  DictVar* built = dict();
  if (in.op == Opcode::BuildMap) {
    std::vector<Var*> parts = take(frame, 2 * in.arg);
    for (size_t i = 0; i < parts.size(); i += 2) dict_set(built, parts[i], parts[i + 1]);
  } else {
    std::vector<Var*> keys = iterate_all(frame.pop()), values = take(frame, in.arg);
    for (size_t i = 0; i < keys.size(); ++i) dict_set(built, keys[i], values[i]);
  }
  frame.push(built);
}

void Executor::unpack(Frame& frame, const Instruction& in) {
  Var* value = frame.pop();
  std::vector<Var*> items = iterate_all(value);
  bool starred = in.op == Opcode::UnpackEx;
  size_t before = size_t(starred ? in.arg & 0xFF : in.arg), after = starred ? size_t(in.arg) >> 8 : 0;
  if (items.size() < before + after || (!starred && items.size() > before))
    break_here(BreakId::raises, "ValueError: " + std::to_string(items.size()) + " values to unpack");
  if (starred) {
    auto first = items.begin() + Py_ssize_t(before), last = items.end() - Py_ssize_t(after);
    ListVar* rest = list({first, last});
    items.insert(items.erase(first, last), rest);
  }
  for (auto it = items.rbegin(); it != items.rend(); ++it) frame.push(*it);
}

void Executor::do_match(Frame& frame, const Instruction& in) {
  switch (in.op) {
    case Opcode::GetLen:
      frame.push(length(frame.peek(1)));
      return;
    case Opcode::MatchSequence:
      frame.push(boolean(type_of(frame.peek(1))->tp_flags & Py_TPFLAGS_SEQUENCE));
      return;
    case Opcode::MatchMapping:
      frame.push(boolean(type_of(frame.peek(1))->tp_flags & Py_TPFLAGS_MAPPING));
      return;
    case Opcode::MatchKeys: {
      DictVar* dict = as<DictVar>(frame.peek(2));
      if (!dict) break_here(BreakId::unknown_object, "a mapping pattern");
      std::vector<Var*> values;
      for (Var* key : iterate_all(frame.peek(1))) {
        Var* value = dict_get(dict, key);
        if (!value) return frame.push(none());
        values.push_back(value);
      }
      frame.push(tuple(std::move(values)));
      return;
    }
    case Opcode::MatchClass:
      return match_class(frame, in);
    default:
      break_here(BreakId::unsupported_opcode, bytecode::name(in.op));
  }
}

/// Replaces subject, class and keyword names by the tuple of attributes, or None.
void Executor::match_class(Frame& frame, const Instruction& in) {
  std::vector<Var*> names = iterate_all(frame.pop());
  Var* cls = frame.pop();
  Var* subject = frame.pop();
  PyObject* real = as_constant(cls);
  if (!real || !PyType_Check(real)) break_here(BreakId::raises, "a class pattern");
  auto* type = reinterpret_cast<PyTypeObject*>(real);
  if (!PyType_IsSubtype(type_of(subject), type)) return frame.push(none());
  std::vector<Var*> attributes;
  constexpr unsigned long kMatchesItself = 1UL << 22;  // as int(x) does; has no public name
  Var* match_args = in.arg > 0 ? attribute_or_null(cls, constant_string("__match_args__")) : nullptr;
  if (in.arg == 1 && !match_args && type->tp_flags & kMatchesItself) {
    attributes.push_back(subject);
  } else if (in.arg > 0) {
    std::vector<Var*> all = match_args ? iterate_all(match_args) : std::vector<Var*>();
    if (all.size() < size_t(in.arg)) break_here(BreakId::raises, "a class pattern with too many positions");
    names.insert(names.begin(), all.begin(), all.begin() + in.arg);
  }
  for (Var* name : names) {
    Var* value = attribute_or_null(subject, expect_constant(name, "an attribute name"));
    if (!value) return frame.push(none());
    attributes.push_back(value);
  }
  frame.push(tuple(std::move(attributes)));
}

}  // namespace framejit::symbolic
