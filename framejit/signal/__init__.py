"""Signal processing: ``torch.signal``."""

from framejit.signal import windows as windows
