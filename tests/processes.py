"""What a Python process that a test starts needs to see."""

import os
import sys


def environment(**settings: str) -> dict[str, str]:
    """This process's environment: packages are found where this process finds them, a script's neighbours beside it."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    return {**inherited, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **settings}
