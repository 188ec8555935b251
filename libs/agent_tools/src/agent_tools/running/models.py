"""Questions of tools to models: asked of the model callers over NATS, checked here, counted for the call."""

import json
from collections.abc import Sequence
from typing import Protocol

import msgspec

from agent_contracts.errors import ErrorKind, Permanent, Rejected, Transient
from agent_contracts.json_reader import FROM_MODELS, read_json
from agent_contracts.json_value import Json
from agent_contracts.log.subjects import query_subject
from agent_contracts.questions.embedding import EMBED, MOST_TEXTS, Embed, EmbeddingsGiven, unpacked
from agent_contracts.questions.generation import GENERATE, Generate, GenerationResult
from agent_contracts.session_events.results import Usage
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.long_answers import ask_patiently
from agent_tools.context import CallContext, CallUsage
from agent_tools.json_schemas import JsonSchema
from agent_tools.ports.models import EmbeddingVectors, ModelAnswer


class ModelCallers(Protocol):
    """Where one question gets one answer."""

    async def generate(self, asked: Generate) -> GenerationResult:
        """The answer. `Transient` if nobody is there, or whoever was stopped answering."""
        ...

    async def embed(self, asked: Embed) -> EmbeddingsGiven:
        """Vectors. `Transient` likewise."""
        ...


class NatsModelCallers:
    """Asks whichever model caller is free."""

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection

    async def generate(self, asked: Generate) -> GenerationResult:
        """See `ModelCallers`."""
        question = msgspec.json.encode(asked)
        answer = await ask_patiently(self._connection, query_subject(GENERATE), question)
        return msgspec.json.decode(answer, type=GenerationResult)

    async def embed(self, asked: Embed) -> EmbeddingsGiven:
        """See `ModelCallers`."""
        question = msgspec.json.encode(asked)
        answer = await ask_patiently(self._connection, query_subject(EMBED), question)
        return msgspec.json.decode(answer, type=EmbeddingsGiven)


class CountedModels:
    """The `Models` of one call. What all its questions took is added to `spent`."""

    def __init__(self, callers: ModelCallers, spent: CallUsage) -> None:
        self._callers = callers
        self._spent = spent

    async def ask(self, asked: Generate) -> ModelAnswer:
        """The answer; with a schema, JSON that fits it, after one attempt at repair if need be.

        Raises `Rejected` where the question is at fault (`invalid_arguments` with the path of a bad schema),
        `Permanent(kind="upstream")` where no model answered, or not in the form that was asked for,
        `Transient` where whoever asked the model was stopped.
        """
        schema = JsonSchema.of(asked.schema, "/schema") if asked.schema is not None else None
        if schema is None:
            generated, usage = await self._once(asked)
            return ModelAnswer(generated.text, None, usage, generated.model, generated.is_cut)
        asked = msgspec.structs.replace(asked, system=_with_schema(asked))
        generated, usage = await self._once(asked)
        problem, parsed = _fits(schema, generated.text)
        if problem is not None:
            again = msgspec.structs.replace(asked, prompt=_repair(asked.prompt, generated.text, problem))
            generated, more = await self._once(again)
            usage += more
            problem, parsed = _fits(schema, generated.text)
        if problem is not None:
            raise Permanent(
                f"the model's answer does not fit the schema, asked twice: {problem}", kind=ErrorKind.UPSTREAM
            )
        return ModelAnswer(generated.text, parsed, usage, generated.model, generated.is_cut)

    async def _once(self, asked: Generate) -> tuple[GenerationResult, Usage]:
        generated = await self._callers.generate(asked)
        if generated.error_kind == ErrorKind.CANCELLED:
            raise Transient(generated.error or "cancelled", kind="stopped")
        if generated.usage is not None:
            self._spent.add(generated.usage)
        if generated.error is not None or generated.usage is None:
            kind = generated.error_kind or ErrorKind.UPSTREAM
            failure = Rejected if kind in _QUESTION_AT_FAULT else Permanent
            raise failure(generated.error or "no answer", kind=kind)
        return generated, generated.usage


class CountedEmbeddings:
    """The `Embeddings` of one call. What all its questions took is added to its `spent`."""

    def __init__(self, callers: ModelCallers, call: CallContext) -> None:
        self._callers = callers
        self._call = call

    async def of(self, texts: Sequence[str]) -> EmbeddingVectors:
        """See `Embeddings`."""
        vectors: list[tuple[float, ...]] = []
        model = ""
        for begin in range(0, len(texts), MOST_TEXTS):
            given = await self._once(tuple(texts[begin : begin + MOST_TEXTS]))
            if model not in ("", given.model):
                raise Transient("the model for embeddings was changed meanwhile", kind=ErrorKind.UPSTREAM)
            model = given.model
            vectors += map(unpacked, given.vectors)
        return EmbeddingVectors(model, tuple(vectors))

    async def _once(self, texts: tuple[str, ...]) -> EmbeddingsGiven:
        call = self._call
        given = await self._callers.embed(Embed(call.agent_id, call.session, call.call_id, texts))
        if given.usage is not None:
            call.spent.add(given.usage)
        if given.error is not None:
            kind = given.error_kind or ErrorKind.UPSTREAM
            failure = Transient if kind in (ErrorKind.UPSTREAM, ErrorKind.CANCELLED) else Rejected
            raise failure(given.error, kind=kind)
        return given


_QUESTION_AT_FAULT = (ErrorKind.INVALID_ARGUMENTS, ErrorKind.TOO_LARGE, ErrorKind.NOT_FOUND)


def _with_schema(asked: Generate) -> str:
    told = (
        "Answer with one JSON value and nothing else: no words around it, no code fence. "
        f"It must be valid under this JSON Schema: {json.dumps(asked.schema, ensure_ascii=False)}"
    )
    return f"{asked.system}\n\n{told}" if asked.system else told


def _repair(prompt: str, answer: str, problem: str) -> str:
    return f"{prompt}\n\nYour answer was refused ({problem}):\n{answer}\n\nAnswer again, corrected."


def _fits(schema: JsonSchema, text: str) -> tuple[str | None, Json]:
    """What is wrong with the answer, if anything, and the JSON in it."""
    try:
        parsed = read_json(_without_fence(text), FROM_MODELS, "it")
    except Rejected as failure:
        return failure.message, None
    return schema.problem(parsed), parsed


def _without_fence(text: str) -> str:
    """Models put a fence around JSON even if told not to."""
    text = text.strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        return text[text.index("\n") : -3]
    return text
