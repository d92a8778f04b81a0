"""PyTorch's paths of the collating functions."""
