"""Models through litellm, where it is installed."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import httpx
import msgspec
import structlog

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import ModelFailure, Usage
from agent_domain.model_addresses import endpoint
from model_caller.answers.answer import AnswerEnding, AnswerPiece, Assembly, ToolPiece, text_of
from model_caller.answers.failures import ModelFault
from model_caller.answers.thinking_pieces import split, split_end
from model_caller.choosing.target import LITELLM, ModelTarget
from model_caller.limits import ModelCallLimits
from model_caller.providers import patches
from model_caller.providers.adapting.requests import adapted_fields
from model_caller.providers.counting import counted, unreported, with_reported
from model_caller.providers.cut_prompts import require_whole
from model_caller.providers.endings import AnswerEnd, answer_end, half_kept, keeps_half
from model_caller.providers.http_faults import no_proper_end
from model_caller.providers.interface import ModelInterface
from model_caller.providers.json_fields import arguments_text, count
from model_caller.providers.litellm_faults import broken_off, fault_of
from model_caller.providers.loading import install_command, is_installed, litellm_module
from model_caller.providers.merging import merged
from model_caller.providers.model_limits import listed_limits
from model_caller.providers.over_http import OverHttp
from model_caller.thinking.fields import TEXTS, reasoning_in, returned_with_call
from model_caller.thinking.splitting import ThinkingSplitter
from session_domain.model_requests.request import PICTURE_TOKENS, ModelRequest

NO_KEY = "no-key"
"""Sent to a server of the user's own when they set no key: otherwise litellm would send a provider's."""

_OPENAI = "openai"
"""The provider that takes everything we send. For it litellm answers a 422 by leaving parameters out until
there is no answer at all, if it may leave any out."""

log = structlog.get_logger()


class LiteLLMProvider(OverHttp):
    """A `Provider`. litellm's own retries are off: every attempt is ours, and is counted."""

    def __init__(self, limits: ModelCallLimits) -> None:
        super().__init__(limits)
        self._litellm: Any = None

    async def warm_up(self, target: ModelTarget) -> None:
        """Load litellm in a thread, so that the event loop and the first answer needn't wait. Does nothing
        where it isn't installed: each call says so."""
        if self._litellm is None and is_installed():
            self._litellm = await asyncio.to_thread(litellm_module)

    async def window(self, target: ModelTarget) -> int | None:
        """See `Provider`; by litellm's list."""
        return (await asyncio.to_thread(listed_limits, target.for_litellm)).window

    async def close(self) -> None:
        """Close the connections that litellm keeps open in this process, and let it forget them; and ours."""
        await super().close()
        if self._litellm is not None:
            await self._litellm.close_litellm_async_clients()
            self._litellm.in_memory_llm_clients_cache.flush_cache()

    async def stream(
        self, request: ModelRequest, target: ModelTarget
    ) -> AsyncGenerator[AnswerPiece | AnswerEnding, None]:
        """See `Provider`."""
        if not target.is_configured:
            raise ModelFault(ModelFailure.UNKNOWN_MODEL, "no model is set up")
        await self.warm_up(target)
        if self._litellm is None:
            raise not_installed(target)
        litellm = self._litellm
        try:
            stream = await litellm.acompletion(**self._arguments(request, target))
        except Exception as error:
            raise self._with_window(fault_of(error), target) from error
        if stream is None:
            raise ModelFault(ModelFailure.BAD_REQUEST, "it can't process the request (status 422)")
        said, splitting = Assembly(), ThinkingSplitter()
        anything = False
        reported: Any = None
        seen = 0
        end: AnswerEnd | None = None
        try:
            async for chunk in stream:
                reported = getattr(chunk, "usage", None) or reported
                figures, seen = patches.usage_since(stream, seen)
                ended = patches.finish_reason_of(stream) is not None
                piece = msgspec.structs.replace(piece_of(chunk), usage=None if ended else usage_of(figures))
                anything = anything or piece != AnswerPiece()
                yield said.added(split(splitting, piece))
            yield said.added(split_end(splitting))
        except ModelFault:
            raise
        except Exception as error:
            broke_off = broken_off(error)
            fault = broke_off or self._with_window(fault_of(error), target)
            if broke_off is None and not keeps_half(fault):
                raise fault from error
            yield said.added(split_end(splitting))
            end = half_kept(fault, said)
        finally:
            await stream.aclose()
        if end is None:
            finish_reason = patches.finish_reason_of(stream)
            if finish_reason is None:
                raise _no_proper_end(stream, anything)
            end = answer_end(finish_reason, said, is_done=True, anything=anything)
        usage = usage_of(reported) if patches.has_reported_usage(stream) else None
        if usage is None:
            usage = await self.count(request, said)
        if target.own_url is not None:
            server = msgspec.structs.replace(target, model=target.for_litellm)
            headers = {"Authorization": f"Bearer {target.api_key or NO_KEY}"}
            said_window = self._said_window(endpoint(target.own_url, "/models"), headers, server)
            await require_whole(request, usage, said_window)
        window = self._window(target)
        request_id = patches.header_of(stream, "x-request-id")
        yield AnswerEnding(
            end.finish_reason,
            usage,
            cut=end.cut,
            cut_words=end.cut_words,
            provider_request_id=request_id,
            context_window=window,
        )

    def _window(self, target: ModelTarget) -> int | None:
        return target.context_window or _context_window(self._litellm, target.for_litellm)

    def _with_window(self, fault: ModelFault, target: ModelTarget) -> ModelFault:
        if fault.failure is ModelFailure.CONTEXT_LENGTH:
            fault.window = fault.window or self._window(target)
        return fault

    async def count(self, request: ModelRequest, said: Assembly) -> Usage:
        """See `Provider`; counted by litellm."""
        if said.reported is not None and not said.unreported:
            return said.reported
        if self._litellm is None:
            return counted(request, said)
        return with_reported(said, await asyncio.to_thread(_count, self._litellm, request, said))

    def _arguments(self, request: ModelRequest, target: ModelTarget) -> dict[str, Any]:
        limits = self._limits
        first = limits.first_token_of(target.own_url)
        arguments: dict[str, Any] = {
            "model": target.for_litellm,
            "messages": list(merged(request.with_pictures().messages)),
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_retries": 0,
            "num_retries": 0,
            # Our own limits come first; these are for what is left behind.
            "timeout": httpx.Timeout(first and first + limits.silence, connect=limits.connect),
            **patches.NO_MCP,
        }
        if target.provider != _OPENAI:
            arguments["drop_params"] = True
        if request.tools:
            arguments["tools"] = list(request.tools)
        if request.options:
            taken = self._litellm.get_supported_openai_params(target.for_litellm) or ()
            arguments |= {name: value for name, value in request.options.items() if name in taken}
        arguments = adapted_fields(arguments, target.adapted)
        if target.base_url is not None:
            arguments["api_base"] = target.base_url
            arguments["api_key"] = target.api_key or NO_KEY
        elif target.api_key is not None:
            arguments["api_key"] = target.api_key
        return arguments


