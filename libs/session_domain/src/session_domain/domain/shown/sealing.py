"""Text from outside as a model is shown it: it can't end what it stands in, and hides nothing. Pure."""

import re

OPENING, CLOSING = '<outside from="', "</outside>"

_JOINING = "\u00ad\u200c-\u200f\ufe00-\ufe0f"
"""What is not seen, but belongs to some scripts and emojis: one at a time."""
_UNSEEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b"
    "\u2028-\u202e\u2060-\u206f\u3164\ue000-\uf8ff\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
)
_AROUND = r'(?:[^\w"]|_){0,8}'
"""What may stand between a bracket and its word. No quote: a bracket before one is JSON's own."""


def _spelt(word: str) -> str:
    return f"[{_JOINING}]*".join(word)


_HIDDEN = re.compile(
    f"(?!\ufe0f\u200d[^{_JOINING}{_UNSEEN}])[{_JOINING}{_UNSEEN}]{{2,}}"
    f"|[{_UNSEEN}]"
    f"|[<\uff1c\ufe64\u2039\u2329\u3008](?={_AROUND}{_spelt('outside')})"
    f"|[\\[\uff3b](?={_AROUND}{_spelt('foldline')})",
    re.IGNORECASE,
)
_MARKS = re.compile(rf"<(?={_AROUND}outside)|\[(?={_AROUND}foldline)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", re.I)
"""The same for text that is ASCII alone."""


_CONTROLS = bytes(code for code in (*range(32), 127) if code not in b"\t\n\r")
_UNSEEN_YET_PRINTABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def sealed(text: str) -> str:
    """The text, with what isn't seen, and what looks like a mark of ours, written as JSON writes a character
    by its number. So JSON stays the same JSON."""
    if _is_plain(text):
        return text
    return (_MARKS if text.isascii() else _HIDDEN).sub(_by_number, text)


def _is_plain(text: str) -> bool:
    """Whether there is nothing to look for: what most texts are asked, a tenth of the time of a search."""
    if not (text.isprintable() or text.isascii()):
        return False
    small = text.lower()
    if "outside" in small or "foldline" in small:
        return False
    if text.isascii():
        return len(text.encode().translate(None, _CONTROLS)) == len(text)
    return _UNSEEN_YET_PRINTABLE.search(text) is None


def _by_number(found: "re.Match[str]") -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
