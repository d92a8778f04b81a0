// The symbolic executor: runs one frame's bytecode, and what it calls, over abstract values.
//
// Control flow of the tracer itself is by four C++ exceptions: BreakError (the current instruction cannot be
// traced), RaiseError (the traced program raises) and Restart (trace again and end before an earlier root
// instruction), FixArguments (trace again). None leaves trace_frame().
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/trace.h"
#include "symbolic/frame.h"
#include "symbolic/value.h"

namespace framejit::symbolic {

struct BreakError {
  BreakRecord record;
};
struct RaiseError {
  ExceptionVar* exception;
};
/// Trace again; the trace ends before root instruction number `step`.
struct Restart {
  int step;
  BreakRecord record;
};

/// Trace again; arguments of this cached function get fixed to their values.
struct FixArguments {
  PyObject* cached;
};

/// The back edge to `target` has been taken often enough.
struct LoopCut {
  int target;
};

/// Arguments of a call. Keywords keep their order.
struct CallArgs {
  std::vector<Var*> positional;
  std::vector<std::pair<PyObject*, Var*>> keywords;  ///< names borrowed: interned or pinned
  bool plain() const { return keywords.empty(); }
  size_t size() const { return positional.size(); }
  Var* operator[](size_t i) const { return positional[i]; }
};

/// A side effect on an existing object, replayed in order by the epilogue.
struct Effect {
  StepOp op;
  std::vector<Var*> operands;
  int32_t aux = 0;
};

class Executor {
 public:
  Executor(const TraceRequest& request, const std::optional<Restart>& cut, const std::set<PyObject*>& fixed);
  ~Executor();
  /// Runs to an end of the trace.
  std::unique_ptr<Trace> run();

  // ---- executor.cc: the loop
  Var* run_frame(Frame& frame);  ///< until it returns or yields; of inlined calls
  void step(Frame& frame);       ///< one instruction
  [[noreturn]] void break_here(BreakId id, std::string detail = {});
  /// The trace must end before `var` was made: it cannot be re-created.
  [[noreturn]] void cut_before(const Var* var, BreakId id, std::string detail);
  [[noreturn]] void raise(PyObject* type, const std::string& message);
  [[noreturn]] void raise_object(PyObject* type, std::vector<Var*> args);
  /// Turns the pending Python exception (of a folded builtin) into one of the traced program.
  [[noreturn]] void raise_pending();
  void effect(StepOp op, std::vector<Var*> operands, int32_t aux = 0);
  void mutated() { ++mutations_; }
  void mutated(Var* container) {
    if (container->cache) throw FixArguments{container->cache};
    mutated();
  }
  BreakRecord record_here(BreakId id, std::string detail) const;
  PyObject* pin(PyObject* borrowed);  ///< keeps it alive while tracing; returns it

  // ---- make.cc: making Vars
  template <class T>
  T* make() {
    auto owned = std::make_unique<T>();
    T* var = owned.get();
    var->birth = step_;
    vars_.push_back(std::move(owned));
    return var;
  }
  Var* null() { return null_; }
  Var* constant(PyObject* borrowed);  ///< a value known for good; tuples become TupleVar
  Var* steal_constant(PyObject* owned);
  Var* none() { return constant(Py_None); }
  Var* boolean(bool value) { return constant(value ? Py_True : Py_False); }
  Var* integer(int64_t value) { return steal_constant(PyLong_FromLongLong(value)); }
  Var* string(const std::string& text);
  TupleVar* tuple(std::vector<Var*> items);
  ListVar* list(std::vector<Var*> items);
  DictVar* dict();
  SetVar* set();
  MethodVar* method(Var* function, Var* self);
  IteratorVar* iterator(IteratorVar::Form form, Var* over);
  SliceVar* make_slice(Var* start, Var* stop, Var* step);
  SuperVar* make_super(Var* cls, Var* self);
  SuperVar* implicit_super();
  /// The Var of an existing object; a null source: the trace holds the object itself.
  Var* existing(PyObject* object, const Source* source);

