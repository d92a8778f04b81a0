"""Random Python functions, made from a seed.

A program is a function ``f(x, y, n, s)`` of two float tensors of shape ``(2, 3)``, an int and a float. Statements keep
three kinds of variables apart by their first letter: ``t*`` tensors of shape ``(2, 3)``, ``n*`` small ints and
``c*`` lists of ints. Everything the function did is in its return value, in what it printed and in what it raised.
"""

from __future__ import annotations

import random


class ProgramMaker:
    """Writes one program. ``depth`` bounds nesting, ``budget`` the number of statements."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.budget = self.random.randint(4, 18)
        self.lines: list[str] = []
        self.names = {"t": ["tx", "ty"], "n": ["n0"], "c": ["c0"]}
        self.in_loop = 0

    def source(self) -> str:
        self.lines = ["def f(tx, ty, n0, s0):", "    c0 = [1, 2, 3]", "    log = []"]
        self.block(1)
        self.emit(1, f"return [{', '.join(self.names['t'])}, {', '.join(self.names['n'])}, c0, log]")
        return "\n".join(self.lines) + "\n"

    def emit(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def pick(self, kind: str) -> str:
        return self.random.choice(self.names[kind])

    # -- expressions -------------------------------------------------------------------------------------------------

    def tensor(self, depth: int = 0) -> str:
        r = self.random
        if depth > 2 or r.random() < 0.3:
            return self.pick("t")
        a = self.tensor(depth + 1)
        return r.choice(
            [
                lambda: f"({a} {r.choice('+-*')} {self.tensor(depth + 1)})",
                lambda: f"({a} {r.choice('+-*')} {self.number(depth + 1)})",
                lambda: f"({a} * s0)",
                lambda: f"{a}.{r.choice(['tanh', 'relu', 'abs', 'neg', 'sigmoid'])}()",
                lambda: f"({a} - {a}.mean({r.choice(['0', '1'])}, keepdim=True))",
                lambda: f"fj.where({a} > 0, {a}, {self.tensor(depth + 1)})",
                lambda: f"{a}.t().contiguous().t()",
                lambda: f"{a}[{r.choice(['::1', ':, [0, 1, 2]', '[1, 0]'])}]",
                lambda: f"(lambda v: v + {self.pick('n')})({a})",
                lambda: f"sum([{a} for i in range({r.randint(1, 3)})])",
            ]
        )()

    def number(self, depth: int = 0) -> str:
        r = self.random
        if depth > 2 or r.random() < 0.3:
            return r.choice([self.pick("n"), str(r.randint(-3, 5))])
        a = self.number(depth + 1)
        return r.choice(
            [
                lambda: f"({a} {r.choice(['+', '-', '*', '&', '|'])} {self.number(depth + 1)})",
                lambda: f"({a} // {self.number(depth + 1)})",
                lambda: f"({a} % {r.randint(2, 5)})",
                lambda: f"len({self.pick('c')})",
                lambda: f"sum({self.pick('c')})",
                lambda: f"({a} if {self.condition()} else {self.number(depth + 1)})",
                lambda: f"max({a}, {self.number(depth + 1)})",
                lambda: f"{{'a': {a}, 'b': 2}}[{r.choice(['a', 'b'])!r}]",
                lambda: f"{self.pick('t')}.shape[{r.randint(0, 1)}]",
                lambda: f"[i * {a} for i in range(3)][{r.choice(['0', '1', '-1', '7'])}]",
                lambda: f"int(f'{{{self.pick('n')}:d}}')",
            ]
        )()

    def condition(self) -> str:
        r = self.random
        return r.choice(
            [
                lambda: f"{self.pick('n')} {r.choice(['<', '>', '==', '!='])} {r.randint(-2, 4)}",
                lambda: f"{self.pick('n')} % 2 == 0 and {self.pick('n')} < 5",
                lambda: f"not {self.pick('c')}",
                lambda: f"{self.pick('t')}.sum() > {r.randint(-5, 5)}",
                lambda: f"{r.randint(0, 3)} in {self.pick('c')}",
            ]
        )()

    # -- statements --------------------------------------------------------------------------------------------------

    def block(self, depth: int) -> None:
        count = self.random.randint(1, 4 if depth > 1 else 9)
        for _ in range(count):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        r = self.random
        self.budget -= 1
        simple = [
            self.assign_tensor,
            self.assign_tensor,
            self.assign_number,
            self.mutate_list,
            self.print_something,
            self.update_in_place,
            self.unpack,
        ]
        nested = [self.if_statement, self.for_statement, self.while_statement, self.try_statement, self.call_local]
        deep = depth > 3 or self.budget <= 0
        r.choice(simple if deep or r.random() < 0.6 else nested)(depth)

    def assign_tensor(self, depth: int) -> None:
        self.emit(depth, f"{self.pick('t')} = {self.tensor()}")

    def assign_number(self, depth: int) -> None:
        self.emit(depth, f"{self.pick('n')} = {self.number()}")

    def unpack(self, depth: int) -> None:
        a, b = self.pick("t"), self.pick("n")
        if a != b:
            self.emit(depth, f"{a}, {b} = {self.tensor()}, {self.number()}")

    def mutate_list(self, depth: int) -> None:
        c, n = self.pick("c"), self.number()
        r = self.random
        self.emit(depth, r.choice([f"{c}.append({n})", f"{c}.pop()", f"{c}[0] = {n}", f"{c} += [{n}]", f"log.append({n})"]))

    def update_in_place(self, depth: int) -> None:
        r = self.random
        t = self.pick("t")
        self.emit(depth, f"{t} = {t}.clone()")
        self.emit(depth, r.choice([f"{t} += {self.number()}", f"{t}.mul_({self.pick('n')})", f"{t}[0] = {self.pick('n')}"]))

    def print_something(self, depth: int) -> None:
        self.emit(depth, self.random.choice([f"print({self.pick('n')})", f"print({self.pick('t')}.shape)", "print(c0)"]))

    def if_statement(self, depth: int) -> None:
        self.emit(depth, f"if {self.condition()}:")
        self.block(depth + 1)
        if self.random.random() < 0.5:
            self.emit(depth, "else:")
            self.block(depth + 1)

    def for_statement(self, depth: int) -> None:
        r = self.random
        name = f"i{len(self.lines)}"
        over = r.choice([f"range({r.randint(0, 4)})", "list(c0)", "enumerate([5, 6])", f"zip([1, 2], {self.pick('c')})"])
        pair = over.startswith(("enumerate", "zip"))
        self.emit(depth, f"for {name + ', j' + name if pair else name} in {over}:")
        self.emit(depth + 1, f"n0 = (n0 + {name}) % 11")
        self.in_loop += 1
        self.block(depth + 1)
        if r.random() < 0.3:
            self.emit(depth + 1, f"if {self.condition()}: {r.choice(['break', 'continue'])}")
        self.in_loop -= 1

    def while_statement(self, depth: int) -> None:
        name = f"w{len(self.lines)}"
        self.emit(depth, f"{name} = 0")
        self.emit(depth, f"while {name} < {self.random.randint(1, 4)}:")
        self.emit(depth + 1, f"{name} += 1")
        self.block(depth + 1)

    def try_statement(self, depth: int) -> None:
        r = self.random
        self.emit(depth, "try:")
        self.block(depth + 1)
        if r.random() < 0.4:
            self.emit(depth + 1, r.choice(["raise ValueError(n0)", "c0[99]", "n0 // 0", "tx.view(7)"]))
        self.emit(depth, f"except {r.choice(['Exception', '(ValueError, ZeroDivisionError)', 'IndexError'])} as error:")
        self.emit(depth + 1, "log.append(type(error).__name__)")
        if r.random() < 0.3:
            self.emit(depth, "finally:")
            self.emit(depth + 1, "log.append('finally')")

    def call_local(self, depth: int) -> None:
        name = f"g{len(self.lines)}"
        self.emit(depth, f"def {name}(t, k=2, *rest, scale=1):")
        if self.random.random() < 0.3:
            self.emit(depth + 1, "print('called', k)")
        self.emit(depth + 1, f"log.append(k); return t * scale + k + {self.pick('n')}")
        arguments = self.random.choice(["", ", 3", ", k=4", ", 1, 2, scale=3", ", *c0"])
        self.emit(depth, f"{self.pick('t')} = {name}({self.pick('t')}{arguments})")


def make_source(seed: int) -> str:
    """The source text of program number ``seed``."""
    return ProgramMaker(seed).source()
