"""PyTorch's path of ``framejit.utils.data.collate``."""

import re

from framejit.utils.data.collate import default_collate, default_convert

__all__ = ["default_collate", "default_collate_err_msg_format", "default_convert", "np_str_obj_array_pattern"]

np_str_obj_array_pattern = re.compile("[SaUO]")  # kinds of NumPy's dtypes that do not become tensors
default_collate_err_msg_format = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
