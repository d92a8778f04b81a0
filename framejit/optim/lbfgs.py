"""L-BFGS, with a strong Wolfe line search on request."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import framejit as fj
from framejit import Tensor
from framejit.optim.optimizer import Optimizer, require

_PAIRS_KEPT_ABOVE = 1e-10  # curvature below which a pair of differences would spoil the approximation


class _Point(NamedTuple):
    """The loss along a line: at ``t``, its value, gradient, and slope along the line."""

    t: float
    loss: float
    gradient: Tensor
    slope: float


class LBFGS(Optimizer):
    """Quasi-Newton steps from the last ``history_size`` gradients: Nocedal, Wright, *Numerical optimization* (2006).

    ``step`` needs a closure, which it calls several times. All parameters are one group.

    Args:
        max_iter: iterations in one step.
        max_eval: evaluations of the closure in one step (default ``max_iter * 5 / 4``).
        tolerance_grad, tolerance_change: the step ends when all gradients, or all changes, are smaller.
        line_search_fn: ``"strong_wolfe"``, or None to always take ``lr`` as the step length.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        require(lr >= 0, "learning rate", lr)
        defaults = dict(
            lr=lr,
            max_iter=max_iter,
            max_eval=max_iter * 5 // 4 if max_eval is None else max_eval,
            tolerance_grad=tolerance_grad,
            tolerance_change=tolerance_change,
            history_size=history_size,
            line_search_fn=line_search_fn,
        )
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        if line_search_fn not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        self._params = self.param_groups[0]["params"]

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._params = self.param_groups[0]["params"]

    def step(self, closure: Callable[[], Any]) -> Any:
        """Up to ``max_iter`` iterations; returns the loss before them."""
        with fj.no_grad():
            return self._minimize(fj.enable_grad()(closure))

    def _minimize(self, closure: Callable[[], Any]) -> Any:
        group, state = self.param_groups[0], self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss, gradient = float(first_loss), self._flat_gradient()
        evaluations = 1
        state["func_evals"] += 1
        iteration = 0
        converged = _largest(gradient) <= group["tolerance_grad"]
        while not converged and iteration < group["max_iter"]:
            iteration += 1
            state["n_iter"] += 1
            direction = self._direction(state, gradient, group["history_size"])
            previous = loss
            slope = float(gradient.dot(direction))
            first = state["n_iter"] == 1
            length = float(group["lr"]) * (min(1.0, 1.0 / float(gradient.abs().sum())) if first else 1.0)
            state.update(d=direction, prev_flat_grad=gradient.clone(), prev_loss=loss, t=length)
            if slope > -group["tolerance_change"]:  # not a descent worth taking
                break
            used = 0
            if group["line_search_fn"] is not None:
                start = [parameter.clone() for parameter in self._params]
                at_start = _Point(0.0, loss, gradient, slope)
                best, used = _strong_wolfe(
                    functools.partial(self._probe, closure, start, direction), at_start, length, direction
                )
                length, loss, gradient = best.t, best.loss, best.gradient
                self._move(length, direction)
            else:
                self._move(length, direction)
                if iteration != group["max_iter"]:  # nobody needs the loss after the last one
                    loss, gradient = float(closure()), self._flat_gradient()
                    used = 1
            state["t"] = length
            evaluations += used
            state["func_evals"] += used
            converged = (
                evaluations >= group["max_eval"]
                or _largest(gradient) <= group["tolerance_grad"]
                or _largest(direction) * length <= group["tolerance_change"]
                or abs(loss - previous) < group["tolerance_change"]
            )
        return first_loss

    def _direction(self, state: dict[str, Any], gradient: Tensor, history_size: int) -> Tensor:
        """Minus the approximated inverse Hessian times the gradient, by the two-loop recursion."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
            return gradient.neg()
        changes, steps, inverses = state["old_dirs"], state["old_stps"], state["ro"]
        change, step = gradient.sub(state["prev_flat_grad"]), state["d"].mul(state["t"])
        curvature = float(change.dot(step))
        if curvature > _PAIRS_KEPT_ABOVE:
            for kept, new in ((changes, change), (steps, step), (inverses, 1.0 / curvature)):
                if len(kept) == history_size:
                    kept.pop(0)
                kept.append(new)
            state["H_diag"] = curvature / float(change.dot(change))
        direction = gradient.neg()
        weights = [0.0] * len(changes)
        for i in reversed(range(len(changes))):
            weights[i] = float(steps[i].dot(direction)) * inverses[i]
            direction.add_(changes[i], alpha=-weights[i])
        direction.mul_(state["H_diag"])
        for i in range(len(changes)):
            correction = float(changes[i].dot(direction)) * inverses[i]
            direction.add_(steps[i], alpha=weights[i] - correction)
        return direction

    def _flat_gradient(self) -> Tensor:
        return fj.cat(
            [p.new_zeros(p.numel()) if p.grad is None else p.grad.reshape(-1) for p in self._params]
        )

    def _move(self, length: float, direction: Tensor) -> None:
        offset = 0
        for parameter in self._params:
            count = parameter.numel()
            parameter.add_(direction[offset : offset + count].view_as(parameter), alpha=length)
            offset += count

    def _probe(self, closure: Callable[[], Any], start: list[Tensor], direction: Tensor, t: float) -> _Point:
        """The loss at ``start + t * direction``; the parameters stay at ``start``."""
        self._move(t, direction)
        loss, gradient = float(closure()), self._flat_gradient()
        for parameter, value in zip(self._params, start):
            parameter.copy_(value)
        return _Point(t, loss, gradient, float(gradient.dot(direction)))


def _largest(values: Tensor) -> float:
    return float(values.abs().max())


def _strong_wolfe(
    probe: Callable[[float], _Point],
    start: _Point,
    length: float,
    direction: Tensor,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance_change: float = 1e-9,
    max_probes: int = 25,
) -> tuple[_Point, int]:
    """A point that decreases the loss enough and has flattened enough: Nocedal, Wright, algorithms 3.5 and 3.6.

    Returns:
        The point, and how many probes were taken.
    """

    def too_high(point: _Point) -> bool:
        return point.loss > start.loss + c1 * point.t * start.slope

    def flat(point: _Point) -> bool:
        return abs(point.slope) <= -c2 * start.slope

    # 1. Go on until an interval contains such a point.
    previous, point = start, probe(length)
    probes, rounds = 1, 0
    low, high = start, point
    while rounds < max_probes:
        low, high = previous, point
        if too_high(point) or (rounds > 1 and point.loss >= previous.loss):
            break
        if flat(point):
            return point, probes
        if point.slope >= 0:
            break
        bounds = (point.t + 0.01 * (point.t - previous.t), point.t * 10)
        previous, point = point, probe(_cubic_minimum(previous, point, bounds))
        probes += 1
        rounds += 1
    if rounds == max_probes:
        low, high = start, point

    # 2. Shrink the interval; `best` and `other` are its ends, the lower one first.
    best, other = (low, high) if low.loss <= high.loss else (high, low)
    stalled = False
    while rounds < max_probes and abs(other.t - best.t) * _largest(direction) >= tolerance_change:
        t, stalled = _away_from_ends(_cubic_minimum(best, other), best.t, other.t, stalled)
        point = probe(t)
        probes += 1
        rounds += 1
        if too_high(point) or point.loss >= best.loss:
            best, other = (best, point) if best.loss <= point.loss else (point, best)
            continue
        if flat(point):
            return point, probes
        if point.slope * (other.t - best.t) >= 0:
            other = best
        best = point
    return best, probes


def _away_from_ends(t: float, end1: float, end2: float, stalled: bool) -> tuple[float, bool]:
    """``t``, moved inwards when it is near an end for the second time; and whether it was near this time."""
    low, high = min(end1, end2), max(end1, end2)
    margin = 0.1 * (high - low)
    if min(high - t, t - low) >= margin:
        return t, False
    if stalled or t >= high or t <= low:
        return (high - margin if abs(t - high) < abs(t - low) else low + margin), False
    return t, True


def _cubic_minimum(p: _Point, q: _Point, bounds: tuple[float, float] | None = None) -> float:
    """Where the cubic through two points and their slopes has its minimum, within ``bounds`` (default: between them)."""
    low, high = bounds or (min(p.t, q.t), max(p.t, q.t))
    d1 = p.slope + q.slope - 3 * (p.loss - q.loss) / (p.t - q.t)
    square = d1 * d1 - p.slope * q.slope
    if square < 0:
        return (low + high) / 2
    d2 = math.sqrt(square)
    left, right = (p, q) if p.t <= q.t else (q, p)
    t = right.t - (right.t - left.t) * ((right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2))
    return min(max(t, low), high)
