"""A model that answers at once, from within: what is left of a model call is what Foldline adds to it."""

import re
from collections.abc import AsyncGenerator, Callable

import msgspec

from agent_contracts.session_events.results import Usage
from model_caller.answers.answer import AnswerEnding, AnswerPiece, Assembly, ToolPiece
from model_caller.choosing.target import ModelTarget
from session_domain.model_requests.encoded_array import encoded
from session_domain.model_requests.request import ModelRequest

TOOL = "peer_step"
_TASK = re.compile(rb'\{\\"sid\\":\\"([^"\\]+)\\",\\"steps\\":(\d+)\}')
"""A `Task` within a string of JSON."""
_STEP = b'\\"i\\":'
"""Before the number of a step, in what the tool said, within a string of JSON."""
_NUMBER = re.compile(rb"\d+")
_USAGE = Usage(input=250, output=250)


class Task(msgspec.Struct, frozen=True):
    """What the user's message asks for: so many steps. It is all that the model knows."""

    sid: str
    steps: int

    def text(self) -> str:
        """As a message."""
        return msgspec.json.encode(self).decode()


class LocalModel:
    """A `Provider`: `say(sid, i)` is the text of step i, `ended(sid)` is told when there is none left."""

    def __init__(self, say: Callable[[str, int], str], ended: Callable[[str], None]) -> None:
        self._say = say
        self._ended = ended

    async def warm_up(self, target: ModelTarget) -> None:
        """Nothing to do."""

    async def window(self, target: ModelTarget) -> int | None:
        """Nobody says."""
        return None

    async def count(self, request: ModelRequest, said: Assembly) -> Usage:
        """The same for every answer."""
        return _USAGE

    async def stream(
        self, request: ModelRequest, target: ModelTarget
    ) -> AsyncGenerator[AnswerPiece | AnswerEnding, None]:
        """The text of the next step and a call of the tool; a short goodbye after the last one."""
        # The prompt, then the task; the last part ends with what the tool said in the last step.
        parts = encoded(request.messages).parts
        asked = _TASK.search(parts[1])
        assert asked is not None
        task = Task(asked[1].decode(), int(asked[2]))
        before = parts[-1].rfind(_STEP)
        number = _NUMBER.match(parts[-1], before + len(_STEP)) if before >= 0 else None
        step = int(number[0]) + 1 if number is not None else 0
        if step == task.steps:
            self._ended(task.sid)
            yield AnswerPiece(text="done")
            yield AnswerEnding("stop", _USAGE)
            return
        arguments = msgspec.json.encode({"sid": task.sid, "i": step}).decode()
        text = self._say(task.sid, step)
        yield AnswerPiece(text=text, tools=(ToolPiece(0, f"call_{step}", TOOL, arguments),))
        yield AnswerEnding("tool_calls", _USAGE)
