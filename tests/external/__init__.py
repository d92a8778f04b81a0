"""Suites and data that others wrote, run against framejit through adapters of our own.

    opinfo/           PyTorch's own operator test data (`op_db` of the torch wheel): every op that framejit has, sample by sample
    test_opinfo.py    a fixed part of it, for CI; `python -m tests.external.opinfo --all` runs the whole

Nothing of theirs is in this repository: packages are installed from the registry, and skipped where they are not.
"""
