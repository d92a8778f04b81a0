"""Classes: inheritance, attributes, descriptors, special methods. Each function is a program: a number and a tensor to anything."""


class Base:
    counter = 0
    __slots__ = ()

    def __init_subclass__(cls, **options):
        super().__init_subclass__()
        cls.options = options

    def greet(self, n):
        return ["base", n]

    @classmethod
    def make(cls, *args):
        cls.counter += 1
        return cls(*args)

    @staticmethod
    def helper(n):
        return n * 2


class Left(Base, tag="left"):
    def greet(self, n):
        return ["left", *super().greet(n)]


class Right(Base):
    def greet(self, n):
        return ["right", *super().greet(n + 1)]


class Both(Left, Right):
    def __init__(self, value=0):
        self._value = value

    def greet(self, n):
        return ["both", *super(Both, self).greet(n)]

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        if new < 0:
            raise ValueError("negative")
        self._value = new

    @value.deleter
    def value(self):
        self._value = None


def inheritance(n, x):
    both = Both.make(n)
    results = [
        both.greet(1),
        Both.helper(n),
        both.helper(3),
        Left.options,
        Both.__mro__[1].__name__,
        both.value,
    ]
    both.value = 7
    both.value += 1
    results.append(both.value)
    try:
        both.value = -1
    except ValueError as error:
        results.append(str(error))
    del both.value
    results.append(both.value)
    return results, isinstance(both, Right), issubclass(Both, Left), x


class Dynamic:
    """Attributes by __getattr__, __getattribute__-free."""

    def __init__(self, **known):
        self.__dict__.update(known)

    def __getattr__(self, name):
        if name.startswith("no_"):
            raise AttributeError(f"{name} is not here")
        return name.upper()

    @property
    def broken(self):
        raise AttributeError("in the property")

    def __setattr__(self, name, value):
        object.__setattr__(self, name, (name, value))

    def __delattr__(self, name):
        if name == "kept":
            raise AttributeError("kept")
        super().__delattr__(name)


def dynamic_attributes(n, x):
    thing = Dynamic(known=n)
    thing.stored = x
    results = [
        thing.known,
        thing.anything,
        thing.stored,
        thing.broken,
        getattr(thing, "no_x", "default"),
        hasattr(thing, "no_y"),
    ]
    try:
        thing.no_z  # noqa: B018
    except AttributeError as error:
        results.append(str(error))
    del thing.stored
    results.append(thing.stored)
    try:
        del thing.kept
    except AttributeError as error:
        results.append(str(error))
    return results, vars(thing)


class Typed:
    def __init__(self, kind):
        self.kind = kind

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return getattr(instance, self.name, None)

    def __set__(self, instance, value):
        if not isinstance(value, self.kind):
            raise TypeError(f"{self.name}: {type(value).__name__}")
        setattr(instance, self.name, value)


class Lazy:
    """A descriptor without __set__: the instance's own attribute comes first."""

    def __init__(self, make):
        self.make = make

    def __get__(self, instance, owner=None):
        return self.make(instance) if instance is not None else self


class Described:
    number = Typed(int)
    lazy = Lazy(lambda self: (self.number or 0) + 100)


def descriptors(n, x):
    thing = Described()
    results = [thing.number, thing.lazy]
    thing.number = n
    results += [thing.number, thing.lazy]
    thing.lazy = "own"
    results.append(thing.lazy)
    try:
        thing.number = "text"
    except TypeError as error:
        results.append(str(error))
    return results, type(Described.number).__name__, vars(thing), x


class Vector:
    def __init__(self, *parts):
        self.parts = list(parts)

    def __add__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(*[a + b for a, b in zip(self.parts, other.parts)])

    def __radd__(self, other):
        return Vector(*[other + a for a in self.parts])

    def __iadd__(self, other):
        self.parts = [a + 1 for a in self.parts]
        return self

    def __neg__(self):
        return Vector(*[-a for a in self.parts])

    def __eq__(self, other):
        return isinstance(other, Vector) and self.parts == other.parts

    def __lt__(self, other):
        return len(self.parts) < len(other.parts)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return "slice", index.start, index.stop, index.step
        return self.parts[index]

    def __setitem__(self, index, value):
        self.parts[index] = value

    def __delitem__(self, index):
        del self.parts[index]

    def __len__(self):
        return len(self.parts)

    def __contains__(self, item):
        return item == "magic" or item in self.parts

    def __call__(self, *args, **kwargs):
        return args, kwargs

    def __bool__(self):
        return len(self.parts) > 1

    def __iter__(self):
        return iter(self.parts)

    def __reversed__(self):
        return "reversed"

    def __matmul__(self, other):
        return "matmul"

    def __format__(self, spec):
        return f"<{spec}>"

    def __repr__(self):
        return f"Vector({self.parts})"

    def __hash__(self):
        return 7

    def __index__(self):
        return 1


def special_methods(n, x):
    a, b = Vector(1, n), Vector(3, 4)
    results = [
        (a + b).parts,
        (1 + a).parts,
        (-a).parts,
        a == b,
        a != b,
        a == Vector(1, n),
        a < Vector(1),
        a > Vector(1),
    ]
    c = a
    c += b
    results += [
        a is c,
        a.parts,
        a[0],
        a[1:5:2],
        a[:],
        len(a),
        "magic" in a,
        9 in a,
        a(1, k=2),
        bool(a),
        not Vector(1),
        list(a),
    ]
    a[0] = x
    del a[1]
    results += [
        a.parts,
        reversed(a),
        a @ b,
        f"{b:spec}",
        f"{b}",
        f"{b!r}",
        str(b),
        [10, 20, 30][b],
        hash(b),
        [*b],
        max(b, Vector(1), key=len).parts,
    ]
    first, *rest = b
    results += [first, rest, {**{"k": 1}}, sorted([b, Vector(1)]) == [Vector(1), b]]
    try:
        a + 3
    except TypeError as error:
        results.append(str(error))
    try:
        b[9]
    except IndexError as error:
        results.append(str(error))
    return results


def class_bodies(n, x):
    class Meta(type):
        def __new__(mcls, name, bases, space, **options):
            space["added"] = sorted(k for k in space if not k.startswith("__"))
            return super().__new__(mcls, name, bases, space)

        def __call__(cls, *args):
            made = super().__call__(*args)
            made.via_meta = True
            return made

        def __len__(cls):
            return 42

    class Made(metaclass=Meta):
        a = n
        b = a + 1
        if n:
            c = "conditional"

        def method(self):
            return __class__.__name__, self.b

    made = Made()
    return made.method(), Made.added, made.via_meta, len(Made), x


def enum_like(n, x):
    import enum

    class Color(enum.Enum):
        RED = 1
        BLUE = 2

    return Color(1).name, Color["BLUE"].value, [c.name for c in Color], Color.RED is Color(1), x
