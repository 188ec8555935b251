"""The pack's tools on the tool runner's real ports, over a log in memory."""

from typing import Any

from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json
from agent_contracts.questions.embedding import Embed, EmbeddingsGiven, packed
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed, Usage
from agent_tools.testing.models import ScriptedModels
from agent_tools.testing.world import SESSION, delivery
from tool_runner.testing.world import World


class MeaningModels(ScriptedModels):
    """Gives vectors by subject: a text is near to another that names a thing of the same kind."""

    subjects = (("canary", "bird", "sings"), ("engine", "car", "motor"), ("bread", "oven", "flour"))
    model = "openai/scripted"

    async def embed(self, asked: Embed) -> EmbeddingsGiven:
        """See `ModelCallers`."""
        self.embedded = getattr(self, "embedded", 0) + len(asked.texts)
        vectors = tuple(packed(self._vector(text.lower())) for text in asked.texts)
        return EmbeddingsGiven(self.model, vectors, Usage(len(asked.texts), 0))

    def _vector(self, text: str) -> list[float]:
        return [0.01 + sum(text.count(word) for word in subject) for subject in self.subjects]


class LibraWorld(World):
    """A runner of core and of this pack."""

    async def call(self, tool: str, session: str = SESSION, **arguments: Json) -> Any:
        """Run a call; the event that ended it."""
        self.calls = getattr(self, "calls", 0) + 1
        name, session_id = f"call{self.calls}", SessionId(session)
        effect = next(one.spec.effect for one in self.registry if one.spec.name == tool)
        message = await self.request(tool, arguments, call_id=name, effect=effect, session_id=session_id)
        await self.runner().handle(delivery(message))
        return await self.ended(name, session_id)

    async def get(self, tool: str, session: str = SESSION, **arguments: Json) -> dict[str, Any]:
        """The result of a call that must succeed."""
        ended = await self.call(tool, session, **arguments)
        assert isinstance(ended, ToolCallCompleted), ended
        assert isinstance(ended.result, dict)
        return ended.result

    async def refused(self, tool: str, session: str = SESSION, **arguments: Json) -> Any:
        """The error of a call that must fail."""
        ended = await self.call(tool, session, **arguments)
        assert isinstance(ended, ToolCallFailed), ended
        return ended.error