def not_installed(target: ModelTarget) -> ModelFault:
    """What is said of a model that only litellm can ask, where it isn't installed."""
    known = target.known_provider
    if "/" not in target.model:
        why = f"Name the model {target.model} with its provider, such as openai/{target.model}"
    elif known is not None and target.model.startswith(LITELLM):
        why = f"Name it {target.for_litellm}, which needs nothing else"
    else:
        why = "If its server speaks OpenAI's interface, name it openai/MODEL and set the server's address"
    fault = ModelFault(
        ModelFailure.UNKNOWN_MODEL,
        f"The model {target.model} is asked through litellm, which isn't installed. Nothing is lost. Install "
        f"it where Foldline runs, then restart: {install_command()}. {why}.",
    )
    fault.not_installed = True
    return fault


def _context_window(litellm: Any, model: str) -> int | None:
    """The model's window in tokens, from litellm's list; None for a model that isn't in it."""
    try:
        window = litellm.get_model_info(model).get("max_input_tokens")
    except Exception as error:  # litellm raises a bare Exception for a model that it doesn't know
        log.debug("model.window_unknown", model=model, reason=str(error)[:200])
        return None
    return window if isinstance(window, int) else None


def piece_of(chunk: Any) -> AnswerPiece:
    """What a chunk of litellm's adds to the answer."""
    choices = getattr(chunk, "choices", None)
    delta = getattr(choices[0], "delta", None) if choices else None
    if delta is None:
        return AnswerPiece()
    content = getattr(delta, "content", None)
    tools = [_tool_piece(call) for call in getattr(delta, "tool_calls", None) or ()]
    function = getattr(delta, "function_call", None)
    if function is not None and not tools:  # how it was before there were tool calls
        tools = [ToolPiece(0, "", _text(function, "name"), _given(function))]
    thought = reasoning_in(_fields(delta, _OF_DELTA))
    return AnswerPiece(
        text_of(content),
        tuple(tools),
        thinking=thought.text,
        thinking_as=thought.field,
        returned=thought.returned,
    )


