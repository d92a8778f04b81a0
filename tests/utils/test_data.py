"""Datasets, samplers, DataLoader: in-process and with workers."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import framejit as fj
from framejit.utils import data


class Squares(data.Dataset):
    def __init__(self, count, fail_at=None):
        self.count, self.fail_at = count, fail_at

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        if i == self.fail_at:
            raise KeyError(f"sample {i} is broken")
        return fj.tensor([i, i * i]), i


class Stream(data.IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        info = data.get_worker_info()
        start, step = (info.id, info.num_workers) if info else (0, 1)
        yield from range(start, self.count, step)


def values(loader):
    return [batch.tolist() for batch in loader]


def test_tensor_dataset_and_batches():
    x, y = fj.arange(10.0).reshape(5, 2), fj.arange(5)
    loader = data.DataLoader(data.TensorDataset(x, y), batch_size=2)
    batches = list(loader)
    assert len(loader) == 3 and [tuple(a.shape) for a, _ in batches] == [(2, 2), (2, 2), (1, 2)]
    assert bool((fj.cat([a for a, _ in batches]) == x).all()) and batches[1][1].tolist() == [2, 3]
    assert len(list(data.DataLoader(data.TensorDataset(x), batch_size=2, drop_last=True))) == 2


def test_shuffle_is_a_permutation_and_follows_the_generator():
    def order(seed):
        generator = fj.Generator().manual_seed(seed)
        return [int(i) for _, i in data.DataLoader(Squares(20), batch_size=None, shuffle=True, generator=generator)]

    assert sorted(order(1)) == list(range(20)) and order(1) == order(1) != order(2)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_workers_give_the_same_batches_in_order(workers):
    dataset = Squares(17)
    want = [(a.tolist(), b.tolist()) for a, b in data.DataLoader(dataset, batch_size=4)]
    loader = data.DataLoader(dataset, batch_size=4, num_workers=workers, persistent_workers=workers == 2)
    for _ in range(2):
        assert [(a.tolist(), b.tolist()) for a, b in loader] == want


def test_streams():
    assert values(data.DataLoader(Stream(7), batch_size=3)) == [[0, 1, 2], [3, 4, 5], [6]]
    got = values(data.DataLoader(Stream(7), batch_size=2, num_workers=2))
    assert sorted(sum(got, [])) == list(range(7)) and got[0] == [0, 2]


def test_worker_error_is_raised_here_with_its_traceback():
    loader = data.DataLoader(Squares(8, fail_at=5), batch_size=2, num_workers=2)
    with pytest.raises(KeyError) as info:
        list(loader)
    assert "DataLoader worker process 0" in str(info.value) and "__getitem__" in str(info.value)


def test_leaving_early_stops_the_workers():
    iterator = iter(data.DataLoader(Squares(100), batch_size=1, num_workers=2))
    next(iterator)
    iterator.close()
    assert not __import__("multiprocessing").active_children()


def seeds(_):
    return (data.get_worker_info().id, int(fj.randint(0, 10**9, ())), data.get_worker_info().seed)


def test_worker_seeds_differ_and_follow_the_generator():
    def run():
        generator = fj.Generator().manual_seed(5)
        return list(
            data.DataLoader(range(4), batch_size=1, num_workers=2, collate_fn=seeds, generator=generator)
        )

    first = run()
    assert first == run() and len({number for _, number, _ in first[:2]}) == 2


def test_ctrl_c_ends_cleanly():
    program = """
        import framejit as fj, os, signal, time
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell has it ignored
        from framejit.utils import data
        class Slow(data.Dataset):
            def __len__(self): return 1000
            def __getitem__(self, i):
                if i == 3: os.kill(os.getppid(), signal.SIGINT)
                return fj.tensor(i)
        try:
            for _ in data.DataLoader(Slow(), num_workers=2): time.sleep(0.01)
        except KeyboardInterrupt:
            print("interrupted")
    """
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60)
    assert result.stdout == "interrupted\n" and result.stderr == "" and result.returncode == 0


class Ending(Squares):
    """Ends its worker at sample 3, in one of several ways."""

    def __init__(self, count, way):
        super().__init__(count)
        self.way = way

    def __getitem__(self, i):
        if i == 3 and self.way == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if i == 3 and self.way == "exit":
            sys.exit(3)
        return (lambda: i) if i == 3 and self.way == "not to be pickled" else i


def as_it_is(samples):
    return samples


@pytest.mark.parametrize("way, how", [("killed", "signal SIGKILL"), ("exit", "exit code 3")])
@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_ended_worker_is_reported_at_once(way, how, context):
    loader = data.DataLoader(Ending(20, way), num_workers=2, multiprocessing_context=context)
    with pytest.raises(RuntimeError, match=rf"DataLoader worker \(pid \d+\) exited unexpectedly with {how}"):
        list(loader)


def test_batch_that_cannot_be_pickled():
    loader = data.DataLoader(Ending(6, "not to be pickled"), num_workers=2, collate_fn=as_it_is)
    with pytest.raises(Exception, match="(?s)in DataLoader worker process.*pickle"):
        list(loader)


class Stubborn(Exception):
    """Cannot be pickled, nor made from a text alone."""

    def __init__(self, text, other):
        super().__init__(text)
        self.function = lambda: other


class Stubbornly(Squares):
    def __getitem__(self, i):
        raise Stubborn("no such sample", i)


def test_error_that_cannot_be_pickled():
    with pytest.raises(RuntimeError, match="(?s)Caught Stubborn in DataLoader worker process 0.*no such sample"):
        list(data.DataLoader(Stubbornly(2), num_workers=1))


def test_persistent_workers_are_started_again_when_one_was_killed():
    loader = data.DataLoader(Squares(6), num_workers=2, persistent_workers=True)
    assert len(list(loader)) == 6
    os.kill(loader._pool._processes[0].pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(loader)
    assert len(list(loader)) == 6


def test_timeout():
    class Slow(Squares):
        def __getitem__(self, i):
            time.sleep(1)

    with pytest.raises(RuntimeError, match="timed out after 0.2 seconds"):
        list(data.DataLoader(Slow(2), num_workers=1, timeout=0.2))


def test_collate():
    batch = data.default_collate([{"a": 1, "b": (2.0, "x")}, {"a": 3, "b": (4.0, "y")}])
    assert batch["a"].tolist() == [1, 3] and batch["b"][0].dtype == fj.float64 and batch["b"][1] == ("x", "y")
    assert data.default_collate([np.ones(2), np.zeros(2)]).shape == (2, 2)
    with pytest.raises(RuntimeError, match="equal size"):
        data.default_collate([[1], [1, 2]])
    with pytest.raises(TypeError, match="batch must contain"):
        data.default_collate([object()])


def test_split_subset_concat_and_samplers():
    parts = data.random_split(Squares(10), [0.7, 0.3], generator=fj.Generator().manual_seed(0))
    assert [len(p) for p in parts] == [7, 3]
    assert sorted(i for p in parts for _, i in (p[k] for k in range(len(p)))) == list(range(10))
    with pytest.raises(ValueError, match="does not equal the length"):
        data.random_split(Squares(10), [1, 2])
    both = Squares(3) + Squares(2)
    assert [both[i][1] for i in range(5)] == [0, 1, 2, 0, 1] and both[-1][1] == 1
    assert list(data.BatchSampler(range(5), 2, False)) == [[0, 1], [2, 3], [4]]
    drawn = list(data.WeightedRandomSampler([0.0, 1.0, 0.0], 5))
    assert drawn == [1] * 5


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(num_workers=-1), "non-negative"),
        (dict(batch_size=0), "positive integer"),
        (dict(shuffle=True, sampler=[0]), "mutually exclusive"),
        (dict(batch_sampler=[[0]], drop_last=True), "mutually exclusive"),
        (dict(prefetch_factor=2), "num_workers > 0"),
        (dict(persistent_workers=True), "num_workers > 0"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        data.DataLoader(Squares(3), **options)


class Whereabouts(data.Dataset):
    """Who loads a sample; sample 0 takes its time."""

    def __len__(self):
        return 6

    def __getitem__(self, i):
        time.sleep(0.5 if i == 0 else 0)
        return i, os.getpid()


def test_persistent_workers_stay():
    def processes(persistent):
        loader = data.DataLoader(Whereabouts(), num_workers=2, persistent_workers=persistent)
        return [{int(pid) for _, pid in loader} for _ in range(2)]

    first, second = processes(True)
    assert first == second and len(first) == 2 and os.getpid() not in first
    first, second = processes(False)
    assert not first & second


def test_batches_as_they_come():
    def order(**options):
        return [int(i) for i, _ in data.DataLoader(Whereabouts(), num_workers=2, **options)]

    assert order() == list(range(6))
    early = order(in_order=False)
    assert sorted(early) == list(range(6)) and early[0] == 1


def test_init_function_and_its_errors():
    def fails(worker):
        raise ValueError(f"no room for {worker}")

    with pytest.raises(ValueError, match=r"(?s)Caught ValueError in DataLoader worker process 0.*no room for 0") as info:
        list(data.DataLoader(Squares(2), num_workers=1, worker_init_fn=fails))
    assert "Traceback" in str(info.value)


def test_stack_dataset_and_many_samples_at_once():
    a, b = [1, 2, 3], [4, 5, 6]
    assert list(data.DataLoader(data.StackDataset(a, b), batch_size=None)) == [(1, 4), (2, 5), (3, 6)]
    assert data.StackDataset(x=a, y=b)[2] == {"x": 3, "y": 6} and len(data.StackDataset(a)) == 3
    with pytest.raises(ValueError, match="Size mismatch"):
        data.StackDataset(a, [1])

    class Many(data.Dataset):
        def __len__(self):
            return 4

        def __getitems__(self, indices):
            return [i * 10 for i in indices]

    assert [batch.tolist() for batch in data.DataLoader(Many(), batch_size=2)] == [[0, 10], [20, 30]]
