"""What a file is called that nobody gave a name: one that says what it is."""

import re
from email.message import Message
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from agent_contracts.files import flaw_in_path
from agent_domain.files.media_types import ending_of
from egress.fetching import FetchResponse

_UNWANTED = re.compile(r"[\x00-\x1f\x7f\\/:*?\"<>|]+")
_LONGEST = 120


def name_of(answer: FetchResponse) -> str:
    """How what was fetched is called: by the header that says so, else by its address."""
    header = Message()
    header["content-disposition"] = answer.headers.get("content-disposition", "")
    try:
        said = header.get_filename()
    except (UnicodeError, ValueError, LookupError):
        said = None
    address = urlsplit(answer.url)
    name = said or unquote(PurePosixPath(address.path).name) or address.hostname or ""
    name = _UNWANTED.sub("_", name.replace("\\", "/").rpartition("/")[2]).strip(" .")
    stem, dot, ending = name.rpartition(".")
    if not dot:
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        name, ending = f"{name}{ending_of(kind)}", ""
    elif len(name) > _LONGEST:
        name = f"{stem[: _LONGEST - 20]}.{ending[:18]}"
    name = "".join(character for character in name[:_LONGEST] if character.isprintable())
    return name if flaw_in_path(name) is None else "download"
