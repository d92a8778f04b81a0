"""What programs import from PyTorch's own test support."""
