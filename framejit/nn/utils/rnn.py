"""Batches of sequences of different lengths: padded tensors and :class:`PackedSequence`."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

import framejit as fj
from framejit import Tensor


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Packed):
    """Sequences sorted by falling length, stored time by time without padding.

    Attributes:
        data: ``(sum of lengths, *)``: the elements at time 0 of all sequences, then those at time 1, ...
        batch_sizes: how many sequences there are at each time.
        sorted_indices: which sequence of the caller's each one was; ``unsorted_indices`` is its inverse.
    """

    def __new__(
        cls,
        data: Tensor,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        if batch_sizes is None:
            raise ValueError(
                "PackedSequence: expected batch_sizes. Try pack_padded_sequence or pack_sequence."
            )
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The sequence with its data moved or cast as :meth:`Tensor.to` does."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else type(self)(data, *self[1:])

    def cpu(self) -> PackedSequence:
        return self.to("cpu")

    def double(self) -> PackedSequence:
        return self.to(dtype=fj.float64)

    def float(self) -> PackedSequence:
        return self.to(dtype=fj.float32)

    def long(self) -> PackedSequence:
        return self.to(dtype=fj.int64)

    def int(self) -> PackedSequence:
        return self.to(dtype=fj.int32)

    def half(self) -> PackedSequence:
        return self.to(dtype=fj.float16)

    def short(self) -> PackedSequence:
        return self.to(dtype=fj.int16)

    def char(self) -> PackedSequence:
        return self.to(dtype=fj.int8)

    def byte(self) -> PackedSequence:
        return self.to(dtype=fj.uint8)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Raises: there is no GPU."""
        return self.to("cuda")

    def pin_memory(self) -> PackedSequence:
        """Itself: there is no GPU that would read it."""
        return self

    @property
    def is_cuda(self) -> bool:
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        return False


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes ``permutation``."""
    if permutation is None:
        return None
    positions = fj.arange(permutation.numel(), device=permutation.device)
    return fj.empty_like(permutation).scatter_(0, permutation, positions)


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Packs ``(L, N, *)`` (or ``(N, L, *)``) whose sequence ``i`` has ``lengths[i]`` elements.

    Raises:
        RuntimeError: lengths are not sorted though ``enforce_sorted``, not positive, or not one per sequence.
    """
    lengths = fj.as_tensor(lengths, dtype=fj.int64)
    sorted_indices = None
    if not enforce_sorted:
        lengths, sorted_indices = fj.sort(lengths, descending=True)
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    times = input.transpose(0, 1) if batch_first else input
    counts = lengths.tolist()
    _check_lengths(counts, times)
    longest = counts[0]
    sizes = [sum(1 for count in counts if count > time) for time in range(longest)]
    data = fj.cat([times[time, :size] for time, size in enumerate(sizes)])
    return PackedSequence(data, fj.tensor(sizes, dtype=fj.int64), sorted_indices, None)


def _check_lengths(counts: list[int], times: Tensor) -> None:
    if not times.numel():
        raise RuntimeError("Cannot pack empty tensors.")
    if len(counts) != times.shape[1]:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(counts)} (batch_size={times.shape[1]})"
        )
    if counts[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if any(earlier < later for earlier, later in itertools.pairwise(counts)):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement."
        )
    if counts[0] > times.shape[0]:
        raise RuntimeError(
            f"Expected lengths of at most {times.shape[0]}, the sequences' size, but got {counts[0]}"
        )


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """The padded tensor and the lengths that a packed sequence was made of; the inverse of packing."""
    sizes = sequence.batch_sizes.tolist()
    longest = len(sizes)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {longest}"
            )
        longest = total_length
    rows = []
    for part in sequence.data.split(sizes):
        missing = sizes[0] - part.shape[0]
        if missing:
            part = fj.cat([part, part.new_full((missing, *part.shape[1:]), padding_value)])
        rows.append(part)
    rows += [fj.full_like(rows[0], padding_value)] * (longest - len(rows))
    padded = fj.stack(rows)
    lengths = fj.tensor([sum(1 for size in sizes if size > i) for i in range(sizes[0])], dtype=fj.int64)
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(1, sequence.unsorted_indices)
        lengths = lengths.index_select(0, sequence.unsorted_indices)
    return (padded.transpose(0, 1) if batch_first else padded), lengths


def pad_sequence(
    sequences: Tensor | Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Stacks tensors of different lengths ``(L_i, *)`` to ``(L, N, *)``, or ``(N, L, *)`` with ``batch_first``."""
    if padding_side not in ("left", "right"):
        raise ValueError(f"padding_side should be either 'right' or 'left', but got {padding_side}")
    tensors = list(sequences.unbind(0)) if isinstance(sequences, Tensor) else list(sequences)
    if not tensors:
        raise RuntimeError("received an empty list of sequences")
    longest = max([tensor.shape[0] for tensor in tensors])
    padded = []
    for tensor in tensors:
        filler = tensor.new_full((longest - tensor.shape[0], *tensor.shape[1:]), padding_value)
        padded.append(fj.cat([tensor, filler] if padding_side == "right" else [filler, tensor]))
    return fj.stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences of a padded tensor, each of its own length."""
    batch = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [sequence[:length] for sequence, length in zip(batch.unbind(0), lengths.tolist())]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs tensors of different lengths."""
    lengths = [sequence.shape[0] for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The tensors that :func:`pack_sequence` packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
