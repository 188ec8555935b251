"""Bodies of `multipart/form-data`, part by part as they arrive."""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from agent_contracts.api.problems import Kind
from gateway.http.wire.problems import ProblemError

_FORM = b"multipart/form-data"
LONGEST_VALUE = 8_192
"""Bytes of a part that is not a file."""


@dataclass(frozen=True)
class FormPart:
    """A part: its name, and for a file the name that it has where it comes from. `data` is there until the
    next part is asked for."""

    name: str
    filename: str | None
    data: AsyncIterator[bytes]

    async def text(self) -> str:
        """The value of a part that is not a file."""
        value = bytearray()
        async for piece in self.data:
            value += piece
            if len(value) > LONGEST_VALUE:
                raise ProblemError(
                    Kind.TOO_LARGE, f"`{self.name[:100]}` may have at most {LONGEST_VALUE} bytes"
                )
        return _decoded(bytes(value))


async def parts(content_type: str, body: AsyncIterator[bytes]) -> AsyncGenerator[FormPart, None]:
    """The parts of a body, in order. A problem for anything that is no whole form."""
    kind, options = parse_options_header(content_type)
    if kind != _FORM or not options.get(b"boundary"):
        raise ProblemError(
            Kind.INVALID_REQUEST, "Send the files as multipart/form-data, each as a part named `file`"
        )
    form = _Form(options[b"boundary"], body)
    while (headers := await form.part()) is not None:
        _, named = parse_options_header(headers.get(b"content-disposition", b"").decode("latin-1"))
        if b"name" not in named:
            raise ProblemError(Kind.INVALID_REQUEST, "A part of the form has no name")
        filename = named.get(b"filename")
        # Browsers write a quotation mark in a name as %22.
        shown = None if filename is None else _decoded(filename).replace("%22", '"')
        yield FormPart(_decoded(named[b"name"]), shown, form.data())


class _Form:
    """A form as what the parser told of it so far: headers, bytes, and ends of parts."""

    def __init__(self, boundary: bytes, body: AsyncIterator[bytes]) -> None:
        self._body = body
        self._told: deque[dict[bytes, bytes] | bytes | None] = deque()
        self._headers: dict[bytes, bytes] = {}
        self._field = self._value = b""
        self._ended = False
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._part_begins,
                    "on_header_field": self._header_field,
                    "on_header_value": self._header_value,
                    "on_header_end": self._header_ends,
                    "on_headers_finished": self._headers_end,
                    "on_part_data": self._part_data,
                    "on_part_end": lambda: self._told.append(None),
                    "on_end": self._end,
                },
            )
        except FormParserError as error:
            raise _broken(error) from error

    async def part(self) -> dict[bytes, bytes] | None:
        """The next part's headers, None after the last; what is left of the part before is dropped."""
        while True:
            while not self._told and not self._ended:
                await self._read()
            if not self._told:
                return None
            told = self._told.popleft()
            if isinstance(told, dict):
                return told

    async def data(self) -> AsyncGenerator[bytes, None]:
        """The bytes of the part whose headers were given last."""
        while True:
            while not self._told:
                await self._read()
            told = self._told.popleft()
            if told is None:
                return
            assert isinstance(told, bytes)
            yield told

    async def _read(self) -> None:
        piece = await anext(self._body, None)
        if piece is None:
            raise _broken("it ends within a part")
        try:
            self._parser.write(piece)
        except FormParserError as error:
            raise _broken(error) from error

    def _part_begins(self) -> None:
        self._headers = {}

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_ends(self) -> None:
        self._headers[self._field.lower()] = self._value
        self._field = self._value = b""

    def _headers_end(self) -> None:
        self._told.append(self._headers)

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        self._told.append(data[start:end])

    def _end(self) -> None:
        self._ended = True


def _decoded(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise ProblemError(Kind.BAD_TEXT, "A name or value in the form is not UTF-8") from error


def _broken(why: object) -> ProblemError:
    return ProblemError(Kind.INVALID_REQUEST, f"The form can't be read: {str(why)[:200]}")
