"""The letters that text on a PDF is set in, always embedded: what can't be shown is refused."""

import io
import unicodedata
from functools import cache
from pathlib import Path
from typing import cast

import msgspec
import reportlab
from reportlab import rl_config
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont

from agent_contracts.errors import ErrorKind, Rejected
from tool_runner.documents.pdfs.terms import Style

_SHIPPED = Path(reportlab.__file__).parent / "fonts"
_SYSTEM = (Path("/usr/share/fonts/truetype/dejavu"), Path("/usr/share/fonts/dejavu"))
_FACES: dict[Style, tuple[str, str]] = {
    "": ("Vera", "DejaVuSans"),
    "bold": ("VeraBd", "DejaVuSans-Bold"),
    "italic": ("VeraIt", "DejaVuSans-Oblique"),
}
"""Bitstream Vera, which reportlab ships, and DejaVu, which is Vera with more letters (Greek, Cyrillic …):
taken for those where the system has it. The licences of both let them be embedded."""
_BLANK = frozenset(" \n\t\u00a0")
_SHAPED = ((0x0900, 0x0DFF), (0x1000, 0x109F), (0x1780, 0x17FF))
"""Scripts whose letters change with their neighbours (Indic, Burmese, Khmer)."""


class Font(msgspec.Struct, frozen=True):
    """A font that was registered under `name`; `given`: it isn't the built-in one."""

    name: str
    given: bool = False


def load_fonts() -> None:
    """Read the fonts from where they are: later nothing can be opened any more."""
    rl_config.useA85 = 0  # what is binary stays so, and takes a fifth less
    for shipped, larger in _FACES.values():
        pdfmetrics.registerFont(TTFont(shipped, str(_SHIPPED / f"{shipped}.ttf")))
        for folder in _SYSTEM:
            if (folder / f"{larger}.ttf").is_file():
                pdfmetrics.registerFont(TTFont(larger, str(folder / f"{larger}.ttf")))
                break


def built_in(text: str, style: Style = "") -> Font:
    """Vera, or DejaVu if that is there and the text has letters that Vera lacks."""
    shipped, larger = _FACES[style]
    if larger in pdfmetrics.getRegisteredFontNames() and not all(map(_letters(shipped).__contains__, text)):
        return Font(larger)
    return Font(shipped)


def from_file(data: bytes) -> Font:
    """A TrueType font that somebody gives. `Rejected` for what is none."""
    try:
        pdfmetrics.registerFont(TTFont("given", io.BytesIO(data)))
    except (TTFError, ValueError, LookupError, TypeError, ArithmeticError, AttributeError) as error:
        why = f"the font can't be used: {error}. Take a TrueType font (.ttf with glyf outlines)"
        raise Rejected(why[:500], kind=ErrorKind.INVALID_ARGUMENTS, path="/font") from error
    return Font("given", given=True)


def must_show(text: str, font: Font, where: str) -> None:
    """`Rejected(kind="invalid_arguments")` where a font lacks a letter of the text, or its script needs more
    than letters side by side; `where` is the path of the argument."""
    letters = _letters(font.name)
    for character in text:
        if unicodedata.bidirectional(character) in ("R", "AL") or _is_shaped(character):
            raise _refused(character, "its script can't be set: it runs from right to left, or joins", where)
        if character not in letters:
            lack = (
                f"the given font, {_called(font)}, has no such letter"
                if font.given
                else f"the built-in font, {_called(font)}, lacks it: give `font`, the path of a TrueType "
                "file that has it"
            )
            raise _refused(character, lack, where)


def _called(font: Font) -> str:
    """What a font calls itself."""
    name = cast(TTFont, pdfmetrics.getFont(font.name)).face.name
    return name.decode("latin-1") if isinstance(name, bytes) else str(name)


@cache
def _letters(name: str) -> frozenset[str]:
    """What a font can show, blanks included."""
    face = cast(TTFont, pdfmetrics.getFont(name)).face
    return frozenset(map(chr, face.charToGlyph)) | _BLANK


def _is_shaped(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in _SHAPED)


def _refused(character: str, why: str, where: str) -> Rejected:
    shown = character if character.isprintable() else "a control character"
    what = f"{shown} (U+{ord(character):04X}) can't be shown: {why}"
    return Rejected(what, kind=ErrorKind.INVALID_ARGUMENTS, path=where)
