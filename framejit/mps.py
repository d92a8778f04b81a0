"""Apple's GPUs: not supported. What programs ask before they use them."""

__all__ = ["device_count", "is_available"]


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0