_OF_DELTA = (*TEXTS, "content", "reasoning_details", "thinking_blocks", "provider_specific_fields")


def _fields(holder: Any, names: Sequence[str]) -> dict[str, Json]:
    """Some of an object's fields as JSON. litellm gives some of them as objects of its own."""
    found = {name: getattr(holder, name, None) for name in names}
    return {name: value for name, value in found.items() if isinstance(value, str | list | dict)}


def _tool_piece(call: Any) -> ToolPiece:
    function = getattr(call, "function", None)
    index = getattr(call, "index", None)
    return ToolPiece(
        index if isinstance(index, int) else None,
        _text(call, "id"),
        _text(function, "name"),
        _given(function),
        is_null=function is not None and getattr(function, "arguments", "") is None,
        returned=returned_with_call(_fields(call, ("extra_content", "provider_specific_fields"))),
    )


def _given(function: Any) -> str:
    return arguments_text(getattr(function, "arguments", None))


def _text(holder: Any, name: str) -> str:
    value = getattr(holder, name, None)
    return value if isinstance(value, str) else ""


def usage_of(reported: Any) -> Usage | None:
    """The provider's figures; None if they are missing or all zero."""
    prompt = count(getattr(reported, "prompt_tokens", None))
    completion = count(getattr(reported, "completion_tokens", None))
    if not prompt and not completion:
        return None
    details = getattr(reported, "prompt_tokens_details", None)
    return Usage(prompt, completion, cached_input=count(getattr(details, "cached_tokens", None)))


_counting = threading.Lock()


def _count(litellm: Any, request: ModelRequest, said: Assembly) -> Usage:
    """Tokens counted with the model's tokenizer where litellm has it, else with a similar one. Slow."""
    with _counting:
        litellm.disable_token_counter = False
        try:
            prompt = litellm.token_counter(
                model=request.model, messages=request.texts(), tools=list(request.tools) or None
            )
            prompt += len(request.pictures) * PICTURE_TOKENS
            completion = litellm.token_counter(model=request.model, text=unreported(said))
        finally:
            litellm.disable_token_counter = True
    return Usage(input=prompt, output=completion, counted=True)


def _no_proper_end(stream: Any, anything: bool) -> ModelFault:
    """litellm pretends that an answer which just stops was meant to."""
    if anything:
        return no_proper_end(anything=True)
    kind = patches.header_of(stream, "content-type") or "unknown"
    if "event-stream" in kind:
        return no_proper_end(anything=False)
    return ModelFault(ModelFailure.MALFORMED_ANSWER, f"the answer was of type {kind}")


INTERFACE = ModelInterface(provider=LiteLLMProvider, thinking=("effort", "budget"))
