"""What an e-mail says (.eml)."""

import email
import email.policy
from collections.abc import Iterator, Mapping
from email.message import EmailMessage

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from egress.charset import decoded
from tool_runner.documents.jobs import Inputs, JobOutput
from tool_runner.documents.left_out import counted, names
from tool_runner.documents.office.markdown import markdown_of
from tool_runner.documents.office.xml import one_line

_SAID = ("From", "To", "Cc", "Bcc", "Reply-To", "Date", "Subject")
_MOST_PARTS = 1_000
_DEEPEST = 10
_LONGEST_HEADER = 2_000


def read_mail(inputs: Inputs, options: Mapping[str, Json]) -> JobOutput:
    """Its `title`, `byline` and `content`: who wrote to whom, the text, and attached texts and messages.
    `left_out`: the attachments that aren't text. `Rejected` for what is no message."""
    [data] = inputs
    message = email.message_from_bytes(data, policy=email.policy.default)
    if not any(name in message for name in ("From", "Date", "Subject", "Received", "MIME-Version")):
        raise Rejected("it is not an e-mail")
    reader = _Mail()
    blocks = list(reader.blocks(message, 0))
    said: dict[str, Json] = {"title": _header(message, "Subject"), "byline": _header(message, "From")}
    return JobOutput(
        {**said, "content": "\n\n".join(filter(None, blocks)), "left_out": list[Json](reader.sentences())}
    )


class _Mail:
    """Reads the parts of a message; collects what it leaves out."""

    def __init__(self) -> None:
        self._attached: list[str] = []
        self._parts = self._pictures = self._hidden = self._more = 0

    def sentences(self) -> list[str]:
        """What is missing."""
        said = []
        if self._attached:
            listed = names(self._attached)
            count = counted(len(self._attached), "attachment")
            said.append(f"{count}: {listed}; ask for the files themselves to read them")
        if self._pictures:
            said.append(f"{counted(self._pictures, 'picture')} in the text")
        if self._hidden:
            said.append(f"{counted(self._hidden, 'passage')} that the message hides from its readers")
        if self._more:
            said.append(f"{counted(self._more, 'part')} beyond what is read of one message")
        return said

    def blocks(self, message: EmailMessage, depth: int) -> Iterator[str]:
        """The headers that people read, and the parts."""
        headers = [(name, _header(message, name)) for name in _SAID]
        yield "\n".join(f"{name}: {value}" for name, value in headers if value)
        yield from self._part(message, depth)

    def _part(self, part: EmailMessage, depth: int) -> Iterator[str]:
        self._parts += 1
        if self._parts > _MOST_PARTS or depth > _DEEPEST:
            self._more += 1
            return
        kind = part.get_content_type()
        inner = _inner(part)
        if kind == "message/rfc822":
            for one in inner:
                yield "[Attached message]"
                yield from self.blocks(one, depth + 1)
        elif kind == "multipart/alternative" and inner:
            yield from self._part(_best(inner), depth + 1)
        elif part.is_multipart():
            for one in inner:
                yield from self._part(one, depth + 1)
        else:
            yield from self._leaf(part, kind)

    def _leaf(self, part: EmailMessage, kind: str) -> Iterator[str]:
        payload = part.get_payload(decode=True)
        data = payload if isinstance(payload, bytes) else b""
        name = _filename(part)
        if not kind.startswith("text/"):
            self._attached.append(f"{name or 'without a name'} ({kind}, {len(data):,} bytes)")
            return
        text = decoded(data, str(part.get("content-type", "")))
        if kind == "text/html":
            found = markdown_of(text)
            self._pictures, self._hidden = self._pictures + found.pictures, self._hidden + found.hidden
            text = found.text
        yield f"[Attachment {name}]\n\n{text.strip()}" if name else text.replace("\r\n", "\n").strip()


def _inner(part: EmailMessage) -> list[EmailMessage]:
    payload = part.get_payload()
    return [one for one in payload if isinstance(one, EmailMessage)] if isinstance(payload, list) else []


def _best(alternatives: list[EmailMessage]) -> EmailMessage:
    """Of one text in several forms the plain one, unless it is empty."""
    for one in alternatives:
        payload = one.get_payload(decode=True) if one.get_content_type() == "text/plain" else None
        if isinstance(payload, bytes) and payload.strip():
            return one
    return alternatives[-1]


def _header(message: EmailMessage, name: str) -> str | None:
    try:
        said = message.get_all(name, [])
        return one_line(", ".join(map(str, said)))[:_LONGEST_HEADER] or None
    except (
        ValueError,
        IndexError,
        LookupError,
        AttributeError,
        TypeError,
    ):  # the library's, over broken ones
        raw = next((value for key, value in message.raw_items() if key.lower() == name.lower()), "")
        return one_line(str(raw))[:_LONGEST_HEADER] or None


def _filename(part: EmailMessage) -> str | None:
    try:
        return part.get_filename()
    except (ValueError, IndexError, LookupError, AttributeError, TypeError):
        return "with a name that can't be read"


JOBS = {"mail": read_mail}
