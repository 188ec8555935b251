"""Which kind of file it is: by what its bytes begin with, else by its path. Pure."""

import mimetypes

_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
)
_OFFICE = "application/vnd.openxmlformats-officedocument"
_ENDINGS = {
    ".csv": "text/csv",
    ".docx": f"{_OFFICE}.wordprocessingml.document",
    ".js": "text/javascript",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".pptx": f"{_OFFICE}.presentationml.presentation",
    ".svg": "image/svg+xml",
    ".toml": "application/toml",
    ".ts": "text/typescript",
    ".tsx": "text/typescript",
    ".webp": "image/webp",
    ".xlsm": "application/vnd.ms-excel.sheet.macroenabled.12",
    ".xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
_KNOWN = mimetypes.MimeTypes(filenames=())  # Python's own list: the same on every machine
_LOOKED_AT = 65_536

BYTES = "application/octet-stream"
TEXT = "text/plain"


def media_type_of(path: str, data: bytes) -> str:
    """Of a file at this path with these bytes: what can't be mistaken in them counts first."""
    for beginning, media_type in _BEGINNINGS:
        if data.startswith(beginning):
            return media_type
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    name = path.rpartition("/")[2].lower()
    by_name = _ENDINGS.get(name[name.rfind(".") :]) if "." in name else None
    return by_name or _KNOWN.guess_type(name)[0] or (TEXT if _is_text(data) else BYTES)


def _is_text(data: bytes) -> bool:
    beginning = data[:_LOOKED_AT]
    if b"\0" in beginning:
        return False
    try:
        beginning.decode()
    except UnicodeDecodeError as error:
        return len(data) > _LOOKED_AT and error.start >= _LOOKED_AT - 3  # cut through a character
    return True


def ending_of(media_type: str) -> str:
    """What files of this type end with, such as `.png`; empty if that isn't known."""
    ours = next((ending for ending, known in _ENDINGS.items() if known == media_type), None)
    return ours or _KNOWN.guess_extension(media_type) or ""