  // ---- inspect.cc: facts about Vars
  PyTypeObject* type_of(Var* var);  ///< guarded
  void guard_type(Var* var);
  /// The Python constant that `var` is (guarded equal or identical to it), or null. Borrowed.
  PyObject* as_constant(Var* var);
  bool is_constant_like(Var* var) const;  ///< as_constant would succeed; guards nothing
  /// The set or frozenset of a few constants that an existing object is, guarded to have these elements in this order;
  /// else null. Borrowed.
  PyObject* known_set(Var* var);
  PyObject* expect_constant(Var* var, const char* what);  ///< else a break
  template <class T>
  T* expect(Var* var) {
    if (T* is = as<T>(var)) return is;
    break_here(BreakId::unknown_object, describe(var));
  }
  std::optional<int64_t> as_index(Var* var);  ///< an int constant
  bool is_none(Var* var);                     ///< guarded either way
  bool same_object(Var* a, Var* b);           ///< `a is b`
  const Source* source_of(Var* var);          ///< of an existing object, a constant source if it has none
  Key key_of(Var* var);                       ///< breaks or raises when unhashable
  std::string describe(Var* var) const;       ///< for break details

  // ---- attribute.cc, attribute_kinds.cc, attribute_store.cc
  /// What the class of `owner` defines (MRO, not bound), guarded; borrowed, or null and guarded absent.
  PyObject* class_lookup(Var* owner, PyObject* name);
  Var* load_attribute(Var* owner, PyObject* name);      ///< raises AttributeError in the traced program
  Var* find_attribute(Var* owner, PyObject* name);      ///< null when there is none
  Var* attribute_or_null(Var* owner, PyObject* name);   ///< getattr with a default
  Var* generic_load(ObjectVar* owner, PyObject* name);  ///< object.__getattribute__
  /// A null value deletes.
  void store_attribute(Var* owner, PyObject* name, Var* value);
  Var* find_instance_attribute(ObjectVar* owner, PyObject* name);
  void generic_store(ObjectVar* owner, PyObject* name, Var* value);
  void write_instance_attribute(ObjectVar* owner, PyObject* name, Var* value);
  /// The special method of a class instance, bound; null when there is none.
  Var* find_special(Var* owner, const char* name);
  /// Calls a special method written in Python; null when there is none or it returns NotImplemented.
  Var* try_special(Var* owner, const std::string& name, std::vector<Var*> args);
  bool try_special_statement(Var* owner, const char* name, std::vector<Var*> args);
  Var* class_of(Var* owner);
  void open_method(MethodVar* method);  ///< existing ones: reads function and self

  // ---- call.cc, bind.cc, construct.cc, builtins*.cc
  Var* call(Var* callee, CallArgs args);
  Var* call_method(Var* owner, const char* name, std::vector<Var*> args = {});
  Var* call_function(FunctionVar* function, const CallArgs& args);
  Var* construct(PyTypeObject* type, const CallArgs& args);
  Var* make_instance(PyTypeObject* type, const CallArgs& args);
  Var* call_object(ObjectVar* callee, const CallArgs& args);
  void open_function(FunctionVar* function);
  void bind_arguments(FunctionVar* function, PyCodeObject* code, const CallArgs& args,
                      std::vector<Var*>& locals);
  // ---- real.cc
  PyRef to_real(Var* var);
  Var* from_real(PyObject* object);
  static PyObject* real_builtin(const char* name);
  /// Calls the real function when all arguments are constants; null when they are not.
  Var* fold_call(PyObject* callable, const CallArgs& args);
  /// As fold_call, of a function behind functools.lru_cache: programs do not rely on when such a function
  /// runs, and get the same object from every call. The trace holds it.
  Var* call_cached(PyObject* cached, const CallArgs& args);
  Var* call_behind_cache(PyObject* cached, const CallArgs& args);
  bool varies(Var* var);
  bool belongs_to(Var* var, PyObject* cached);
  PyRef call_real(PyObject* callable, const CallArgs& args);

