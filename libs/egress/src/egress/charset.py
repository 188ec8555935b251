"""Bytes from the web as text. Pure.

What a label means is in the WHATWG's Encoding Standard: pages that say ISO-8859-1 are in windows-1252, those
that say GB2312 in GBK.
"""

import codecs
import re

import webencodings

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9._:-]+)", re.IGNORECASE)
_IN_META = re.compile(rb"<meta[^>]{0,400}charset\s*=\s*[\"']?([A-Za-z0-9._:-]+)", re.IGNORECASE)
_IN_XML = re.compile(rb"^\s*<\?xml[^>]{0,200}\sencoding\s*=\s*[\"']([A-Za-z0-9._:-]+)", re.IGNORECASE)
_META_WITHIN = 4096
_WIDER = {
    "euc-jp": ("euc_jp", "euc_jis_2004"),
    "iso-2022-jp": ("iso2022_jp", "iso2022_jp_ext", "iso2022_jp_2004"),
    "gbk": ("gb18030",),
    "big5": ("big5hkscs", "cp950"),
}
"""By the standard's name: Python's codecs that read all that the standard's decoder does, where the one of
this name reads less."""
_UNSAFE = frozenset(("utf-7", "utf7", "unicode-1-1-utf-7"))
"""In which nothing but an attack is written today."""
_SINGLE_BYTE = {"iso8859-1", "iso8859-15", "cp1252", "ascii"}
_SAMPLE = 64 * 1024
"""Bytes by which a charset is guessed."""
_HIGH = re.compile(rb"[\x80-\xff]+")
_KANA = re.compile("[\u3041-\u30fe]")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_WORD = 3
"""Letters of a run from which on it counts as a word of a script that isn't Latin."""


def decoded(body: bytes, content_type: str, *, truncated: bool = False) -> str:
    """The text: by its byte order mark, else by the first that its bytes agree with of the header's charset,
    what a page or an XML document says of itself, UTF-8, and what they look like (Japanese, Russian), else
    windows-1252.

    Never fails; what can't be read becomes U+FFFD, as does the character in which a truncated body ends.
    """
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body.decode(name, "replace").removeprefix("\ufeff")
    declared = [name for label in _declared(body, content_type) for name in _codecs_of(label)]
    is_utf8 = _agrees("utf-8", body, truncated)
    for name in declared:
        if is_utf8 and codecs.lookup(name).name in _SINGLE_BYTE and not body.isascii():
            break  # bytes that are UTF-8 by chance are rarer than servers that say latin-1 of everything
        if _agrees(name, body, truncated):
            return body.decode(name, "replace")
    if is_utf8:
        return body.decode("utf-8", "replace")
    for name in (*declared, "utf-8"):
        text = body.decode(name, "replace")
        if text.count("\ufffd") * 4 <= len(_BEYOND_ASCII.findall(text)):  # a few bytes of it are broken
            return text
    return body.decode(_looks_like(body) or "windows-1252", "replace")


def is_text(body: bytes, content_type: str) -> bool:
    """Whether people or programs would read it: by its type, and without one, by having no U+0000."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind.startswith(("text/", "message/")) or kind.endswith(
        ("json", "xml", "javascript", "yaml", "x-www-form-urlencoded")
    ):
        return True
    return kind in ("", "application/octet-stream") and b"\0" not in body


def _declared(body: bytes, content_type: str) -> list[str]:
    found = _IN_HEADER.findall(content_type)[:1]
    if "html" in content_type.lower():
        found += [_of_a_page(name.decode()) for name in _IN_META.findall(body[:_META_WITHIN])[:1]]
    if "xml" in content_type.lower():
        found += [_of_a_page(name.decode()) for name in _IN_XML.findall(body[:_META_WITHIN])[:1]]
    return found


def _of_a_page(label: str) -> str:
    """A page that could be read to its own word is not in UTF-16, whatever it says."""
    return "utf-8" if label.lower().startswith(("utf-16", "utf16", "ucs-2", "unicode")) else label


def _codecs_of(label: str) -> tuple[str, ...]:
    """Python's names for a label; none for one that nobody knows."""
    known = webencodings.lookup(label)
    if known is not None:
        if known.name == "x-user-defined":
            return ("windows-1252",)
        if known.name != "replacement":
            return _WIDER.get(known.name, (known.codec_info.name,))
    return (label,) if label.lower() not in _UNSAFE and _is_charset(label) else ()


def _is_charset(name: str) -> bool:
    try:
        return bool(codecs.lookup(name)._is_text_encoding)  # not one of Python's own, such as zlib
    except (LookupError, UnicodeError):
        return False


def _agrees(name: str, body: bytes, truncated: bool) -> bool:
    """Whether the bytes can be of this charset, but for the character in which a truncated body ends."""
    try:
        body.decode(name)
    except UnicodeDecodeError as error:
        return truncated and error.start >= len(body) - 3
    except UnicodeError:
        return False
    return True


def _looks_like(body: bytes) -> str | None:
    """The charset of Japanese or Russian text, None for what looks like neither."""
    sample = body[:_SAMPLE]
    for name in ("cp932", "euc_jp"):
        text = sample.decode(name, "replace")
        letters = _BEYOND_ASCII.findall(text)
        if text.count("\ufffd") <= 1 and len(_KANA.findall(text)) * 5 >= len(letters):
            return name
    runs = _HIGH.findall(sample)
    words = b"".join(run for run in runs if len(run) >= _WORD)
    if len(words) * 2 < sum(map(len, runs)) or not words:
        return None
    small = sum(
        byte >= 0xE0 for byte in words
    )  # windows-1251 has its small letters there, KOI8-R its capitals
    capital = sum(0xC0 <= byte < 0xE0 for byte in words)
    if (small + capital) * 10 < len(words) * 9:
        return None
    return "windows-1251" if small > capital else "koi8-r"
