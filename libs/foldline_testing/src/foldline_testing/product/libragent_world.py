"""The pack's tools on the tool runner's real ports, over a log in memory."""

from agent_contracts.questions.embedding import Embed, EmbeddingsGiven, packed
from agent_contracts.session_events.results import Usage
from foldline_testing.agent_tools.models import ScriptedModels
from foldline_testing.tool_runner.world import World


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
