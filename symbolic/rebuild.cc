// Making objects again. Containers are made empty and filled afterwards, so that cycles and shared parts come
// out right.
#include "symbolic/rebuild.h"

#include <algorithm>
#include <map>
#include <set>

#include "symbolic/builtins.h"
#include "symbolic/liveness.h"

namespace framejit::symbolic {

// ---- steps

Reg Rebuilder::emit(StepOp op, std::vector<Reg> operands, int32_t aux, bool result) {
  Step step{op, result ? executor_.new_reg() : kNoReg, aux, uint32_t(trace_.operands.size()),
            uint32_t(operands.size())};
  trace_.operands.insert(trace_.operands.end(), operands.begin(), operands.end());
  trace_.epilogue.push_back(step);
  return step.dst;
}

Reg Rebuilder::constant(PyObject* borrowed) {
  trace_.constants.push_back(Py_NewRef(borrowed));
  return emit(StepOp::constant, {}, int32_t(trace_.constants.size() - 1));
}

Reg Rebuilder::builtin(const char* name) { return constant(Executor::real_builtin(name)); }

Reg Rebuilder::get_attribute(Reg owner, const char* name) {
  PyRef text = PyRef::steal(PyUnicode_InternFromString(name));
  return emit(StepOp::call, {builtin("getattr"), owner, constant(text.get())});
}

Reg Rebuilder::graph_result(eager::Value value) {
  Reg reg = executor_.new_reg();
  results_.push_back(std::move(value));
  trace_.graph_results.push_back(reg);
  return reg;
}

std::vector<Reg> Rebuilder::regs(const std::vector<Var*>& vars) {
  std::vector<Reg> result;
  for (Var* var : vars) result.push_back(reg(var));
  return result;
}

// ---- objects

Reg Rebuilder::reg(Var* var) {
  auto found = made_.find(var);
  if (found != made_.end()) return found->second;
  ++depth_;
  Reg made = make(var);
  made_[var] = made;
  if (--depth_ == 0) fill_pending();
  return made;
}

Reg Rebuilder::make(Var* var) {
  if (var->cache) throw FixArguments{var->cache};
  if (var->kind == Kind::null) return kNoReg;
  if (var->kind == Kind::number) return make_number(static_cast<NumberVar*>(var));
  if (var->existing()) {
    if (var->source) return executor_.guards_.slot(var->source);
    return constant(var->real.get());
  }
  switch (var->kind) {
    case Kind::object:
      return make_object(static_cast<ObjectVar*>(var));
    case Kind::tensor:
      return make_tensor(static_cast<TensorVar*>(var));
    case Kind::tuple:
      return make_tuple(static_cast<TupleVar*>(var));
    case Kind::list:
      pending_.push_back(var);
      return emit(StepOp::make_list, {});
    case Kind::dict:
      return make_dict(static_cast<DictVar*>(var));
    case Kind::set: {
      auto* set = static_cast<SetVar*>(var);
      std::vector<Reg> items;
      for (const Table::Entry& entry : set->table.entries()) items.push_back(reg(entry.key.var));
      return emit(StepOp::make_set, items, set->type == &PyFrozenSet_Type);
    }
    case Kind::slice: {
      auto* parts = static_cast<SliceVar*>(var)->parts;
      return emit(StepOp::make_slice, regs({parts[0], parts[1], parts[2]}));
    }
    case Kind::range: {
      auto* parts = static_cast<RangeVar*>(var)->parts;
      std::vector<Reg> operands = regs({parts[0], parts[1], parts[2]});
      operands.insert(operands.begin(), builtin("range"));
      return emit(StepOp::call, operands);
    }
    case Kind::function:
      return make_function(static_cast<FunctionVar*>(var));
    case Kind::cell:
      pending_.push_back(var);
      return emit(StepOp::make_cell, {});
    case Kind::method:
      return make_method(static_cast<MethodVar*>(var));
    case Kind::iterator:
      return make_iterator(static_cast<IteratorVar*>(var));
    case Kind::view: {
      auto* view = static_cast<ViewVar*>(var);
      const char* name = view->form == IteratorVar::Form::keys     ? "keys"
                         : view->form == IteratorVar::Form::values ? "values"
                                                                   : "items";
      return emit(StepOp::call, {get_attribute(reg(view->dict), name)});
    }
    case Kind::partial:
      return make_partial(static_cast<PartialVar*>(var));
    case Kind::exception:
      return make_exception(static_cast<ExceptionVar*>(var));
    default:
      executor_.cut_before(var, BreakId::unbuildable_object, executor_.describe(var));
  }
}

Reg Rebuilder::make_object(ObjectVar* object) {
  pending_.push_back(object);
  return emit(StepOp::make_instance, {constant(reinterpret_cast<PyObject*>(object->type))});
}

Reg Rebuilder::make_number(NumberVar* number) {
  if (number->specialized) return constant(number->real.get());
  if (number->source) return executor_.number_reg(number);
  if (number->is_size) return graph_result(number->graph_value);
  return number->reg;
}

Reg Rebuilder::make_tensor(TensorVar* tensor) {
  executor_.materialize(tensor);
  return graph_result(tensor->tensor);
}

Reg Rebuilder::make_tuple(TupleVar* tuple) {
  Reg items = emit(StepOp::make_tuple, regs(tuple->items));
  if (tuple->type == &PyTuple_Type) return items;
  Reg type = constant(reinterpret_cast<PyObject*>(tuple->type));
  // Named tuples are made by tuple.__new__, as they do it themselves; classes with a __new__ in C take the
  // tuple.
  PyObject* own = _PyType_Lookup(tuple->type, Executor::constant_string("__new__"));
  bool in_python =
      tuple->type->tp_new == PyTuple_Type.tp_new || (own && Py_TYPE(own) == &PyStaticMethod_Type);
  if (!in_python) return emit(StepOp::call, {type, items});
  Reg maker = get_attribute(constant(reinterpret_cast<PyObject*>(&PyTuple_Type)), "__new__");
  return emit(StepOp::call, {maker, type, items});
}

Reg Rebuilder::make_dict(DictVar* dict) {
  if (dict->view_of) return get_attribute(reg(dict->view_of), "__dict__");
  pending_.push_back(dict);
  if (dict->type == &PyDict_Type) return emit(StepOp::make_dict, {});
  Reg type = constant(reinterpret_cast<PyObject*>(dict->type));
  return emit(StepOp::call,
              dict->factory ? std::vector<Reg>{type, reg(dict->factory)} : std::vector<Reg>{type});
}

Reg Rebuilder::make_function(FunctionVar* function) {
  if (function->globals && is_in_python(function->globals->real.get()))
    executor_.cut_before(function, BreakId::unbuildable_object, executor_.describe(function));
  std::vector<Reg> operands{constant(function->code.get()), reg(function->globals)};
  int32_t parts = 0;
  if (!function->defaults.empty()) {
    parts |= 1;
    operands.push_back(emit(StepOp::make_tuple, regs(function->defaults)));
  }
  if (function->kw_defaults) {
    parts |= 2;
    operands.push_back(reg(function->kw_defaults));
  }
  if (function->annotations) {
    parts |= 4;
    operands.push_back(reg(function->annotations));
  }
  if (!function->closure.empty()) {
    parts |= 8;
    operands.push_back(emit(StepOp::make_tuple, regs(function->closure)));
  }
  if (function->wrapped) pending_.push_back(function);
  return emit(StepOp::make_function, operands, parts);
}

Reg Rebuilder::make_method(MethodVar* method) {
  if (method->function->kind == Kind::function)
    return emit(StepOp::make_method, regs({method->function, method->self}));
  // A method written in C binds itself.
  PyObject* descriptor = method->function->real.get();
  if (!descriptor ||
      (Py_TYPE(descriptor) != &PyMethodDescr_Type && Py_TYPE(descriptor) != &PyWrapperDescr_Type))
    executor_.cut_before(method, BreakId::unbuildable_object, executor_.describe(method));
  return get_attribute(reg(method->self), PyUnicode_AsUTF8(PyDescr_NAME(descriptor)));
}

Reg Rebuilder::make_partial(PartialVar* partial) {
  std::vector<Reg> operands{constant(reinterpret_cast<PyObject*>(Executor::partial_type())),
                            reg(partial->function)};
  for (Var* arg : partial->args) operands.push_back(reg(arg));
  PyRef names = PyRef::steal(PyTuple_New(Py_ssize_t(partial->keywords.size())));
  for (size_t i = 0; i < partial->keywords.size(); ++i) {
    operands.push_back(reg(partial->keywords[i].second));
    PyTuple_SET_ITEM(names.get(), Py_ssize_t(i), Py_NewRef(partial->keywords[i].first.get()));
  }
  operands.push_back(constant(names.get()));
  return emit(StepOp::call_keywords, operands);
}

Reg Rebuilder::make_exception(ExceptionVar* exception) {
  if (exception->raised_step >= 0)
    throw Restart{exception->raised_step, exception->record};  // it has a traceback
  std::vector<Reg> operands = regs(static_cast<TupleVar*>(exception->args)->items);
  // Through __new__ and args: an __init__ of the user's has run already.
  Reg type = constant(reinterpret_cast<PyObject*>(exception->type));
  Reg maker = get_attribute(constant(PyExc_BaseException), "__new__");
  operands.insert(operands.begin(), {maker, type});
  pending_.push_back(exception);
  return emit(StepOp::call, operands);
}

Reg Rebuilder::make_iterator(IteratorVar* it) {
  using Form = IteratorVar::Form;
  auto at = int32_t(it->index);
  if (it->exhausted) return emit(StepOp::make_iterator, {emit(StepOp::make_tuple, {})}, 0);
  switch (it->form) {
    case Form::sequence:
    case Form::constant:
    case Form::range:
    case Form::keys:
      return emit(StepOp::make_iterator, {filled(it->over)}, at);
    case Form::values:
    case Form::items: {
      Reg view = emit(StepOp::call,
                      {get_attribute(filled(it->over), it->form == Form::values ? "values" : "items")});
      return emit(StepOp::make_iterator, {view}, at);
    }
    case Form::reversed: {
      Reg made = emit(StepOp::call, {builtin("reversed"), filled(it->over)});
      emit(StepOp::advance, {made}, at, false);
      return made;
    }
    case Form::enumerate: {
      PyRef start = PyRef::steal(PyLong_FromLongLong(it->start + it->index));
      return emit(StepOp::call, {builtin("enumerate"), reg(it->inner[0]), constant(start.get())});
    }
    case Form::zip: {
      std::vector<Reg> operands = regs(it->inner);
      operands.insert(operands.begin(), builtin("zip"));
      if (!it->strict) return emit(StepOp::call, operands);
      PyRef names = PyRef::steal(Py_BuildValue("(s)", "strict"));
      operands.insert(operands.end(), {constant(Py_True), constant(names.get())});
      return emit(StepOp::call_keywords, operands);
    }
    case Form::map:
    case Form::filter: {
      std::vector<Reg> operands = regs(it->inner);
      operands.insert(operands.begin(),
                      {builtin(it->form == Form::map ? "map" : "filter"), reg(it->function)});
      return emit(StepOp::call, operands);
    }
    default:
      executor_.cut_before(it, BreakId::unbuildable_object, executor_.describe(it));
  }
}

/// Fills what the outermost `reg` made; what that makes in turn is appended to the list.
void Rebuilder::fill_pending() {
  ++depth_;
  while (!pending_.empty()) {
    Var* var = pending_.back();
    pending_.pop_back();
    fill(var);
  }
  --depth_;
}

/// The object with its items in it already: an iterator looks at them when it is made.
Reg Rebuilder::filled(Var* var) {
  Reg made = reg(var);
  auto waiting = std::find(pending_.begin(), pending_.end(), var);
  if (waiting == pending_.end()) return made;
  pending_.erase(waiting);
  fill(var);
  return made;
}

void Rebuilder::fill(Var* var) {
  Reg made = made_.at(var);
  auto attributes = [&](const Attributes& all) {
    for (auto& [name, value] : all.entries())
      if (value) emit(StepOp::attribute_set, {made, constant(name.get()), reg(value)}, 0, false);
  };
  if (ListVar* list = as<ListVar>(var)) {
    std::vector<Reg> operands = regs(list->items);
    operands.insert(operands.begin(), made);
    emit(StepOp::list_fill, operands, 0, false);
  } else if (DictVar* dict = as<DictVar>(var)) {
    std::vector<Reg> operands{made};
    for (const Table::Entry& entry : dict->table.entries()) {
      operands.push_back(reg(entry.key.var));
      operands.push_back(reg(entry.value));
    }
    emit(StepOp::dict_fill, operands, 0, false);
  } else if (CellVar* cell = as<CellVar>(var)) {
    if (cell->contents) emit(StepOp::cell_set, {made, reg(cell->contents)}, 0, false);
  } else if (FunctionVar* function = as<FunctionVar>(var)) {
    PyObject* update = resolve_builtin("functools", "update_wrapper");
    emit(StepOp::call, {constant(update), made, filled(function->wrapped)}, 0, false);
  } else if (ObjectVar* object = as<ObjectVar>(var)) {
    attributes(object->attributes);
  } else if (ExceptionVar* exception = as<ExceptionVar>(var)) {
    attributes(exception->attributes);
    if (exception->cause) {
      PyRef name = PyRef::steal(PyUnicode_InternFromString("__cause__"));
      emit(StepOp::attribute_set, {made, constant(name.get()), reg(exception->cause)}, 0, false);
    }
  }
}

// ---- effects and live values

void Rebuilder::effects() {
  // Of stores to one attribute or cell that follow each other only the last value can be seen (nothing runs
  // between them), at the place of the first, which decides where a new attribute comes in its dict. One that
  // is deleted again is made all the same, so that there is something to delete.
  std::map<std::pair<Var*, Var*>, const Effect*> first;
  std::unordered_map<const Effect*, const Effect*> last_of;
  std::set<const Effect*> unseen;
  const Effect *last_autocast = nullptr, *last_grad_mode = nullptr;
  for (const Effect& effect : executor_.effects_) {
    bool attribute = effect.op == StepOp::attribute_set || effect.op == StepOp::attribute_delete;
    if (attribute || effect.op == StepOp::cell_set) {
      const Effect*& before = first[{effect.operands[0], attribute ? effect.operands[1] : nullptr}];
      if (before && before->op == effect.op && effect.op != StepOp::attribute_delete) {
        last_of[before] = &effect;
        unseen.insert(&effect);
      } else {
        before = &effect;
      }
    }
    if (effect.op == StepOp::autocast) last_autocast = &effect;
    if (effect.op == StepOp::grad_mode) last_grad_mode = &effect;
  }
  for (const Effect& effect : executor_.effects_) {
    Var* owner = effect.operands.empty() ? nullptr : effect.operands[0];
    if (unseen.count(&effect)) continue;
    switch (effect.op) {
      case StepOp::grad_mode:
        if (&effect != last_grad_mode || effect.aux == executor_.grad_mode_at_entry_) continue;
        break;
      case StepOp::autocast:
        if (&effect != last_autocast || uint32_t(effect.aux) == executor_.autocast_at_entry_) continue;
        break;
      case StepOp::list_append:
        if (static_cast<ListVar*>(owner)->assigned) continue;
        break;
      default:
        break;
    }
    auto last = last_of.find(&effect);
    std::vector<Reg> operands = regs((last == last_of.end() ? effect : *last->second).operands);
    if (effect.op == StepOp::list_assign)
      for (Var* item : static_cast<ListVar*>(owner)->items) operands.push_back(reg(item));
    emit(effect.op, operands, effect.aux, false);
  }
}

void Rebuilder::frame(int pc) {
  std::vector<bool> live = live_locals(*executor_.root_->program, pc);
  for (size_t i = 0; i < live.size(); ++i) {
    Var* now = executor_.root_->locals[i];
    if (!now || now == executor_.entry_locals_[i]) continue;  // never read, or as it was
    Reg value = live[i] ? reg(now) : kNoReg;                  // what is dead is let go
    bool was_unbound = !executor_.request_.localsplus[i];
    if (value == kNoReg && was_unbound) continue;
    trace_.stores.push_back({int(i), value});
  }
  trace_.stack_base = executor_.request_.code->co_nlocalsplus;
  for (Var* var : executor_.root_->stack) trace_.stack.push_back(reg(var));
}

}  // namespace framejit::symbolic
