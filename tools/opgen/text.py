"""Small helpers for generated text."""

BANNER = "// Written by tools/opgen from eager/ops/{}.toml. Do not edit.\n"


def banner(name: str) -> str:
    return BANNER.format(name)


def quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", '\\n"\n        "')
    return f'"{escaped}"'


def mask(indices: list[int]) -> str:
    return hex(sum(1 << index for index in indices))


