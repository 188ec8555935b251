"""Bytes from the web as text. Pure."""

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9._:-]+)", re.IGNORECASE)
_IN_META = re.compile(rb"<meta[^>]{0,400}charset\s*=\s*[\"']?([A-Za-z0-9._:-]+)", re.IGNORECASE)
_META_WITHIN = 4096


def decoded(body: bytes, content_type: str, *, truncated: bool = False) -> str:
    """The text: by its byte order mark, else the header's charset, else a page's own word for it, else UTF-8,
    and where it is none of that, windows-1252. Never fails; what can't be read becomes U+FFFD,
    as does the character in which a truncated body ends."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body.decode(name, "replace").removeprefix("\ufeff")
    for name in _declared(body, content_type):
        try:
            if codecs.lookup(name)._is_text_encoding:  # not one of Python's own, such as zlib
                return body.decode(name, "replace")
        except (LookupError, UnicodeError):
            continue
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        cut_through = truncated and error.start >= len(body) - 3
        return body.decode("utf-8" if cut_through else "windows-1252", "replace")


def is_text(body: bytes, content_type: str) -> bool:
    """Whether people or programs would read it: by its type, and without one, by having no U+0000."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind.startswith("text/") or kind.endswith(
        ("json", "xml", "javascript", "yaml", "x-www-form-urlencoded")
    ):
        return True
    return kind in ("", "application/octet-stream") and b"\0" not in body


def _declared(body: bytes, content_type: str) -> list[str]:
    found = _IN_HEADER.findall(content_type)[:1]
    if "html" in content_type.lower():
        found += [name.decode() for name in _IN_META.findall(body[:_META_WITHIN])[:1]]
    return found
