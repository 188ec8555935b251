"""The HTTP interface: `POST /v1/chat/completions`, Anthropic's `POST /v1/messages`, `POST /v1/embeddings`,
`GET /v1/models`."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import structlog
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Scope

from demo_model import anthropic_wire, conversation, wire
from demo_model.conversation import Conversation
from demo_model.embedding import embedded
from demo_model.faults import ContextLength, FaultCounts
from demo_model.plan import ReplyFormat, Step, Wire, failed, plan, refusal
from demo_model.recording import ReceivedRequest, RequestRecording
from demo_model.request_tools import BadBody
from demo_model.response import Player
from demo_model.schemas import refused_schema
from demo_model.script import Script
from demo_model.scripted_answer import Clock, NoRule, answer
from demo_model.templates import TemplateFault

log = structlog.get_logger(__name__)


@dataclass
class Stage:
    """What the interface plays on: the script, and what is remembered between requests."""

    script: Script
    clock: Clock
    close: Callable[[Scope], None]
    """Closes the TCP connection of a request."""
    recording: RequestRecording = field(default_factory=RequestRecording)
    faults: FaultCounts = field(default_factory=FaultCounts)
    released: asyncio.Event = field(default_factory=asyncio.Event)


def application(stage: Stage) -> Starlette:
    """The ASGI application that plays the stage's script."""

    async def models(request: Request) -> Response:
        denied = _denied(stage.script, request, wire)
        return JSONResponse(denied, 401) if denied else JSONResponse(wire.models(stage.script.models))

    async def completions(request: Request) -> Response:
        return await answered(request, wire)

    async def messages(request: Request) -> Response:
        return await answered(request, anthropic_wire)

    async def embeddings(request: Request) -> Response:
        denied = _denied(stage.script, request, wire)
        if denied:
            return JSONResponse(denied, 401)
        try:
            body = msgspec.json.decode(await request.body())
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return JSONResponse(wire.error(str(error), "invalid_request_error"), 400)
        answer, status = embedded(stage.script.embeddings, body)
        return JSONResponse(answer, status)

    async def answered(request: Request, wire: Wire) -> Response:
        denied = _denied(stage.script, request, wire)
        try:
            body = msgspec.json.decode(await request.body())
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            message = f"We could not parse the JSON body of your request: {error}"
            return JSONResponse(wire.error(message, "invalid_request_error"), 400)
        if not isinstance(body, dict):
            return JSONResponse(wire.error("The body must be a JSON object.", "invalid_request_error"), 400)
        received = stage.recording.begin(dict(request.headers), body)
        steps = failed(401, denied) if denied else _steps(stage, received, body, wire)
        return Player(steps, received, stage.recording, stage.released, stage.close)

    return Starlette(
        routes=[
            Route("/v1/models", models, methods=["GET"]),
            Route("/v1/chat/completions", completions, methods=["POST"]),
            Route("/v1/embeddings", embeddings, methods=["POST"]),
            Route("/v1/messages", messages, methods=["POST"]),
        ]
    )


def _steps(stage: Stage, received: ReceivedRequest, body: dict[str, Any], wire: Wire) -> list[Step]:
    """What to do for a request: play the script, or refuse, always in a way the client can show."""
    try:
        if wire is anthropic_wire:
            body = anthropic_wire.as_chat(body)
        talk = conversation.read(body)
        window = stage.script.context_window
        if window is not None and talk.prompt_tokens * 4 / stage.script.characters_per_token > window:
            received.fault = "context_length"
            return refusal(ContextLength(limit=window), wire)
        wrong = refused_schema(body) if stage.script.refuse_schemas else None
        if wrong is not None:
            received.fault = "refused_schema"
            return failed(400, wrong)
        said = answer(stage.script, talk, stage.clock)
    except BadBody as error:
        return failed(400, wire.error(str(error), "invalid_request_error"))
    except NoRule as error:
        return failed(400, wire.error(str(error), "script_error", "no_rule"))
    except TemplateFault as error:
        return failed(400, wire.error(str(error), "script_error", "bad_template"))
    received.rule = said.rule
    due = said.fault is not None and stage.faults.due(said.fault, talk.key, said.place)
    fault = said.fault if due else None
    received.fault = "" if fault is None else str(fault.__struct_config__.tag)
    log.debug(
        "demo_model.asked", number=received.number, rule=said.rule, place=said.place, fault=received.fault
    )
    options = body.get("stream_options")
    asked = ReplyFormat(
        stream=body.get("stream") is True,
        include_usage=isinstance(options, dict) and options.get("include_usage") is True,
        wire=wire,
    )
    return plan(said, fault, asked, _stamp(stage, talk, body))


def _stamp(stage: Stage, talk: Conversation, body: dict[str, Any]) -> wire.Stamp:
    """The id is computed from the messages, like the answer."""
    digest = hashlib.sha256(msgspec.json.encode(body["messages"])).hexdigest()[:24]
    return wire.Stamp(f"chatcmpl-{digest}", int(stage.clock().timestamp()), talk.model)


def _denied(script: Script, request: Request, wire: Wire) -> dict[str, Any] | None:
    """An error body if the script demands a key and the request has another."""
    if script.require_key is None:
        return None
    key = request.headers.get("x-api-key") or request.headers.get("authorization", "")
    key = key.removeprefix("Bearer ").strip()
    if key == script.require_key:
        return None
    message = "Incorrect API key provided." if key else "You didn't provide an API key."
    return wire.error(message, "invalid_request_error", "invalid_api_key")
