"""Mixed precision: ``autocast`` chooses the dtype of each operation (the rule is a key of the op's row)."""

from __future__ import annotations

from framejit.amp.autocast_mode import autocast as autocast
from framejit.amp.autocast_mode import custom_bwd as custom_bwd
from framejit.amp.autocast_mode import custom_fwd as custom_fwd
from framejit.amp.autocast_mode import is_autocast_available as is_autocast_available
