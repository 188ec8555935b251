"""What a model saw, kept by content: each part and definition is stored once, however many calls show it."""

import asyncio

import msgspec
from cachetools import LRUCache

from agent_contracts.blob_ref import sha256_of
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.model_context import ContextPart, ModelContext
from agent_platform.log.blobs.port import Blobs
from session_domain.domain.shown.prompt import PromptPart
from session_domain.domain.shown.shapes import Shapes
from session_domain.model_requests.definitions import OfOne, encoded_definition
from session_domain.model_requests.request import RequestParts

REMEMBERED = 20_000
"""How many hashes one process knows to be stored."""


class ModelContexts:
    """Stores and reads model contexts. Knows what it has stored, so that a warm call stores nothing."""

    def __init__(self, blobs: Blobs, *, remembered: int = REMEMBERED) -> None:
        self._blobs = blobs
        self._most = remembered
        self._generation = blobs.generation
        self._stored: LRUCache[str, None] = LRUCache(remembered)
        self._addresses: OfOne[RequestParts, str] = OfOne()

    async def store(self, shown: RequestParts, owner: AgentId) -> str:
        """Store what isn't yet, for an agent; the SHA-256 of the context's manifest. Safe to repeat."""
        stored = self._remembered()
        known = self._addresses.get(shown)
        if known is not None and known in stored:
            stored[known] = None
            return known
        texts = [(part.name, part.text.encode()) for part in shown.parts]
        tools = [encoded_definition(tool) for tool in shown.tools]
        shapes = msgspec.json.encode(shown.shapes)
        manifest = msgspec.json.encode(
            ModelContext(
                system=[ContextPart(name, sha256_of(data)) for name, data in texts],
                tools=[tool.sha256 for tool in tools],
                timezone=shown.timezone,
                shapes=sha256_of(shapes),
                pictures=shown.pictures,
            )
        )
        address = sha256_of(manifest)
        if address not in stored:
            parts = [*(data for _, data in texts), *(tool.data for tool in tools), shapes]
            new = {sha256: data for data in parts if (sha256 := sha256_of(data)) not in stored}
            await self._blobs.put_all([*new.values(), manifest], owner=owner)
            stored.update(dict.fromkeys(new))
        stored[address] = None
        return self._addresses.set(shown, address)

    def _remembered(self) -> LRUCache[str, None]:
        """What is known to be stored; nothing, once some was erased. Who is storing now remembers it in the
        one that it began with."""
        if self._generation != self._blobs.generation:
            self._generation = self._blobs.generation
            self._stored = LRUCache(self._most)
        return self._stored

    async def load(self, address: str) -> RequestParts:
        """What was shown under this manifest.

        Raises `Rejected(kind="not_found")` if a blob is missing.
        """
        context = msgspec.json.decode(await self._blobs.get(address), type=ModelContext)
        texts, tools, shaped = await asyncio.gather(
            asyncio.gather(*(self._blobs.get(part.sha256) for part in context.system)),
            asyncio.gather(*(self._blobs.get(sha256) for sha256 in context.tools)),
            self._blobs.get(context.shapes),
        )
        shapes: Shapes = msgspec.json.decode(shaped)
        parts = [
            PromptPart(part.name, data.decode()) for part, data in zip(context.system, texts, strict=True)
        ]
        definitions: list[dict[str, Json]] = [msgspec.json.decode(data) for data in tools]
        return RequestParts(tuple(parts), tuple(definitions), context.timezone, shapes, context.pictures)

    async def tools(self, address: str) -> frozenset[str]:
        """The SHA-256 of each tool's definition that was shown under this manifest (see `definitions`)."""
        return frozenset(msgspec.json.decode(await self._blobs.get(address), type=ModelContext).tools)
