"""Files of plain text: their encoding, their lines, and edits that keep what they don't touch. Pure."""

import codecs
import re

import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from egress.charset import decoded, is_text

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ENCODINGS = """
    utf-8 windows-1252 cp932 euc_jp windows-1251 koi8-r iso8859-1 gb18030 cp949 big5hkscs cp950 euc_jis_2004
    iso8859-2 windows-1250 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 cp874
    koi8-u ibm866 mac-roman iso2022_jp
""".split()  # noqa: SIM905
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_NEWLINE = re.compile(r"\r\n|\n|\r")


class PlainText(msgspec.Struct, frozen=True):
    """A file's text, without its byte order mark. `encoding` is None where the bytes are in none that gives
    them back as they were."""

    text: str
    encoding: str | None = "utf-8"
    mark: bytes = b""

    @property
    def newline(self) -> str:
        """By which its first line ends."""
        found = _NEWLINE.search(self.text)
        return found.group() if found else "\n"

    @property
    def lines(self) -> list[str]:
        """Its lines, each with the newline that ends it."""
        return _LINE.findall(self.text)

    def bytes_with(self, text: str) -> bytes:
        """Another text as this file would hold it. `Rejected` where its encoding can't."""
        if self.encoding is None:
            raise Rejected("the file is in no encoding that can be written back: replace all of it")
        try:
            return self.mark + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            wrong = text[error.start : error.start + 1]
            raise Rejected(
                f"the file is in {self.encoding}, which has no {wrong!r}: replace all of it to make it UTF-8",
                path="/text",
            ) from error

    def with_newlines(self, text: str) -> str:
        """A text with this file's newlines."""
        return _NEWLINE.sub(self.newline, text)


def is_plain(data: bytes, media_type: str) -> bool:
    """Whether a file holds text that can be read and edited as it stands."""
    if is_text(data, media_type) or media_type == "image/svg+xml":
        return b"\0" not in data or _mark_of(data)[0] != b""
    return media_type.endswith(("/jsonl", "/toml", "/xml", "/sql", "/rtf", "/x-sh")) and b"\0" not in data


def plain_text(data: bytes, media_type: str) -> PlainText:
    """The text of a file. `Rejected` for what is no plain text."""
    if not is_plain(data, media_type):
        raise Rejected(f"it is {media_type}, not plain text")
    mark, encoding = _mark_of(data)
    if encoding is not None:
        try:
            return PlainText(data[len(mark) :].decode(encoding), encoding, mark)
        except UnicodeDecodeError:
            return PlainText(decoded(data, media_type), None)
    text = decoded(data, media_type)
    return PlainText(text, next((name for name in _ENCODINGS if _is_in(name, text, data)), None))


def with_lines_replaced(before: PlainText, first: int, last: int, text: str) -> str:
    """The text with other lines in place of those from `first` to `last`, which count from 1.

    `Rejected(kind="invalid_arguments")` for lines that aren't there.
    """
    lines = before.lines
    if first > last:
        raise _wrong(f"from_line {first} comes after to_line {last}", "/to_line")
    if last > len(lines):
        raise _wrong(f"the file has {len(lines)} lines", "/to_line" if first <= len(lines) else "/from_line")
    new = _as_lines(before, text)
    at_end = last == len(lines)
    if at_end and new and not _ends_line(lines[-1]):
        new[-1] = _NEWLINE.sub("", new[-1])
    return "".join([*lines[: first - 1], *new, *lines[last:]])


def with_lines_inserted(before: PlainText, line: int, text: str) -> str:
    """The text with lines before line `line`; one more than there are is the end.

    `Rejected(kind="invalid_arguments")` for a line that doesn't exist.
    """
    lines = before.lines
    if line > len(lines) + 1:
        raise _wrong(f"the file has {len(lines)} lines: insert before line {len(lines) + 1} at most", "/line")
    new = _as_lines(before, text)
    if line == len(lines) + 1 and lines and new and not _ends_line(lines[-1]):
        lines[-1] += before.newline
        new[-1] = _NEWLINE.sub("", new[-1])
    return "".join([*lines[: line - 1], *new, *lines[line - 1 :]])


def _as_lines(before: PlainText, text: str) -> list[str]:
    """The text as whole lines of the file; none for no text."""
    if text and not _ends_line(text):
        text += "\n"
    return PlainText(before.with_newlines(text)).lines


def _ends_line(text: str) -> bool:
    return text.endswith(("\n", "\r"))


def _mark_of(data: bytes) -> tuple[bytes, str | None]:
    return next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", None))


def _is_in(encoding: str, text: str, data: bytes) -> bool:
    try:
        return text.encode(encoding) == data
    except UnicodeEncodeError:
        return False


def _wrong(message: str, path: str) -> Rejected:
    return Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path=path)
