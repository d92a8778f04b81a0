"""Starting processes again when they die: not supported. Programs decorate their ``main`` with ``errors.record``."""
