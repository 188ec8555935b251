"""The text of a PDF."""

import io
from collections.abc import Mapping

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json

MOST_PAGES = 2_000

_BROKEN = (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError)
"""What pypdf raises over files that are not as they should be."""


def read_pdf(data: bytes, options: Mapping[str, Json]) -> Json:
    """Its `title`, `byline` and `content`: the text of all pages, each after a line with its number.

    `Rejected` for one that is broken, encrypted, or has too many pages.
    """
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Rejected("the PDF is encrypted, and needs a password")
        if len(reader.pages) > MOST_PAGES:
            why = f"the PDF has {len(reader.pages)} pages; at most {MOST_PAGES} are read"
            raise Rejected(why, kind=ErrorKind.TOO_LARGE)
        pages = [
            f"[Page {number}]\n\n{page.extract_text().strip()}" for number, page in enumerate(reader.pages, 1)
        ]
        about = reader.metadata
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise Rejected(
            f"the PDF can't be read: {error}"
        ) from error  # pypdf raises all of these for broken ones
    title, author = (about.title, about.author) if about else (None, None)
    return {"title": _plain(title), "byline": _plain(author), "content": "\n\n".join(pages)}


def _plain(text: str | None) -> str | None:
    """Without pypdf's own kind of string."""
    return None if text is None else str(text)
