"""cuDNN: not part of this build. The switches can be set, and have no effect."""

enabled = False
benchmark = False
deterministic = False
allow_tf32 = False


def is_available() -> bool:
    return False


def version() -> None:
    """None: there is no cuDNN."""