  // ---- tensor.cc
  void materialize(TensorVar* tensor);  ///< makes it a graph input when it is not in the graph yet
  TensorVar* tensor(const eager::Tensor& tensor, PyRef proxy);
  Var* call_op(PyObject* callable, const CallArgs& args);
  Var* reshape_in_place(PyObject* callable, const CallArgs& args);
  PyObject* call_wrapped(PyObject* callable, const CallArgs& args);
  Var* tensor_binary(int nb_op, Var* left, Var* right);
  Var* tensor_compare(int op, Var* left, Var* right);
  Var* finish_op(PyObject* owned_result, const std::string& what);
  void locate();
  Var* from_op_result(PyObject* result);
  bool to_op_argument(Var* var, PyRef& out);  ///< false: not something an op may see
  Var* load_tensor_attribute(TensorVar* tensor, PyObject* name);
  Var* link_gradient(const CallArgs& args);  ///< custom_gradient.cc
  std::vector<eager::Tensor> trace_backward(const CallArgs& args, const std::string& name,
                                            const std::vector<eager::Tensor>& tangents,
                                            const std::vector<Var*>& outputs,
                                            const std::vector<size_t>& linked, const std::vector<Var*>& given,
                                            const std::vector<size_t>& places);
  bool contains_traced(Var* var);  ///< a tensor or a symbolic number is in it

  // ---- number.cc
  NumberVar* number(PyObject* hint, Reg reg);
  Var* size_number(eager::SymInt size);
  Var* number_binary(int nb_op, Var* left, Var* right);  ///< null: not both numbers
  Var* number_compare(int op, Var* left, Var* right);
  Var* number_convert(NumberVar* number, PyTypeObject* to);
  Var* number_negative(NumberVar* number);
  PyObject* specialize(NumberVar* number);  ///< guards the value; borrowed
  Reg number_reg(Var* var);
  const eager::Value& graph_number(NumberVar* number);  ///< as an argument of ops
  bool is_number(Var* var) const;

  // ---- operator.cc
  Var* binary(int nb_op, Var* left, Var* right);
  Var* compare(int op, Var* left, Var* right);
  Var* unary(bytecode::Opcode op, Var* operand);
  bool contains(Var* container, Var* item);
  Var* container_binary(int nb_op, Var* left, Var* right);
  std::vector<Var*> repeat(const std::vector<Var*>& items, int64_t count);
  bool compares_by_identity(Var* var);
  std::optional<bool> containers_equal(Var* left, Var* right);
  Var* compare_sequences(int op, const std::vector<Var*>& a, const std::vector<Var*>& b);
  Var* length(Var* var);
  bool equal(Var* a, Var* b);  ///< `a == b` decided while tracing
  bool truth(Var* var);        ///< decided while tracing, else a break

  // ---- subscript.cc
  Var* subscript(Var* container, Var* key);
  void store_subscript(Var* container, Var* key, Var* value);
  void delete_subscript(Var* container, Var* key);
  size_t position(Var* key, size_t size, const char* type);
  std::vector<Var*> slice_items(const std::vector<Var*>& items, SliceVar* slice);
  void store_slice(ListVar* list, SliceVar* slice, const std::vector<Var*>& items);
  void store_tensor_item(TensorVar* tensor, Var* key, Var* value);

  // ---- containers.cc
  void load_items(TupleVar* tuple);
  void load_parts(SliceVar* slice);
  void load_items(ListVar* list);
  void load_all(DictVar* dict);
  int64_t dict_size(DictVar* dict);
  void dict_update(DictVar* dict, Var* from);
  void dict_clear(DictVar* dict);
  void set_add(SetVar* set, Var* item);
  Var* set_binary(int nb_op, SetVar* left, SetVar* right);
  std::vector<Var*> sort(const std::vector<Var*>& items, Var* key, Var* reverse);
  std::vector<Var*> iterate_all(Var* iterable);  ///< list(iterable)
  Var* dict_get(DictVar* dict, Var* key);        ///< null when absent
  void dict_set(DictVar* dict, Var* key, Var* value);
  bool dict_erase(DictVar* dict, Var* key);
  void list_append(ListVar* list, Var* item);
  void list_assigned(ListVar* list);  ///< its items have been changed in another way
  DictVar* dict_of(PyObject* dict, const Source* source);
  Var* cell_contents(CellVar* cell);  ///< null when empty
  void set_cell(CellVar* cell, Var* value);

