"""Characters that a key, an address or a name can't have: named by place and code point, never quoted.

They come by copying from a web page or a chat, can't be seen, and make a library fail long after, when it
builds a request.
"""

import unicodedata
from collections.abc import Callable

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode's categories of control, format, surrogate, private and unassigned characters, and separators."""


_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))
"""Zero-width characters, and the byte order mark: they mean nothing in a key, an address or a name."""


def cleaned(text: str) -> str:
    """A key, an address or a name without what is certainly not meant: blanks and line ends around it, and
    zero-width characters anywhere."""
    return text.translate(_INVISIBLE).strip()


def cleaned_list(text: str) -> str:
    """Several keys or names, separated by commas, each of them cleaned; a single one too."""
    return ",".join(map(cleaned, text.split(",")))


def cleaned_lines(text: str) -> str:
    """The same of a text that may have several lines, whose blanks may be meant; one line as `cleaned`."""
    return text.translate(_INVISIBLE) if "\n" in text.strip() else cleaned(text)


def flaw_in_lines(text: str) -> str | None:
    """As `flaw_in_text`, of a text that may have several lines and tabs."""
    return flaw_in_text(text.replace("\n", " ").replace("\t", " "))


def flaw_in_text(text: str) -> str | None:
    """Why a setting of one line can't be this text: it has a character that can't be seen, or a blank that
    is none of the keyboard's. None if it can."""
    return _first(text, lambda sign: _is_unseen(sign) or (sign != " " and sign.isspace()))


def flaw_in_header(text: str) -> str | None:
    """Why this can't be sent in a header of HTTP: it has a character that Latin-1 lacks, or what
    `flaw_in_text` names. None if it can."""
    return flaw_in_text(text) or _first(text, lambda sign: sign > "\xff")


def flaw_in_key(text: str) -> str | None:
    """Why this can't be sent as a key: only printable ASCII without blanks can. None if it can."""
    return _first(text, lambda sign: not "!" <= sign <= "~")


def flaw_in_name(text: str) -> str | None:
    """Why this can't be an address or the name of a model: they have no blank and no typographic quotation
    mark either. None if it can."""
    return _first(text, lambda sign: _is_unseen(sign) or sign.isspace() or _is_quote(sign))


def _is_quote(sign: str) -> bool:
    return unicodedata.category(sign) in ("Pi", "Pf") or sign in "„‚"


def _is_unseen(sign: str) -> bool:
    return unicodedata.category(sign) in _UNSEEN


def _first(text: str, is_flaw: Callable[[str], bool]) -> str | None:
    for place, sign in enumerate(text, 1):
        if is_flaw(sign):
            name = unicodedata.name(sign, "a control character" if ord(sign) < 32 else "without a name")
            return (
                f"character {place} of {len(text)} is U+{ord(sign):04X} ({name}), which can't be in it. "
                "Remove it, or type the value again"
            )
    return None
