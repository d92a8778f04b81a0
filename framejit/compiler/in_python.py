"""Iterators and callables of the standard library that are written in C, as the tracer sees them: functions to inline instead.

A row of ``IN_PYTHON`` gives for the original the function that is traced in its place. It takes the same arguments, calls
``iter()`` and everything else at the same moments and gives the same items; the object that it returns is a generator or a
function of this module, which never leaves a trace (where it would, or where its type is asked for, the trace ends before the
call, and the original is called). Arguments that the original refuses may raise anything: the statement then runs as it is
written.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any


def _chain(iterables: Iterable[Iterable[Any]]) -> Iterator[Any]:
    for iterable in iterables:
        yield from iterable


def chain(*iterables: Iterable[Any]) -> Iterator[Any]:
    return _chain(iterables)


def chain_from_iterable(iterable: Iterable[Iterable[Any]], /) -> Iterator[Any]:
    return _chain(iter(iterable))


def count(start: Any = 0, step: Any = 1) -> Iterator[Any]:
    while True:
        yield start
        start = start + step


def dict_fromkeys(iterable: Iterable[Any], value: Any = None, /) -> dict[Any, Any]:
    result = {}
    for key in iterable:
        result[key] = value
    return result


def _cycle(iterator: Iterator[Any]) -> Iterator[Any]:
    seen = []
    for item in iterator:
        yield item
        seen.append(item)
    while seen:
        for item in seen:
            yield item


def cycle(iterable: Iterable[Any], /) -> Iterator[Any]:
    return _cycle(iter(iterable))


def _repeat(item: Any, times: Any) -> Iterator[Any]:
    while times is ...:
        yield item
    for _ in range(times):
        yield item


def repeat(object: Any, times: Any = ...) -> Iterator[Any]:
    return _repeat(object, times)


def _accumulate(iterator: Iterator[Any], function: Callable[..., Any] | None, initial: Any) -> Iterator[Any]:
    total = initial
    if initial is None:
        for total in iterator:  # noqa: B007  (the first item, if there is one)
            break
        else:
            return
    yield total
    for item in iterator:
        total = total + item if function is None else function(total, item)
        yield total


def accumulate(
    iterable: Iterable[Any], func: Callable[..., Any] | None = None, *, initial: Any = None
) -> Iterator[Any]:
    return _accumulate(iter(iterable), func, initial)


def _islice(iterator: Iterator[Any], start: int, stop: int | None, step: int) -> Iterator[Any]:
    taken, wanted = 0, start
    while True:
        while taken < wanted:
            for _ in iterator:
                break
            else:
                return
            taken += 1
        if stop is not None and taken >= stop:
            return
        for item in iterator:  # noqa: B007
            break
        else:
            return
        taken += 1
        wanted += step
        if stop is not None and wanted > stop:
            wanted = stop
        yield item


def islice(iterable: Iterable[Any], /, *bounds: int | None) -> Iterator[Any]:
    limits = slice(*bounds)
    start, step = limits.start or 0, 1 if limits.step is None else limits.step
    if start < 0 or step < 1 or (limits.stop is not None and limits.stop < 0):
        raise ValueError("islice: got a negative index, or a step below 1")
    return _islice(iter(iterable), start, limits.stop, step)


def _starmap(function: Callable[..., Any], iterator: Iterator[Iterable[Any]]) -> Iterator[Any]:
    for arguments in iterator:
        yield function(*arguments)


def starmap(function: Callable[..., Any], iterable: Iterable[Iterable[Any]], /) -> Iterator[Any]:
    return _starmap(function, iter(iterable))


def _zip_longest(iterators: list[Iterator[Any]], fill: Any) -> Iterator[tuple[Any, ...]]:
    running = [True for _ in iterators]
    while True:
        items = []
        for i, iterator in enumerate(iterators):
            item = fill
            if running[i]:
                for item in iterator:  # noqa: B007
                    break
                else:
                    running[i] = False
                    if not any(running):
                        return
                    item = fill
            items.append(item)
        if not any(running):
            return
        yield tuple(items)


def zip_longest(*iterables: Iterable[Any], fillvalue: Any = None) -> Iterator[tuple[Any, ...]]:
    return _zip_longest([iter(iterable) for iterable in iterables], fillvalue)


def _product(pools: list[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    if not pools:
        yield ()
        return
    for head in _product(pools[:-1]):
        for item in pools[-1]:
            yield (*head, item)


def product(*iterables: Iterable[Any], repeat: int = 1) -> Iterator[tuple[Any, ...]]:
    if repeat < 0:
        raise ValueError("repeat argument cannot be negative")
    return _product([tuple(iterable) for iterable in iterables] * repeat)


def _combinations(pool: tuple[Any, ...], length: int, first: int, again: int) -> Iterator[tuple[Any, ...]]:
    """``again`` 0: an item may follow itself; 1: not."""
    if length == 0:
        yield ()
        return
    for i in range(first, len(pool)):
        for tail in _combinations(pool, length - 1, i + again, again):
            yield (pool[i], *tail)


def combinations(iterable: Iterable[Any], r: int) -> Iterator[tuple[Any, ...]]:
    if r < 0:
        raise ValueError("r must be non-negative")
    return _combinations(tuple(iterable), r, 0, 1)


def combinations_with_replacement(iterable: Iterable[Any], r: int) -> Iterator[tuple[Any, ...]]:
    if r < 0:
        raise ValueError("r must be non-negative")
    return _combinations(tuple(iterable), r, 0, 0)


def _permutations(pool: tuple[Any, ...], length: int) -> Iterator[tuple[Any, ...]]:
    if length == 0:
        yield ()
        return
    for i in range(len(pool)):
        for tail in _permutations(pool[:i] + pool[i + 1 :], length - 1):
            yield (pool[i], *tail)


def permutations(iterable: Iterable[Any], r: int | None = None) -> Iterator[tuple[Any, ...]]:
    pool = tuple(iterable)
    if r is not None and r < 0:
        raise ValueError("r must be non-negative")
    return _permutations(pool, len(pool) if r is None else r)


def _takewhile(predicate: Callable[[Any], Any], iterator: Iterator[Any]) -> Iterator[Any]:
    for item in iterator:
        if not predicate(item):
            return
        yield item


def takewhile(predicate: Callable[[Any], Any], iterable: Iterable[Any], /) -> Iterator[Any]:
    return _takewhile(predicate, iter(iterable))


def _dropwhile(predicate: Callable[[Any], Any], iterator: Iterator[Any]) -> Iterator[Any]:
    for item in iterator:
        if not predicate(item):
            yield item
            break
    for item in iterator:
        yield item


def dropwhile(predicate: Callable[[Any], Any], iterable: Iterable[Any], /) -> Iterator[Any]:
    return _dropwhile(predicate, iter(iterable))


def _filterfalse(predicate: Callable[[Any], Any] | None, iterator: Iterator[Any]) -> Iterator[Any]:
    for item in iterator:
        if not (item if predicate is None else predicate(item)):
            yield item


def filterfalse(predicate: Callable[[Any], Any] | None, iterable: Iterable[Any], /) -> Iterator[Any]:
    return _filterfalse(predicate, iter(iterable))


def _compress(data: Iterator[Any], selectors: Iterator[Any]) -> Iterator[Any]:
    for item, chosen in zip(data, selectors, strict=False):
        if chosen:
            yield item


def compress(data: Iterable[Any], selectors: Iterable[Any]) -> Iterator[Any]:
    return _compress(iter(data), iter(selectors))


def _pairwise(iterator: Iterator[Any]) -> Iterator[tuple[Any, Any]]:
    for first in iterator:
        for second in iterator:
            yield first, second
            first = second


def pairwise(iterable: Iterable[Any], /) -> Iterator[tuple[Any, Any]]:
    return _pairwise(iter(iterable))


def _tee(iterator: Iterator[Any], items: list[Any]) -> Iterator[Any]:
    """``items``: what any of the iterators has read, shared by all."""
    position = 0
    while True:
        if position == len(items):
            for item in iterator:
                items.append(item)
                break
            else:
                return
        yield items[position]
        position += 1


def tee(iterable: Iterable[Any], n: int = 2, /) -> tuple[Iterator[Any], ...]:
    if n < 0:
        raise ValueError("n must be >= 0")
    iterator = iter(iterable)
    items: list[Any] = []
    return tuple([_tee(iterator, items) for _ in range(n)])


class _Groups:
    """Where a groupby is: the latest item and its key, and which group may read on."""

    def __init__(self, iterator: Iterator[Any], key: Callable[[Any], Any] | None) -> None:
        self.iterator, self.function = iterator, key
        self.value = self.key = None
        self.group, self.ended = 0, False

    def advance(self) -> None:
        for value in self.iterator:
            self.value, self.key = value, value if self.function is None else self.function(value)
            break
        else:
            self.ended = True

    def is_in(self, key: Any) -> bool:
        return not self.ended and [self.key] == [key]  # lists compare by identity first


def _group(groups: _Groups, key: Any, number: int) -> Iterator[Any]:
    while groups.group == number and groups.is_in(key):
        yield groups.value
        if groups.group == number:
            groups.advance()


def _groupby(groups: _Groups) -> Iterator[tuple[Any, Iterator[Any]]]:
    groups.advance()
    while not groups.ended:
        key = groups.key
        groups.group += 1
        yield key, _group(groups, key, groups.group)
        while groups.is_in(key):
            groups.advance()


def groupby(iterable: Iterable[Any], key: Callable[[Any], Any] | None = None) -> Iterator[tuple[Any, Iterator[Any]]]:
    return _groupby(_Groups(iter(iterable), key))


def itemgetter(item: Any, /, *items: Any) -> Callable[[Any], Any]:
    def get(obj: Any, /) -> Any:
        return obj[item]

    def get_several(obj: Any, /) -> tuple[Any, ...]:
        return tuple([obj[each] for each in (item, *items)])

    return get_several if items else get


def attrgetter(attr: str, /, *attrs: str) -> Callable[[Any], Any]:
    def resolve(obj: Any, path: str) -> Any:
        for name in path.split("."):
            obj = getattr(obj, name)
        return obj

    def get(obj: Any, /) -> Any:
        return resolve(obj, attr)

    def get_several(obj: Any, /) -> tuple[Any, ...]:
        return tuple([resolve(obj, path) for path in (attr, *attrs)])

    return get_several if attrs else get


def methodcaller(name: str, /, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    def call(obj: Any, /) -> Any:
        return getattr(obj, name)(*args, **kwargs)

    return call


IN_PYTHON: dict[Callable[..., Any], Callable[..., Any]] = {
    dict.fromkeys: dict_fromkeys,
    itertools.accumulate: accumulate,
    itertools.chain: chain,
    itertools.chain.from_iterable: chain_from_iterable,
    itertools.combinations: combinations,
    itertools.combinations_with_replacement: combinations_with_replacement,
    itertools.compress: compress,
    itertools.count: count,
    itertools.cycle: cycle,
    itertools.dropwhile: dropwhile,
    itertools.filterfalse: filterfalse,
    itertools.groupby: groupby,
    itertools.islice: islice,
    itertools.pairwise: pairwise,
    itertools.permutations: permutations,
    itertools.product: product,
    itertools.repeat: repeat,
    itertools.starmap: starmap,
    itertools.takewhile: takewhile,
    itertools.tee: tee,
    itertools.zip_longest: zip_longest,
    operator.attrgetter: attrgetter,
    operator.itemgetter: itemgetter,
    operator.methodcaller: methodcaller,
}
