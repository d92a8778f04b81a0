"""The old path of :func:`framejit.hub.load_state_dict_from_url`."""

from framejit.hub import load_state_dict_from_url as load_url
from framejit.hub import tqdm

__all__ = ["load_url", "tqdm"]
