"""What holds for every test."""

from collections.abc import Iterator

import pytest

from framejit.compiler import errors


@pytest.fixture(autouse=True)
def no_internal_error() -> Iterator[None]:
    """The compiler never fails on its own account, which a program that runs on without it does not show."""
    before = errors.internal_error_count
    yield
    assert errors.internal_error_count == before, "the compiler failed: see the log"
