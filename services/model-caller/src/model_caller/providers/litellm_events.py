"""What litellm is given to read of a server of OpenAI's interface: the chunks in the one shape that it knows.

Of others it would lose calls and ends without a word. So any shape that is unambiguous is read as
`JsonObjects` reads it, and handed on as OpenAI itself would send it.
"""

from collections.abc import AsyncGenerator, Iterator
from typing import Any

import httpx

from agent_contracts.session_events.results import ModelFailure
from model_caller.answers.failures import ModelFault
from model_caller.providers.http_faults import fault_in_stream
from model_caller.providers.json_fields import arguments_text, mapping, mappings, word
from model_caller.providers.json_objects import JsonObjects, Object
from model_caller.providers.said_errors import error_in

_BROKEN = "error"
"""A reason of which litellm makes an exception without the server's words."""


class BrokenOff(Exception):
    """The server broke the answer off with this fault: what it said before stays."""

    def __init__(self, fault: ModelFault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class ChunkEvent:
    """An event as openai's reader takes it: `data` is looked at for the end alone, `json` has the chunk."""

    event = None

    def __init__(self, chunk: dict[str, Any] | None) -> None:
        self.data = "[DONE]" if chunk is None else ""
        self._chunk = chunk

    def json(self) -> Any:
        """The chunk."""
        return self._chunk


async def chunk_events(response: httpx.Response) -> AsyncGenerator[ChunkEvent, None]:
    """The events of an answer. `ModelFault` and `BrokenOff` for errors."""
    objects, chunks = JsonObjects(response), _Chunks()
    async for found in objects.read():
        if found:
            for chunk in chunks.usual(found):
                yield ChunkEvent(chunk)
    if objects.is_done or chunks.is_whole:
        for chunk in chunks.rest():
            yield ChunkEvent(chunk)
    yield ChunkEvent(None)


class _Chunks:
    """Brings chunks into the usual shape, in their order."""

    def __init__(self) -> None:
        self.is_whole = False
        self._finished = False
        self._anything = False
        self._calls: dict[str, int] = {}
        self._last = -1
        self._nulls: dict[int, str] = {}
        """Calls with null in place of arguments so far: by index, the field that they came in."""

    def usual(self, found: Object) -> Iterator[dict[str, Any]]:
        """This chunk, behind what has to come before its end."""
        choices = mappings(found.get("choices"))
        choice = next((one for one in choices if not one.get("index")), choices[0] if choices else {})
        reason = word(choice.get("finish_reason")) or None
        if choice and (found.get("error") or choice.get("error")):
            raise BrokenOff(fault_in_stream(error_in(dict(found))))
        if reason == _BROKEN:
            words = f"the server ended the answer with “{reason}”"
            raise BrokenOff(ModelFault(ModelFailure.CUT_STREAM, words))
        message, delta = mapping(choice.get("message")), mapping(choice.get("delta"))
        if message and not delta and not self._anything:
            self.is_whole = True
            delta = message
        if choice:
            delta = self._delta(delta, apart=self.is_whole)
            if reason is not None:
                self._finished = True
                if self._nulls and any(delta.values()):
                    yield _of(found, delta, None)
                    delta = {}
                yield from self._missing(found)
            rest = {name: value for name, value in choice.items() if name != "message"}
            changed = rest | {"index": 0, "delta": delta, "finish_reason": reason}
            yield {**found, "choices": [changed]}
        else:
            yield {**found, "choices": []}

    def rest(self) -> Iterator[dict[str, Any]]:
        """The end, of an answer that is whole and gave no reason."""
        if not self._finished:
            yield from self._missing({})
            yield _of({}, {}, "tool_calls" if self._last >= 0 else "stop")

    def _missing(self, found: Object) -> Iterator[dict[str, Any]]:
        for index, field in self._nulls.items():
            function = {"arguments": "null"}
            calls = [{"index": index, "function": function}]
            yield _of(found, {field: function if field == "function_call" else calls}, None)
        self._nulls.clear()

    def _delta(self, delta: Object, *, apart: bool) -> dict[str, Any]:
        changed: dict[str, Any] = dict(delta)
        several = delta.get("tool_calls")
        if several:
            calls = mappings([several] if isinstance(several, dict) else several)
            changed["tool_calls"] = [self._call(dict(call), apart=apart) for call in calls]
        elif mapping(delta.get("function_call")):
            changed["function_call"] = self._function(mapping(delta["function_call"]), 0, "function_call")
            self._last = max(self._last, 0)
        self._anything = self._anything or any(changed.values())
        return changed

    def _call(self, call: dict[str, Any], *, apart: bool) -> dict[str, Any]:
        function = mapping(call.get("function")) or call
        index, known = call.get("index"), word(call.get("id"))
        if apart or not isinstance(index, int):
            begins = apart or (bool(word(function.get("name"))) and known not in self._calls)
            index = self._last + 1 if begins else self._calls.get(known, self._last)
        self._last = max(self._last, index)
        if known:
            self._calls.setdefault(known, index)
        told = self._function(function, index, "tool_calls")
        return {**call, "index": index, "type": "function", "function": told}

    def _function(self, function: Object, index: int, field: str) -> dict[str, Any]:
        told = {name: function[name] for name in ("name", "arguments") if name in function}
        if told.get("arguments") is not None:
            told["arguments"] = arguments_text(told["arguments"])
            self._nulls.pop(index, None)
        elif "arguments" in told:
            self._nulls[index] = field
        return told


def _of(found: Object, delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
    about = {name: found[name] for name in ("id", "created", "model") if name in found}
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"object": "chat.completion.chunk", **about, "choices": [choice]}