  // ---- iterate.cc
  Var* get_iterator(Var* iterable);
  /// The next item, null at the end.
  Var* next(Var* iterator);
  Var* set_iterator(SetVar* set);
  Var* advance(IteratorVar* iterator);
  Var* advance_range(IteratorVar* iterator);
  Var* advance_zip(IteratorVar* iterator);
  Var* next_or_null(const std::function<Var*()>& body);

  // ---- generators.cc
  Var* start_generator(Frame& frame);
  Var* resume(IteratorVar* generator, Var* sent, ExceptionVar* thrown = nullptr);
  Var* send(Var* iterator, Var* value, Var** returned);
  ExceptionVar* stop_iteration_error(ExceptionVar* exception);
  void check_dropped_generators();
  void drop(Frame& frame, Var* var);

  // ---- format.cc
  Var* to_text(Var* var, int conversion);  ///< 1 str, 2 repr, 3 ascii
  Var* format(Var* var, Var* spec);
  bool contains_tensor(Var* var);

  // ---- exceptions.cc
  ExceptionVar* make_exception(PyTypeObject* type, std::vector<Var*> args);
  /// Goes to the handler of the current instruction of `frame`; false when there is none.
  bool handle(Frame& frame, ExceptionVar* exception);
  bool matches(ExceptionVar* exception, Var* classes);
  ExceptionVar* to_exception(Var* var);

  // ---- one function per class of instructions
  void do_stack(Frame&, const bytecode::Instruction&);
  void do_local(Frame&, const bytecode::Instruction&);
  void do_name(Frame&, const bytecode::Instruction&);
  void do_operator(Frame&, const bytecode::Instruction&);
  void do_build(Frame&, const bytecode::Instruction&);
  void do_match(Frame&, const bytecode::Instruction&);
  void do_call(Frame&, const bytecode::Instruction&);
  void do_function(Frame&, const bytecode::Instruction&);
  void do_jump(Frame&, const bytecode::Instruction&);
  void do_iteration(Frame&, const bytecode::Instruction&);
  void do_exception(Frame&, const bytecode::Instruction&);
  void do_generator(Frame&, const bytecode::Instruction&);
  void build_map(Frame&, const bytecode::Instruction&);
  void unpack(Frame&, const bytecode::Instruction&);
  void match_class(Frame&, const bytecode::Instruction&);
  void push_method(Frame& frame, Var* value);
  void import_name(Frame& frame, PyObject* name);
  Var* load_global(Frame& frame, PyObject* name);
  PyObject* builtins_of(Frame& frame);
  [[noreturn]] void raise_unbound(Frame& frame, int index);
  void take_jump(Frame& frame, int target);
  void set_function_part(FunctionVar* function, int flag, Var* value);
  Var* update_wrapper(const CallArgs& args);

  const TraceRequest& request() const { return request_; }
  const FrontEnd& front_end() const { return *request_.front_end; }
  guards::ProgramBuilder& guards() { return guards_; }
  guards::SourceTable& sources() { return guards_.sources(); }
  graph::Tracer& tracer() { return *tracer_; }
  Frame& current() { return *current_; }

 private:
  friend class Rebuilder;

