"""The device beside the CPU: there is none, and programs can ask."""

__all__ = ["current_accelerator", "device_count", "is_available"]


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """None: there is none."""
