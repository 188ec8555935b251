"""Who wrote a document, and what it is called, as the document itself says."""

import zipfile

from agent_contracts.errors import Rejected
from tool_runner.documents.office.xml import name_of, one_line, part_of_zip

_PARTS = ("docProps/core.xml", "meta.xml")
_TITLES, _AUTHORS = ("title",), ("creator", "initial-creator")


def said_of(archive: zipfile.ZipFile) -> tuple[str | None, str | None]:
    """Title and author; None where the part that has them is missing or broken, as readers do."""
    names = archive.namelist()
    part = next((name for name in _PARTS if name in names), None)
    if part is None:
        return None, None
    try:
        root = part_of_zip(archive, part, "document")
    except Rejected:
        return None, None
    found = {name_of(one): one_line(one.text or "") for one in root.iter()}
    title, author = (
        next((found[name] for name in wanted if found.get(name)), None) for wanted in (_TITLES, _AUTHORS)
    )
    return title, author
