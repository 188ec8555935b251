"""The JSON objects of an answer, in whichever form a server sends them.

Server-sent events, one object a line, or one object or list for everything: the first characters tell which,
for the content type is often wrong or missing.
"""

import codecs
import re
from collections.abc import AsyncGenerator, Iterator, Mapping

import httpx

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import ModelFailure
from model_caller.answers.answer import MAX_CHARACTERS
from model_caller.answers.failures import ModelFault
from model_caller.providers.http_faults import fault_in_stream, fault_of_page
from model_caller.providers.json_fields import decoded
from model_caller.providers.said_errors import error_in, is_error

LONGEST_LINE = 8 * MAX_CHARACTERS
"""Characters of one line: more than any answer that is taken, in any escaping, has in one."""
_LONGEST_STREAM = 64 * MAX_CHARACTERS
_LONGEST_PAGE = 64 * 1024
_DONE = "[done]"
"""What OpenAI's interface sends last, in whichever letters."""
_LINE_END = re.compile(r"\r\n|\n|\r")
_FIELD = re.compile(r"\s*(?:(?:data|event|id|retry|error)\s*(?::|$)|:)")
"""How a line of server-sent events begins. `error` is llama.cpp's own."""

Object = Mapping[str, Json]


class JsonObjects:
    """Gives the objects up to the end of an answer. `is_done`: the server said that this is the end."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._event = ""
        self._data: list[str] = []
        self._body: list[str] = []
        self._body_size = 0
        self.is_done = False

    async def read(self) -> AsyncGenerator[Object, None]:
        """The objects as they come; an empty one is only a sign of life.

        Raises `ModelFault` for what can't be read, and for an error that the server says.
        """
        page: list[str] = []
        page_size = 0
        begun = is_page = False
        async for line in _lines(self._response):
            if not begun and line.strip():
                begun = True
                is_page = not _FIELD.match(line) and line.lstrip()[0] not in "{["
            if is_page:
                page.append(line)
                page_size += len(line) + 1
                if page_size > _LONGEST_PAGE:
                    break
                continue
            for found in self._take(line):
                yield found
            if self.is_done:
                return
        if page:
            raise fault_of_page(self._response, "\n".join(page)[:_LONGEST_PAGE])
        for found in self._rest():
            yield found

    def _take(self, line: str) -> Iterator[Object]:
        """The objects that are whole with this line."""
        stripped = line.strip()
        if self._body:
            self._more_of_body(line)
            yield {}
        elif not stripped:
            yield from self._ended()
        elif stripped.lower() == _DONE:
            self.is_done = True
        elif stripped[0] in "{[":
            yield from self._ended()
            try:
                value = decoded(line)
            except ValueError:
                self._more_of_body(line)
                return
            yield from _objects_of(value)
        else:
            yield from self._field(stripped)

    def _more_of_body(self, line: str) -> None:
        """One object may stretch over several lines."""
        self._body.append(line)
        self._body_size += len(line)
        if self._body_size > LONGEST_LINE:
            raise _too_large()

    def _field(self, line: str) -> Iterator[Object]:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ").removeprefix("data: ")  # said twice by one proxy behind another
        match name.strip():
            case "":
                yield {}  # a comment
            case "data":
                if self._data and _is_whole("\n".join(self._data)):
                    yield from self._ended()  # from a server that leaves out blank lines
                self._data.append(value)
            case "event":
                yield from self._ended()
                self._event = value.strip()
            case "error":
                yield from self._ended()
                raise fault_in_stream(error_in(value))
            case _:
                pass

    def _ended(self) -> Iterator[Object]:
        """The objects of an event that is whole."""
        text, event = "\n".join(self._data).strip(), self._event
        self._data, self._event = [], ""
        if text.lower() == _DONE:
            self.is_done = True
        if not text or self.is_done:
            return
        if event == "error":
            raise fault_in_stream(error_in(text))
        try:
            value = decoded(text)
        except ValueError as error:
            raise ModelFault(ModelFailure.MALFORMED_ANSWER, str(error)) from error
        yield from _objects_of(value)

    def _rest(self) -> Iterator[Object]:
        """The objects that are whole with the end. An event that was cut off is left out."""
        if self._body:
            try:
                value = decoded("\n".join(self._body))
            except ValueError as error:
                raise ModelFault(ModelFailure.MALFORMED_ANSWER, str(error)) from error
            yield from _objects_of(value)
            return
        text = "\n".join(self._data).strip()
        if text.lower() == _DONE or _is_whole(text):
            yield from self._ended()


def _objects_of(value: Json) -> Iterator[Object]:
    several = value if isinstance(value, list) else [value]
    for one in several or [None]:
        if not isinstance(one, dict):
            raise ModelFault(ModelFailure.MALFORMED_ANSWER, "a chunk of the answer was not an object")
        if is_error(one):
            raise fault_in_stream(error_in(one))
        yield one


def _is_whole(text: str) -> bool:
    try:
        decoded(text)
    except ValueError:
        return False
    return True


async def _lines(response: httpx.Response) -> AsyncGenerator[str, None]:
    """Lines as server-sent events have them. Raises before a line, or all of them, is too large."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")  # JSON is UTF-8, whatever the header says
    pieces: list[str] = []
    line = whole = 0
    after_cr = False
    async for data in response.aiter_bytes():
        text = decoder.decode(data)
        if after_cr and text:
            text = text.removeprefix("\n")
        after_cr = text.endswith("\r") or (after_cr and not text)
        first, *others = _LINE_END.split(text)
        pieces.append(first)
        line += len(first)
        whole += len(text)
        if max(line, *map(len, others), 0) > LONGEST_LINE or whole > _LONGEST_STREAM:
            raise _too_large()
        for other in others:
            yield "".join(pieces)
            pieces, line = [other], len(other)
    if pieces and (last := "".join(pieces)):
        yield last


def _too_large() -> ModelFault:
    return ModelFault(
        ModelFailure.MALFORMED_ANSWER, "the answer was larger than any that is taken", transient=False
    )
