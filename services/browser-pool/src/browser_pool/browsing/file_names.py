"""What files of a browser are called. Pure."""

import re

from agent_contracts.files import flaw_in_path

_UNWANTED = re.compile(r"[\x00-\x1f\x7f\\/:*?\"<>|]+")
_LONGEST = 120


def path_of_download(name: str) -> str:
    """Where a download is put that its site calls so."""
    name = "".join(one for one in _UNWANTED.sub("_", name) if one.isprintable()).strip(" .")
    stem, dot, ending = name.rpartition(".")
    if len(name) > _LONGEST:
        name = f"{stem[: _LONGEST - 20]}{dot}{ending[:18]}" if dot else name[:_LONGEST]
    path = f"downloads/{name}"
    return path if name and flaw_in_path(path) is None else "downloads/download"
