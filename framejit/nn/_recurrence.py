"""Recurrent networks in the cases that ``fj.lstm`` and its kin leave out: packed sequences and projected outputs.

One step of each kind of cell, and one direction of one layer over time; plain ops on tensors, so that autograd and the
compiler see through them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import framejit as fj
from framejit import Tensor
from framejit.nn import functional as F

State = tuple[Tensor, ...]  # (h,) or, for the LSTM, (h, c)
Step = Callable[[Tensor, State], State]  # (projected input of one time, state) -> next state


# --- one step; `gates` is the input already multiplied by weight_ih, plus bias_ih -------------------------------------


def _lstm_step(
    gates: Tensor, state: State, w_hh: Tensor, b_hh: Tensor | None, w_hr: Tensor | None = None
) -> State:
    """Hochreiter, Schmidhuber, *Long short-term memory* (1997); with ``w_hr`` the output is projected."""
    h, c = state
    i, f, g, o = (gates + F.linear(h, w_hh, b_hh)).chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return (h if w_hr is None else F.linear(h, w_hr)), c


def _gru_step(gates: Tensor, state: State, w_hh: Tensor, b_hh: Tensor | None) -> State:
    """Cho et al., *Learning phrase representations using RNN encoder-decoder* (2014), in cuDNN's form."""
    (h,) = state
    r_x, z_x, n_x = gates.chunk(3, -1)
    r_h, z_h, n_h = F.linear(h, w_hh, b_hh).chunk(3, -1)
    new = (n_x + (r_x + r_h).sigmoid() * n_h).tanh()
    return (new + (z_x + z_h).sigmoid() * (h - new),)


def _tanh_step(gates: Tensor, state: State, w_hh: Tensor, b_hh: Tensor | None) -> State:
    return ((gates + F.linear(state[0], w_hh, b_hh)).tanh(),)


def _relu_step(gates: Tensor, state: State, w_hh: Tensor, b_hh: Tensor | None) -> State:
    return ((gates + F.linear(state[0], w_hh, b_hh)).relu(),)


STEPS: dict[str, Callable[..., State]] = {
    "LSTM": _lstm_step,
    "GRU": _gru_step,
    "RNN_TANH": _tanh_step,
    "RNN_RELU": _relu_step,
}


# --- over time --------------------------------------------------------------------------------------------------------


def run_forward(inputs: Sequence[Tensor], state: State, step: Step) -> tuple[list[Tensor], State]:
    """Steps through ``inputs``, whose batches may shrink over time (packed sequences are sorted by length).

    Returns:
        The outputs at each time, and every sequence's state after its own last step.
    """
    outputs: list[Tensor] = []
    finished: list[State] = []  # states of the sequences that have ended, latest last
    for x in inputs:
        batch = x.shape[0]
        if batch < state[0].shape[0]:
            finished.append(tuple([s[batch:] for s in state]))
            state = tuple([s[:batch] for s in state])
        state = step(x, state)
        outputs.append(state[0])
    if finished:
        finished.append(state)
        state = tuple([fj.cat([part[i] for part in reversed(finished)]) for i in range(len(state))])
    return outputs, state


def run_backward(inputs: Sequence[Tensor], state: State, step: Step) -> tuple[list[Tensor], State]:
    """As :func:`run_forward`, from the last time to the first: batches grow as shorter sequences join."""
    outputs: list[Tensor] = []
    first = state
    batch = inputs[-1].shape[0]
    if batch < state[0].shape[0]:
        state = tuple([s[:batch] for s in state])
    for x in reversed(inputs):
        if x.shape[0] > batch:
            joining = slice(batch, x.shape[0])
            batch = x.shape[0]
            state = tuple([fj.cat([s, start[joining]]) for s, start in zip(state, first)])
        state = step(x, state)
        outputs.append(state[0])
    outputs.reverse()
    return outputs, state
