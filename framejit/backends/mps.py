"""Apple's GPUs: not supported."""


def is_available() -> bool:
    return False


def is_built() -> bool:
    return False
