"""What a Python process that a test starts needs to see."""

import os
import sys


def environment(*folders: object, **settings: str) -> dict[str, str]:
    """This process's environment, in which modules are found where this process finds them, not in the working folder.

    Args:
        folders: where else: a script's own folder, if it imports its neighbours.
        settings: further variables.
    """
    places = os.pathsep.join([*map(str, folders), *filter(None, sys.path)])
    return {**os.environ, "PYTHONPATH": places, "PYTHONSAFEPATH": "1", **settings}
