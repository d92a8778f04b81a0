"""Recurrent networks: RNN, LSTM, GRU over sequences, and their cells."""

from __future__ import annotations

import functools
import math
import numbers
import warnings
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.nn import _recurrence, init
from framejit.nn import functional as F
from framejit.nn.modules.module import Module
from framejit.nn.parameter import Parameter
from framejit.nn.utils.rnn import PackedSequence

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(Module):
    """Layers of one kind of recurrence, one or both directions.

    Shapes: input ``(L, N, input_size)``, ``(N, L, input_size)`` with ``batch_first``, ``(L, input_size)``, or a
    :class:`~framejit.nn.utils.rnn.PackedSequence`; states ``(num_layers * directions, N, size)``.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        _check_sizes(input_size, hidden_size, num_layers, proj_size, mode)
        _check_dropout(dropout, num_layers)
        self.mode, self.input_size, self.hidden_size, self.num_layers = (
            mode,
            input_size,
            hidden_size,
            num_layers,
        )
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse") if bidirectional else ("",):
                self._add_weights(layer, suffix, device, dtype)
        self.reset_parameters()

    def _add_weights(self, layer: int, suffix: str, device: Any, dtype: Any) -> None:
        gates = _GATES[self.mode] * self.hidden_size
        output = self.proj_size or self.hidden_size
        inputs = self.input_size if layer == 0 else output * (2 if self.bidirectional else 1)
        shapes: dict[str, tuple[int, ...]] = {"weight_ih": (gates, inputs), "weight_hh": (gates, output)}
        if self.bias:
            shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        names = [f"{name}_l{layer}{suffix}" for name in shapes]
        for name, shape in zip(names, shapes.values()):
            setattr(self, name, Parameter(fj.empty(shape, device=device, dtype=dtype)))
        self._all_weights.append(names)

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights(self) -> list[Parameter]:
        return [weight for weights in self.all_weights for weight in weights]

    def reset_parameters(self) -> None:
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self) -> None:
        """Does nothing: it lays weights out for cuDNN in PyTorch."""

    # -- shapes ------------------------------------------------------------------------------------------------------

    def check_input(self, input: Tensor, batch_sizes: Any) -> None:
        expected = 2 if batch_sizes is not None else 3
        if input.dim() != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if self.input_size != input.shape[-1]:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )

    def check_hidden_size(
        self, hx: Tensor, expected: tuple, message: str = "Expected hidden size {}, got {}"
    ) -> None:
        if tuple(hx.shape) != expected:
            raise RuntimeError(message.format(expected, list(hx.shape)))

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """Of the state ``h`` for an input of one row of batches per time, or packed."""
        if batch_sizes is not None:
            batch = int(batch_sizes[0])
        else:
            batch = input.size(0 if self.batch_first else 1)
        return self.num_layers * (2 if self.bidirectional else 1), batch, self.proj_size or self.hidden_size

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The states in another order of the batch."""
        if permutation is None:
            return hx
        return self._from_tuple(tuple([state.index_select(1, permutation) for state in self._as_tuple(hx)]))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raises where input or states are not of the expected sizes."""
        self.check_input(input, batch_sizes)
        self._check_state(self._as_tuple(hidden), self.get_expected_hidden_size(input, batch_sizes)[1])

    def _check_state(self, states: tuple[Tensor, ...], batch: int) -> None:
        count = self.num_layers * (2 if self.bidirectional else 1)
        sizes = (self.proj_size or self.hidden_size, self.hidden_size)
        messages = ["Expected hidden size {}, got {}"]
        if len(states) == 2:
            messages = ["Expected hidden[0] size {}, got {}", "Expected hidden[1] size {}, got {}"]
        for state, size, message in zip(states, sizes, messages):
            self.check_hidden_size(state, (count, batch, size), message)

    def _zero_state(self, input: Tensor, batch: int) -> tuple[Tensor, ...]:
        count = self.num_layers * (2 if self.bidirectional else 1)
        h = fj.zeros(
            (count, batch, self.proj_size or self.hidden_size), dtype=input.dtype, device=input.device
        )
        if self.mode != "LSTM":
            return (h,)
        return h, fj.zeros((count, batch, self.hidden_size), dtype=input.dtype, device=input.device)

    # -- running -----------------------------------------------------------------------------------------------------

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            raise ValueError(f"{self._get_name()}: Expected input to be 2D or 3D, got {input.dim()}D instead")
        batched = input.dim() == 3
        states = None if hx is None else self._as_tuple(hx)
        if states is not None:
            self._check_batching(states, batched)
        if not batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
            states = None if states is None else tuple([s.unsqueeze(1) for s in states])
        self.check_input(input, None)
        times = input.transpose(0, 1) if self.batch_first else input
        states = self._zero_state(input, times.shape[1]) if states is None else states
        self._check_state(states, times.shape[1])
        output, states = self._run_layers(times, states, None)
        if self.batch_first:
            output = output.transpose(0, 1)
        if not batched:
            output = output.squeeze(0 if self.batch_first else 1)
            states = tuple([s.squeeze(1) for s in states])
        return output, self._from_tuple(states)

    def _check_batching(self, states: tuple[Tensor, ...], batched: bool) -> None:
        if all(state.dim() == (3 if batched else 2) for state in states):
            return
        got = ", ".join(f"{state.dim()}-D" for state in states)
        kind, dims = ("batched 3-D", 3) if batched else ("unbatched 2-D", 2)
        if self.mode == "LSTM":
            raise RuntimeError(
                f"{self._get_name()}: For {kind} input, hx and cx should also be {dims}-D but got ({got}) tensors"
            )
        raise RuntimeError(
            f"{self._get_name()}: For {kind} input, hx should also be {dims}-D but got {got} tensor"
        )

    def _forward_packed(self, packed: PackedSequence, hx: Any) -> tuple[PackedSequence, Any]:
        data, batch_sizes, sorted_indices, unsorted_indices = packed
        sizes = batch_sizes.tolist()
        self.check_input(data, batch_sizes)
        if hx is None:
            states = self._zero_state(data, sizes[0])
        else:
            states = self._as_tuple(hx)
            if sorted_indices is not None:
                states = tuple([state.index_select(1, sorted_indices) for state in states])
        self._check_state(states, sizes[0])
        output, states = self._run_layers(data, states, sizes)
        if unsorted_indices is not None:
            states = tuple([state.index_select(1, unsorted_indices) for state in states])
        return PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices), self._from_tuple(states)

    def _run_layers(
        self, data: Tensor, states: tuple[Tensor, ...], sizes: list[int] | None
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """All layers over ``data``: ``(L, N, F)``, or ``(sum(sizes), F)`` with the batch sizes of each time."""
        if sizes is None and not self.proj_size:
            return self._run_op(data, states)
        finals: list[tuple[Tensor, ...]] = []
        directions = 2 if self.bidirectional else 1
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(directions):
                index = layer * directions + direction
                start = tuple([state[index] for state in states])
                output, final = self._run_direction(data, start, index, direction == 1, sizes)
                outputs.append(output)
                finals.append(final)
            data = outputs[0] if directions == 1 else fj.cat(outputs, -1)
            if self.dropout and layer < self.num_layers - 1:
                data = F.dropout(data, self.dropout, self.training)
        return data, tuple([fj.stack([final[i] for final in finals]) for i in range(len(states))])

    def _run_op(self, data: Tensor, states: tuple[Tensor, ...]) -> tuple[Tensor, tuple[Tensor, ...]]:
        """All layers by the op of the table."""
        options = (self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, False)
        weights = self._flat_weights
        if self.mode == "LSTM":
            output, h, c = fj.lstm(data, states, weights, *options)
            return output, (h, c)
        run = {"GRU": fj.gru, "RNN_TANH": fj.rnn_tanh, "RNN_RELU": fj.rnn_relu}[self.mode]
        output, h = run(data, states[0], weights, *options)
        return output, (h,)

    def _run_direction(
        self, data: Tensor, start: tuple[Tensor, ...], index: int, reverse: bool, sizes: list[int] | None
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        weights = {name.split("_l")[0]: getattr(self, name) for name in self._all_weights[index]}
        # The inputs of all times are multiplied at once; only the state's part is sequential.
        gates = F.linear(data, weights["weight_ih"], weights.get("bias_ih"))
        step = functools.partial(
            _recurrence.STEPS[self.mode], w_hh=weights["weight_hh"], b_hh=weights.get("bias_hh")
        )
        if "weight_hr" in weights:
            step = functools.partial(step, w_hr=weights["weight_hr"])
        inputs = gates.unbind(0) if sizes is None else gates.split(sizes)
        run = _recurrence.run_backward if reverse else _recurrence.run_forward
        outputs, final = run(inputs, start, step)
        return (fj.stack(outputs) if sizes is None else fj.cat(outputs)), final

    def _as_tuple(self, hx: Any) -> tuple[Tensor, ...]:
        return tuple(hx) if self.mode == "LSTM" else (hx,)

    def _from_tuple(self, states: tuple[Tensor, ...]) -> Any:
        return states if self.mode == "LSTM" else states[0]

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        if self.proj_size:
            parts.append(f"proj_size={self.proj_size}")
        if self.num_layers != 1:
            parts.append(f"num_layers={self.num_layers}")
        if not self.bias:
            parts.append(f"bias={self.bias}")
        if self.batch_first:
            parts.append(f"batch_first={self.batch_first}")
        if self.dropout:
            parts.append(f"dropout={self.dropout}")
        if self.bidirectional:
            parts.append(f"bidirectional={self.bidirectional}")
        return ", ".join(parts)


def _check_sizes(input_size: int, hidden_size: int, num_layers: int, proj_size: int, mode: str) -> None:
    if not isinstance(hidden_size, int):
        raise TypeError(f"hidden_size should be of type int, got: {type(hidden_size).__name__}")
    if hidden_size <= 0:
        raise ValueError("hidden_size must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")
    if mode not in _GATES:
        raise ValueError(f"Unrecognized RNN mode: {mode}")


def _check_dropout(dropout: float, num_layers: int) -> None:
    if not isinstance(dropout, numbers.Number) or isinstance(dropout, bool) or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        )
    if dropout > 0 and num_layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
            f"greater than 1, but got dropout={dropout} and num_layers={num_layers}",
            stacklevel=4,
        )


class RNN(RNNBase):
    """Elman network: ``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)``, or with ReLU."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        self_mode = f"RNN_{nonlinearity.upper()}"
        super().__init__(
            self_mode,
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            0,
            device,
            dtype,
        )
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory; returns ``output, (h, c)``."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            proj_size,
            device,
            dtype,
        )


