"""Vectors of any server that has OpenAI's `/embeddings`."""

import os
from collections.abc import Sequence

import msgspec

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import ModelFailure, Usage
from agent_domain.model_addresses import endpoint
from model_caller.answers.failures import ModelFault
from model_caller.choosing.target import ModelTarget
from model_caller.limits import ModelCallLimits
from model_caller.providers.addresses import address_of
from model_caller.providers.posts import Posts

_LARGEST = 32 * 1024 * 1024
"""Bytes of an answer: more than 16 vectors of 8,192 numbers have as text."""


class _Vector(msgspec.Struct):
    index: int
    embedding: list[float]


class _Used(msgspec.Struct):
    prompt_tokens: int = 0


class _EmbeddingAnswer(msgspec.Struct):
    data: list[_Vector]
    usage: _Used | None = None


class OpenAIEmbedder:
    """Asks for vectors."""

    def __init__(self, limits: ModelCallLimits) -> None:
        self._posts = Posts(limits)

    async def close(self) -> None:
        """Close the connections that are kept for the next question."""
        await self._posts.close()

    async def embed(self, target: ModelTarget, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        """A vector for each text, in their order. `ModelFault` where the server gives none, or none that
        fit."""
        url, headers = address_of(target, os.environ)
        asked: dict[str, Json] = {"model": target.name, "input": list(texts), "encoding_format": "float"}
        async with self._posts.post(
            endpoint(url, "/embeddings"), headers, [msgspec.json.encode(asked)]
        ) as response:
            body = bytearray()
            async for part in response.aiter_bytes():
                body += part
                if len(body) > _LARGEST:
                    raise ModelFault(ModelFailure.MALFORMED_ANSWER, "the vectors are larger than any taken")
        try:
            answer = msgspec.json.decode(bytes(body), type=_EmbeddingAnswer, strict=False)
        except (msgspec.MsgspecError, RecursionError, ValueError) as error:
            raise ModelFault(ModelFailure.MALFORMED_ANSWER, f"not embeddings: {error}") from error
        found = {one.index: one.embedding for one in answer.data}
        vectors = [found.get(index) or [] for index in range(len(texts))]
        if not all(vectors) or len({len(vector) for vector in vectors}) != 1:
            raise ModelFault(ModelFailure.MALFORMED_ANSWER, "not one vector of one size for each text")
        used = answer.usage.prompt_tokens if answer.usage is not None else 0
        return vectors, Usage(used or sum(map(len, texts)) // 4, 0)
