"""Compares framejit with PyTorch, op by op, on the samples that PyTorch's wheel carries for its own tests.

    names.py          which of framejit's functions and methods an `OpInfo` is about
    convert.py        samples of PyTorch made framejit's: tensors with strides, dtypes, generators, functions
    compare.py        two results: structure, dtype, shape, strides, memory shared with the arguments, values
    ties.py           indices of equal elements
    checks.py         one sample: function, method, in-place, out=, gradients, aliases; one bad sample: the exception
    differences.py    the table of explained differences, differences.toml
    sweep.py          all ops, in child processes, so that a crash is one more difference
    classes.py        differences that say the same
    __main__.py       the command line

A difference is unexplained, and fails, unless a row of differences.toml gives a reason that a user would accept. A row that no
longer explains anything fails too (in a whole sweep).
"""
