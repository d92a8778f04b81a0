"""Files whose frames the interpreter runs when compiled code calls into them."""

from __future__ import annotations

import os
import sysconfig

from framejit._C import compiler as _compiler


def skip_standard_library() -> None:
    """The standard library: its code is inlined where that works, else it runs as it is; compiling it pays seldom.

    What it calls back is compiled. Installed packages may lie in a folder of the standard library: they are not skipped.
    """
    library = os.path.dirname(os.__file__)
    installed = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
    installed |= {os.path.join(library, name) for name in ("site-packages", "dist-packages")}
    _compiler.set_skipped_files([library + os.sep, "<frozen "], [folder + os.sep for folder in sorted(installed)])