  void enter_root();
  Var* class_value(Var* owner, PyObject* name, PyObject* found);
  Var* bind_class_value(Var* owner, PyObject* name, PyObject* found);
  Var* find_slot_attribute(Var* owner, PyObject* descriptor);
  Var* find_object_attribute(ObjectVar* object, PyObject* name);
  Var* find_module_attribute(ObjectVar* module, PyObject* name);
  Var* find_type_attribute(ObjectVar* type, PyObject* name);
  Var* find_super_attribute(SuperVar* super, PyObject* name);
  Var* find_builtin_attribute(Var* owner, PyObject* name);
  Var* find_tuple_attribute(TupleVar* tuple, PyObject* name, PyObject* found);
  Var* find_function_attribute(FunctionVar* function, PyObject* name);
  Var* find_method_attribute(MethodVar* method, PyObject* name);
  Var* find_partial_attribute(PartialVar* partial, PyObject* name);
  Var* find_exception_attribute(ExceptionVar* exception, PyObject* name);
  Var* instance_dict(ObjectVar* object);
  static PyObject* object_class_descriptor(PyObject* name);
  static PyObject* constant_string(const char* text);
  void store_class_attribute(ObjectVar* owner, PyObject* name, Var* value);
  void guard_not_identical(Var* placed, Var* fixed);
  static std::string constant_name(PyObject* object);
  Var* model(PyObject* object);
  std::unique_ptr<Trace> end(EndKind kind, int pc, const BreakRecord& record, Var* result);
  EndKind end_kind(const BreakRecord& record) const;
  void break_root(const BreakRecord& record, std::vector<Var*> stack, int mutations);
  std::optional<Var*> returned(Frame& frame);  ///< when the instruction is a return
  Var*& local(Frame& frame, int index);
  std::shared_ptr<const bytecode::Program> program_of(PyCodeObject* code);
  const Source* entry_source(DictVar* dict, PyObject* key);
  PyObject* attribute_key(Var* key);
  void load_view(DictVar* dict);
  Var* call_real_partial(ObjectVar* callee, const CallArgs& args);
  Var* set_grad_mode(const CallArgs& args);
  Var* set_autocast(PyObject* function, const CallArgs& args);
  void restore_modes();
  void guard_modes();
  void graph_input(NumberVar* number, eager::DType type, double hint);
  void graph_integer(NumberVar* number);
  eager::SymInt as_size(Var* var);
  Var* size_binary(int op, Var* left, Var* right);
  static std::string callable_name(PyObject* callable);
  bool is_method_of_constants(PyObject* callable);
  PyTypeObject* iterator_type(IteratorVar* iterator);
  static PyTypeObject* view_type(ViewVar* view);
  static PyTypeObject* method_type(MethodVar* method);
  static PyTypeObject* partial_type();
  static PyTypeObject* cached_function_type();
  Reg new_reg() { return next_reg_++; }
  Reg prelude(StepOp op, std::vector<Reg> operands, int32_t aux, bool result = true);

  const TraceRequest& request_;
  std::optional<Restart> cut_;
  const std::set<PyObject*>& fixed_;  ///< cached functions: see FixArguments
  guards::ProgramBuilder guards_;
  std::unique_ptr<graph::Tracer> tracer_;
  std::unique_ptr<Trace> trace_;

  std::vector<std::unique_ptr<Var>> vars_;
  NullVar* null_;
  std::deque<Frame> frames_;
  std::vector<Var*> entry_locals_;  ///< of the root, as read; null: not read
  std::unordered_map<PyCodeObject*, std::shared_ptr<const bytecode::Program>> programs_;
  std::vector<PyRef> pinned_;
  std::unordered_map<PyObject*, Var*> known_;              ///< existing objects with an identity, by address
  std::unordered_map<const Source*, Var*> known_sources_;  ///< the others, by place
  std::unordered_map<PyObject*, ObjectVar*> constants_;    ///< by address; the Vars keep them alive
  std::unordered_map<eager::TensorImpl*, TensorVar*> tensors_;  ///< symbolic tensors
  std::vector<Effect> effects_;
  std::vector<Var*> graph_inputs_;
  std::vector<IteratorVar*> generators_;

  Frame* current_ = nullptr;
  Frame* root_ = nullptr;
  int step_ = 0;          ///< root instructions executed
  int instructions_ = 0;  ///< all of them
  int mutations_ = 0;
  Reg next_reg_ = kFirstReg;
  std::set<std::pair<PyTypeObject*, PyObject*>>
      class_facts_;  ///< class attributes that are guarded (names are interned)
  int located_line_ = -1;
  Frame* located_frame_ = nullptr;
  bool grad_mode_at_entry_;
  uint32_t autocast_at_entry_;
  bool grad_mode_read_ = false;

  static constexpr size_t kMaxItems = 10'000;  ///< of one container that the trace spells out
  /// Prelude and result registers are numbered from here until the number of guard slots is known.
  static constexpr Reg kFirstReg = 1u << 24;
};

}  // namespace framejit::symbolic
