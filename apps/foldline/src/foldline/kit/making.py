"""Writes a new extension: the example of its kind, under another name."""

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from agent_contracts.errors import Rejected

NAME = re.compile(r"[a-z][a-z0-9]{1,22}")
EXAMPLES = {
    "pack": "greetings",
    "page": "board",
    "channel": "pager",
    "provider": "telegraph",
    "embedder": "hashes",
    "condition": "language",
    "block": "gauge",
    "service": "critic",
    "chat-channel": "telegram",
    "door": "telex",
}
"""The kinds of extensions, and what the example of each is called."""
TRY = {
    "pack": "foldline packs enable {name}",
    "page": "foldline packs enable {name}",
    "channel": "foldline notifications kinds",
    "provider": "foldline send --model {name}/MODEL 'hello'",
    "embedder": "FOLDLINE_EMBEDDING_MODEL={name}/any foldline up",
    "condition": "foldline packs",
    "block": "foldline packs",
    "service": "foldline wake-credentials create {name}",
    "chat-channel": "foldline chats allow CODE",
    "door": "foldline packs",
}
"""The first command with each, once it is installed and Foldline was started again."""
_SUFFIX = ".txt"
"""Of the examples' files, so that nothing takes them for parts of this program."""


def example(kind: str) -> dict[str, str]:
    """The files of the example of a kind, by their paths."""
    return dict(sorted(_files(files("foldline.kit").joinpath("examples", kind), "")))


def make(kind: str, name: str, folder: Path) -> list[Path]:
    """The files of a new extension, written into `folder`. `Rejected` for a name that can't be, and where
    there is a file already."""
    if not NAME.fullmatch(name):
        raise Rejected(
            f"Nothing can be named {name!r}: a name matches {NAME.pattern}", kind="invalid_request"
        )
    was = EXAMPLES[kind]
    made = {
        folder / _renamed(path, was, name): _renamed(text, was, name) for path, text in example(kind).items()
    }
    there = [path for path in made if path.exists()]
    if there:
        raise Rejected(f"{there[0]} exists already: nothing was written", kind="conflict")
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return list(made)


def _renamed(text: str, was: str, name: str) -> str:
    for spelled in (str.lower, str.capitalize, str.upper):
        text = text.replace(spelled(was), spelled(name))
    return text


def _files(folder: Traversable, path: str) -> list[tuple[str, str]]:
    found = []
    for one in folder.iterdir():
        if one.is_dir():
            found += _files(one, f"{path}{one.name}/")
        elif one.name.endswith(_SUFFIX):
            found.append((f"{path}{one.name.removesuffix(_SUFFIX)}", one.read_text(encoding="utf-8")))
    return found
