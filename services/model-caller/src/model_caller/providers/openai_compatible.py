"""Models of any server that speaks OpenAI's chat completions, asked over plain HTTP.

A call costs a few milliseconds of a processor, where litellm takes sixty.
"""

import asyncio
import os
from collections.abc import AsyncGenerator
from typing import Any

import msgspec

from agent_contracts.session_events.results import ModelFailure
from agent_domain.model_addresses import endpoint
from model_caller.answers.answer import AnswerEnding, AnswerPiece, Assembly
from model_caller.answers.failures import ModelFault
from model_caller.choosing.target import ModelTarget
from model_caller.providers.adapting.requests import PROGRESS, adapted_fields
from model_caller.providers.addresses import address_of
from model_caller.providers.counting import counted
from model_caller.providers.cut_prompts import require_whole
from model_caller.providers.embedding import OpenAIEmbedder
from model_caller.providers.endings import AnswerEnd, answer_end, half_kept, keeps_half
from model_caller.providers.interface import ModelInterface, ModelList
from model_caller.providers.json_objects import JsonObjects
from model_caller.providers.merging import merged
from model_caller.providers.model_limits import ModelLimits
from model_caller.providers.openai_chunks import ChunkReading
from model_caller.providers.over_http import OverHttp
from session_domain.model_requests.encoded_array import encoded
from session_domain.model_requests.request import ModelRequest


class OpenAICompatible(OverHttp):
    """A `Provider` for the targets whose provider speaks OpenAI's interface, and for the demo."""

    async def stream(
        self, request: ModelRequest, target: ModelTarget
    ) -> AsyncGenerator[AnswerPiece | AnswerEnding, None]:
        """See `Provider`."""
        if not target.is_configured:
            raise ModelFault(ModelFailure.UNKNOWN_MODEL, "no model is set up")
        url, headers = address_of(target, os.environ)
        own = target.own_url is not None
        fields = fields_of(request, target.name)
        if own and (await self._limits_of(url, headers, target)).tells_progress:
            fields[PROGRESS] = True
        fields = adapted_fields(fields, target.adapted)
        body = merged(request.with_pictures().messages).sent_in("messages", fields)
        said, reading = Assembly(), ChunkReading()
        window = asyncio.create_task(self._window(url, headers, target))
        try:
            async with self._posts.post(endpoint(url, "/chat/completions"), headers, body) as response:
                objects = JsonObjects(response)
                end: AnswerEnd | None = None
                try:
                    async for chunk in objects.read():
                        yield said.added(reading.take(chunk))
                        if reading.error is not None:
                            break
                    yield said.added(reading.rest())
                except ModelFault as fault:
                    if not keeps_half(fault):
                        raise
                    yield said.added(reading.rest())
                    end = half_kept(fault, said)
                end = end or answer_end(
                    reading.finish_reason,
                    said,
                    is_done=objects.is_done or reading.is_whole,
                    anything=reading.anything,
                    error=reading.error,
                )
                usage = reading.usage or counted(request, said)
                if own:
                    said_window = self._said_window(endpoint(url, "/models"), headers, target)
                    await require_whole(request, usage, said_window, told=reading.prompt_tokens)
                yield AnswerEnding(
                    end.finish_reason,
                    usage,
                    cut=end.cut,
                    cut_words=end.cut_words,
                    provider_request_id=response.headers.get("x-request-id"),
                    context_window=await window,
                )
        except ModelFault as fault:
            if fault.failure is ModelFailure.CONTEXT_LENGTH:
                fault.window = fault.window or await window
            raise
        finally:
            window.cancel()

    async def window(self, target: ModelTarget) -> int | None:
        """See `Provider`."""
        return await self._window(*address_of(target, os.environ), target)

    async def _window(self, url: str, headers: dict[str, str], target: ModelTarget) -> int | None:
        return target.context_window or (await self._limits_of(url, headers, target)).window

    async def _limits_of(self, url: str, headers: dict[str, str], target: ModelTarget) -> ModelLimits:
        return await self._known.of(endpoint(url, "/models"), headers, target)


def fields_of(request: ModelRequest, model: str) -> dict[str, Any]:
    """All but the messages."""
    body: dict[str, Any] = {
        "model": model,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        body["tools"] = msgspec.Raw(encoded(request.tools).joined())
    return body | {name: value for name, value in request.options.items() if value is not None}


INTERFACE = ModelInterface(
    provider=OpenAICompatible,
    embedder=OpenAIEmbedder,
    models=ModelList(address_of, "/models", "data", or_at="/v1/models"),
)