class GRU(RNNBase):
    """Gated recurrent unit; returns ``output, h``."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            0,
            device,
            dtype,
        )


class RNNCellBase(Module):
    """One step of a recurrence. Shapes: input ``(N, input_size)`` or ``(input_size)``, state likewise."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        gates = num_chunks * hidden_size
        self.weight_ih = Parameter(fj.empty((gates, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(fj.empty((gates, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            values = Parameter(fj.empty(gates, device=device, dtype=dtype)) if bias else None
            self.register_parameter(name, values)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _check(self, input: Tensor, *states: Tensor) -> None:
        for what, tensor in (("input", input), *[("hidden", state) for state in states]):
            if tensor.dim() not in (1, 2):
                raise ValueError(
                    f"{self._get_name()}: Expected {what} to be 1D or 2D, got {tensor.dim()}D instead"
                )

    def _zeros(self, input: Tensor) -> Tensor:
        return fj.zeros((*input.shape[:-1], self.hidden_size), dtype=input.dtype, device=input.device)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        return text if self.bias else f"{text}, bias={self.bias}"


class RNNCell(RNNCellBase):
    """``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)``, or with ReLU."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        h = self._zeros(input) if hx is None else hx
        self._check(input, h)
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if self.nonlinearity == "tanh":
            return fj.rnn_tanh_cell(input, h, *weights)
        if self.nonlinearity == "relu":
            return fj.rnn_relu_cell(input, h, *weights)
        raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")

    def extra_repr(self) -> str:
        text = super().extra_repr()
        return text if self.nonlinearity == "tanh" else f"{text}, nonlinearity={self.nonlinearity}"


class LSTMCell(RNNCellBase):
    """One step of an LSTM: ``(h, c)``."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        if hx is None:
            zeros = self._zeros(input)
            hx = (zeros, zeros)
        self._check(input, hx[0], hx[1])
        return fj.lstm_cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


class GRUCell(RNNCellBase):
    """One step of a GRU."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        h = self._zeros(input) if hx is None else hx
        self._check(input, h)
        return fj.gru_cell(input, h, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
