"""Models of an Ollama, asked by its own API: there alone a request says how large the window is to be."""

import os
from collections.abc import AsyncGenerator, Mapping

import msgspec

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import ModelFailure, Usage
from agent_domain.model_addresses import endpoint
from model_caller.answers.answer import AnswerEnding, AnswerPiece, Assembly, ToolPiece, known_reason
from model_caller.answers.failures import ModelFault
from model_caller.answers.thinking_pieces import split, split_end
from model_caller.choosing.target import ModelTarget
from model_caller.limits import ModelCallLimits
from model_caller.providers.addresses import address_and_key
from model_caller.providers.counting import counted
from model_caller.providers.cut_prompts import cut_fault, may_be_cut
from model_caller.providers.endings import AnswerEnd, answer_end, half_kept, keeps_half
from model_caller.providers.interface import ModelInterface, ModelList
from model_caller.providers.json_fields import arguments_text, count, mapping, mappings, word
from model_caller.providers.json_objects import JsonObjects
from model_caller.providers.merging import merged
from model_caller.providers.ollama_request import body_of
from model_caller.providers.ollama_windows import OllamaWindows
from model_caller.providers.over_http import OverHttp
from model_caller.thinking.splitting import ThinkingSplitter
from session_domain.model_requests.request import ModelRequest

_WHY_CUT = "Its window is smaller than the one it was asked for (OLLAMA_CONTEXT_LENGTH, or its memory)"


class Ollama(OverHttp):
    """A `Provider` for the targets whose provider speaks Ollama's interface."""

    def __init__(self, limits: ModelCallLimits) -> None:
        super().__init__(limits)
        self._windows = OllamaWindows(self._posts.client)

    async def close(self) -> None:
        """See `OverHttp`."""
        await self._windows.close()
        await super().close()

    async def window(self, target: ModelTarget) -> int | None:
        """See `Provider`: the one that a request asks for."""
        window = await self._windows.of(*address_of(target, os.environ), target.name)
        return window.wanted(target.context_window)

    async def stream(
        self, request: ModelRequest, target: ModelTarget
    ) -> AsyncGenerator[AnswerPiece | AnswerEnding, None]:
        """See `Provider`. `ModelFault` too where the server cut the prompt, which it does without a word."""
        url, headers = address_of(target, os.environ)
        window = await self._windows.of(url, headers, target.name)
        num_ctx = window.wanted(target.context_window)
        sent = msgspec.structs.replace(request, messages=merged(request.with_pictures().messages))
        body = msgspec.json.encode(body_of(sent, target.name, num_ctx))
        said, reading = Assembly(), _OllamaReader()
        try:
            async with self._posts.post(endpoint(url, "/api/chat"), headers, [body]) as response:
                end: AnswerEnd | None = None
                objects = JsonObjects(response)
                try:
                    async for chunk in objects.read():
                        yield said.added(reading.take(chunk))
                        if reading.is_done:
                            break
                    yield said.added(reading.rest())
                except ModelFault as fault:
                    if not keeps_half(fault):
                        raise
                    yield said.added(reading.rest())
                    end = half_kept(fault, said)
                end = end or answer_end(
                    reading.reason, said, is_done=reading.is_done, anything=reading.anything
                )
                usage = reading.usage or counted(request, said)
                await self._require_whole(request, usage, (url, headers, target.name))
                yield AnswerEnding(
                    end.finish_reason,
                    usage,
                    cut=end.cut,
                    cut_words=end.cut_words,
                    context_window=num_ctx or target.context_window,
                )
        except ModelFault as fault:
            if fault.failure is ModelFailure.CONTEXT_LENGTH:
                fault.window = fault.window or num_ctx
            raise

    async def _require_whole(
        self, request: ModelRequest, usage: Usage, where: tuple[str, dict[str, str], str]
    ) -> None:
        """`ModelFault` where the server read far fewer tokens than there are: what it left out is the
        beginning, with what the agent is told first. Sure only where its window is too small for all."""
        if not may_be_cut(request, usage):
            return
        loaded = await self._windows.loaded(*where)
        if loaded is not None and loaded >= request.tokens:
            return  # it counts otherwise, or tells only what it hadn't kept from before
        raise cut_fault(request, usage, loaded, _WHY_CUT)


class _OllamaReader:
    """What has been read of an answer."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.usage: Usage | None = None
        self.is_done = False
        self.anything = False
        self._calls = 0
        self._splitting = ThinkingSplitter()

    def take(self, chunk: Mapping[str, Json]) -> AnswerPiece:
        """What a chunk adds."""
        if not chunk:
            return AnswerPiece()
        self.anything = True
        message = mapping(chunk.get("message"))
        calls = mappings(message.get("tool_calls"))
        if chunk.get("done") is True:
            self.is_done = True
            self.reason = known_reason(word(chunk.get("done_reason"))) or "stop"
            read, answered = count(chunk.get("prompt_eval_count")), count(chunk.get("eval_count"))
            self.usage = Usage(read, answered) if read else None
        tools = tuple(self._tool(call) for call in calls)
        if self.is_done and self._calls and self.reason == "stop":
            self.reason = "tool_calls"
        thinking = word(message.get("thinking"))
        return split(self._splitting, AnswerPiece(word(message.get("content")), tools, thinking=thinking))

    def rest(self) -> AnswerPiece:
        """What was kept back of the text, at the end of the answer."""
        return split_end(self._splitting)

    def _tool(self, call: Mapping[str, Json]) -> ToolPiece:
        """Each is whole. Ollama tells an index or none, and never the same call twice."""
        function = mapping(call.get("function"))
        self._calls += 1
        return ToolPiece(
            None,
            word(call.get("id")),
            word(function.get("name")),
            arguments_text(function.get("arguments")),
            begins=True,
            is_null="arguments" in function and function["arguments"] is None,
        )


def address_of(target: ModelTarget, environ: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The server's address without the path of an API, and the headers of each request to it."""
    url, key = address_and_key(target, environ)
    bare = url.rstrip("/").removesuffix("/v1").removesuffix("/api")
    return bare, {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})


INTERFACE = ModelInterface(provider=Ollama, models=ModelList(address_of, "/api/tags", "models"))
